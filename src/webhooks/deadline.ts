/** The moment at which the sender gets a response even if the handler has not ended. */
export class Deadline {
  /** Resolves at the deadline, unless it is stopped before. */
  readonly reached: Promise<void>;
  #hasPassed = false;
  #stop = (): void => {};

  /** @param respondAfter in ms from now, or false for no deadline */
  constructor(respondAfter: number | false) {
    this.reached = new Promise((resolve) => {
      if (respondAfter === false) return;
      this.#stop = after(respondAfter, () => {
        this.#hasPassed = true;
        resolve();
      });
    });
  }

  get hasPassed(): boolean {
    return this.#hasPassed;
  }

  stop(): void {
    this.#stop();
  }
}

/** Calls `act` after `ms` milliseconds, unless the returned function is called first. The timer does not keep the process alive. */
export function after(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  // In some runtimes a timer is a number.
  if (typeof timer === 'object') timer.unref();
  return () => clearTimeout(timer);
}
