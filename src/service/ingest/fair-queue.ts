import { DeficitRoundRobin } from './deficit-round-robin.js';

export interface FairQueueOptions {
  /** More acts begin while the cost of the running ones is below this. */
  readonly maxRunning: number;
  /** The cost after which the next source has its turn. */
  readonly quantum: number;
  /** Calls back in a later turn of the event loop. @default setImmediate */
  readonly later?: ((act: () => void) => void) | undefined;
}

interface Job {
  begin(): void;
  refuse(error: unknown): void;
}

/**
 * Bounds the cost of concurrent acts, and lets the sources take turns. An act that finds room begins at once. One that waits
 * begins in a later turn of the event loop, so that the process gets to its other work in between.
 */
export class FairQueue {
  readonly #maxRunning: number;
  readonly #later: (act: () => void) => void;
  readonly #waiting: DeficitRoundRobin<Job>;
  #running = 0;
  #isCalledBack = false;

  constructor({ maxRunning, quantum, later = setImmediate }: FairQueueOptions) {
    this.#maxRunning = maxRunning;
    this.#later = later;
    this.#waiting = new DeficitRoundRobin(quantum);
  }

  /** The cost of the running acts. */
  get running(): number {
    return this.#running;
  }

  /** The cost of a source's waiting acts. */
  waiting(source: string): number {
    return this.#waiting.waiting(source);
  }

  /** Acts when it is the source's turn. Resolves and rejects as the act does. */
  run<T>(source: string, cost: number, act: () => Promise<T>): Promise<T> {
    if (this.#waiting.isEmpty && this.#hasRoom()) return this.#begin(cost, act);
    return new Promise((resolve, reject) => {
      const begin = (): void => void this.#begin(cost, act).then(resolve, reject);
      this.#waiting.add(source, cost, { begin, refuse: reject });
      this.#callBack();
    });
  }

  /** Rejects all waiting acts of a source: each would fail for the same reason. */
  refuse(source: string, error: unknown): void {
    for (const job of this.#waiting.clear(source)) job.refuse(error);
  }

  refuseAll(error: unknown): void {
    for (const source of this.#waiting.names) this.refuse(source, error);
  }

  #hasRoom(): boolean {
    return this.#running < this.#maxRunning;
  }

  async #begin<T>(cost: number, act: () => Promise<T>): Promise<T> {
    this.#running += cost;
    try {
      return await act();
    } finally {
      this.#running -= cost;
      this.#callBack();
    }
  }

  #callBack(): void {
    if (this.#isCalledBack || this.#waiting.isEmpty || !this.#hasRoom()) return;
    this.#isCalledBack = true;
    this.#later(() => {
      this.#isCalledBack = false;
      this.#beginWaiting();
    });
  }

  #beginWaiting(): void {
    while (this.#hasRoom()) {
      const job = this.#waiting.next();
      if (job === undefined) return;
      job.begin();
    }
  }
}
