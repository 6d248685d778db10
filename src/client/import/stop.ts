/** Ends an import early: keeps the first reason, and wakes its waiting steps. */
export class Stop<Cause = unknown> {
  #reason: { readonly cause: Cause } | undefined;
  #wake: () => void = () => {};

  /** Why; undefined while nothing stops the import. */
  get reason(): { readonly cause: Cause } | undefined {
    return this.#reason;
  }

  because(cause: Cause): void {
    this.#reason ??= { cause };
    this.#wake();
  }

  /**
   * Resolves as `work` does, or with undefined when the import is to stop first. One wait at a time. Not a race: that would
   * keep every work it ever saw.
   */
  unless<T>(work: PromiseLike<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      this.#wake = () => resolve(undefined);
      work.then(resolve, reject);
      if (this.#reason !== undefined) this.#wake();
    });
  }
}
