/** Wraps `act` so that callers who ask while it runs share its result. */
export function singleFlight<T>(act: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= act().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Wraps `act` so that callers share a run that begins only after all of them have asked, and so sees the state as of then. */
export function nextFlight<T>(act: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= last.then(() => {
      next = undefined;
      const read = act();
      last = read.catch(() => {});
      return read;
    });
    return next;
  };
}

/** Runs one act after the other, even if an earlier one failed. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(act);
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** Resolves when every act so far has ended. */
  async over(): Promise<void> {
    await this.#last;
  }
}

/** Resolves when all works have ended. @throws the error of the first that failed, after the others have ended too */
export async function allDone<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}
