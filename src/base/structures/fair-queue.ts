import { Fifo } from './fifo.js';

export interface FairQueueOptions {
  /** The limit on the cost of the running operations: another one begins only while their total cost is below this. */
  readonly maxRunning: number;
  /** The cost after which the turn passes to the next source. */
  readonly quantum: number;
  /** Calls back in a later turn of the event loop. @default setImmediate */
  readonly later?: ((act: () => void) => void) | undefined;
}

interface FairJob {
  readonly cost: number;
  begin(): void;
  refuse(error: unknown): void;
}

interface FairLine {
  readonly jobs: Fifo<FairJob>;
  /** The cost of all jobs that wait in this line. */
  waiting: number;
  /** The cost that the line may still spend in this round. */
  credit: number;
}

/**
 * Limits the cost of concurrent operations, and lets the sources take turns, by the cost of their operations and not by their
 * number: in each round a source spends up to `quantum`, and keeps what is left for the next. An operation that costs more waits
 * for as many rounds as it takes. (Shreedhar and Varghese, "Efficient Fair Queuing Using Deficit Round Robin".)
 *
 * An operation that finds room begins at once. One that waits begins in a later turn of the event loop, so that the process can do
 * other work in between.
 */
export class FairQueue {
  readonly #maxRunning: number;
  readonly #quantum: number;
  readonly #later: (act: () => void) => void;
  /** The lines of the sources, in the order in which they are served: a line whose turn is over moves to the end. */
  readonly #lines = new Map<string, FairLine>();
  #running = 0;
  #isCalledBack = false;

  constructor({ maxRunning, quantum, later = setImmediate }: FairQueueOptions) {
    this.#maxRunning = maxRunning;
    this.#quantum = quantum;
    this.#later = later;
  }

  /** The total cost of the running operations. */
  get running(): number {
    return this.#running;
  }

  /** Returns the total cost of a source's waiting operations. */
  waiting(source: string): number {
    return this.#lines.get(source)?.waiting ?? 0;
  }

  /** Calls `act` when it is the source's turn. Resolves and rejects as the act does. */
  run<T>(source: string, cost: number, act: () => Promise<T>): Promise<T> {
    if (this.#lines.size === 0 && this.#hasRoom()) return this.#begin(cost, act);
    return new Promise((resolve, reject) => {
      const begin = (): void => void this.#begin(cost, act).then(resolve, reject);
      const line = this.#lines.get(source) ?? { jobs: new Fifo(), waiting: 0, credit: this.#quantum };
      this.#lines.set(source, line);
      line.jobs.push({ cost, begin, refuse: reject });
      line.waiting += cost;
      this.#callBack();
    });
  }

  /** Rejects all waiting operations of a source, because each would fail for the same reason. */
  refuse(source: string, error: unknown): void {
    const line = this.#lines.get(source);
    this.#lines.delete(source);
    for (const job of line?.jobs ?? []) job.refuse(error);
  }

  refuseAll(error: unknown): void {
    for (const source of [...this.#lines.keys()]) this.refuse(source, error);
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
    if (this.#isCalledBack || this.#lines.size === 0 || !this.#hasRoom()) return;
    this.#isCalledBack = true;
    this.#later(() => {
      this.#isCalledBack = false;
      while (this.#hasRoom() && this.#lines.size > 0) this.#next()?.begin();
    });
  }

  /** Removes and returns the next job to begin. */
  #next(): FairJob | undefined {
    for (const [source, line] of this.#lines) {
      const job = line.jobs.first;
      if (job !== undefined && job.cost <= line.credit) {
        line.jobs.shift();
        line.credit -= job.cost;
        line.waiting -= job.cost;
        // An empty line loses its credit.
        if (line.jobs.first === undefined) this.#lines.delete(source);
        return job;
      }
      // The line moves behind the others, and this loop comes to it again.
      line.credit += this.#quantum;
      this.#lines.delete(source);
      this.#lines.set(source, line);
    }
    return undefined;
  }
}
