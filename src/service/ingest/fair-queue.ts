import { DeficitRoundRobin } from './deficit-round-robin.js';

export interface FairQueueOptions {
  /** The cost up to which more is begun while something is under way. */
  readonly mostUnderWay: number;
  /** What one source may spend before it is the next one's turn. */
  readonly quantum: number;
  /** Calls back in another turn of the event loop. @default setImmediate */
  readonly later?: ((act: () => void) => void) | undefined;
}

interface Job {
  begin(): void;
  refuse(error: unknown): void;
}

/**
 * Bounds how much is under way at once, and lets the sources take turns at it. What finds room is begun at once; what waits is begun in
 * turns of the event loop of its own, so that whatever else the process has to do comes in between.
 */
export class FairQueue {
  readonly #mostUnderWay: number;
  readonly #later: (act: () => void) => void;
  readonly #waiting: DeficitRoundRobin<Job>;
  #underWay = 0;
  #isCalledBack = false;

  constructor({ mostUnderWay, quantum, later = setImmediate }: FairQueueOptions) {
    this.#mostUnderWay = mostUnderWay;
    this.#later = later;
    this.#waiting = new DeficitRoundRobin(quantum);
  }

  /** The cost of what is under way. */
  get underWay(): number {
    return this.#underWay;
  }

  /** The cost of what a source has waiting. */
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

  /** Rejects all that a source has waiting: it would fail for the same reason, one after the other. */
  refuse(source: string, error: unknown): void {
    for (const job of this.#waiting.clear(source)) job.refuse(error);
  }

  refuseAll(error: unknown): void {
    for (const source of this.#waiting.names) this.refuse(source, error);
  }

  #hasRoom(): boolean {
    return this.#underWay < this.#mostUnderWay;
  }

  async #begin<T>(cost: number, act: () => Promise<T>): Promise<T> {
    this.#underWay += cost;
    try {
      return await act();
    } finally {
      this.#underWay -= cost;
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
