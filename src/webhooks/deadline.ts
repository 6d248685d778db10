/** The moment at which the sender is answered whether or not the handler has ended. */
export class Deadline {
  /** Resolves when the moment comes; never, when it is stopped before. */
  readonly reached: Promise<void>;
  #hasPassed = false;
  #stop = (): void => {};

  /** @param respondAfter milliseconds from now, or false for never */
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

/** Calls `act` after so many milliseconds, unless what it returns is called first. Keeps no process alive. */
export function after(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  // Not every runtime gives an object.
  if (typeof timer === 'object') timer.unref();
  return () => clearTimeout(timer);
}
