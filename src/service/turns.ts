/** The same act, done once for all callers that ask for it while it runs. */
export function singleFlight<T>(act: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= act().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** The same, but it begins after all callers that share it have asked: it reads, or writes, what there was when they did. */
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

/** Resolves when all are over. @throws what the first that failed threw, once the others are over too */
export async function allDone<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}
