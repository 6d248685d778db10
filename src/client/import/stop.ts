/** Stops an import early. It keeps the first reason and wakes a waiting step. */
export class Stop {
  #reason: { readonly cause: unknown } | undefined;
  #wake: () => void = () => {};

  /** The reason, or undefined while the import may continue. */
  get reason(): { readonly cause: unknown } | undefined {
    return this.#reason;
  }

  because(cause: unknown): void {
    this.#reason ??= { cause };
    this.#wake();
  }

  /**
   * Settles like `work`, or resolves to undefined if the import must stop first. Only one step may wait at a time.
   * `Promise.race` with one long-lived promise would keep the promise of every step in memory.
   */
  unless<T>(work: PromiseLike<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      this.#wake = () => resolve(undefined);
      work.then(resolve, reject);
      if (this.#reason !== undefined) this.#wake();
    });
  }
}
