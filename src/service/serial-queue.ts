/** Lets one act after the other, whatever became of the one before. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(act);
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** Resolves once every act so far is over. */
  async over(): Promise<void> {
    await this.#last;
  }
}
