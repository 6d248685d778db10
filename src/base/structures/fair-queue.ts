import { Fifo } from './fifo.js';

interface Entry<T> {
  readonly cost: number;
  readonly item: T;
}

interface Line<T> {
  readonly entries: Fifo<Entry<T>>;
  /** The cost of all that waits in it. */
  waiting: number;
  /** The cost that the line may still spend in this round. */
  credit: number;
}

/**
 * Serves several lines in turn, by the cost of their entries and not by their number: in each round a line spends up to
 * `quantum`, and keeps the rest. An entry that costs more waits for as many rounds as it takes.
 * Within a line the first comes first. (Shreedhar and Varghese, "Efficient Fair Queuing Using Deficit Round Robin".)
 */
export class DeficitRoundRobin<T> {
  readonly #quantum: number;
  /** In the order in which they are served: a line whose turn is over goes to the end. */
  readonly #lines = new Map<string, Line<T>>();

  constructor(quantum: number) {
    this.#quantum = quantum;
  }

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  get names(): string[] {
    return [...this.#lines.keys()];
  }

  /** The cost of all that waits in a line. */
  waiting(name: string): number {
    return this.#lines.get(name)?.waiting ?? 0;
  }

  add(name: string, cost: number, item: T): void {
    let line = this.#lines.get(name);
    if (line === undefined) {
      line = { entries: new Fifo(), waiting: 0, credit: this.#quantum };
      this.#lines.set(name, line);
    }
    line.entries.push({ cost, item });
    line.waiting += cost;
  }

  /** Takes out the next entry to serve. */
  next(): T | undefined {
    for (const [name, line] of this.#lines) {
      const entry = line.entries.first;
      if (entry !== undefined && entry.cost <= line.credit) return this.#take(name, line, entry);
      // Goes on behind the others, where this loop comes to it again.
      line.credit += this.#quantum;
      this.#lines.delete(name);
      this.#lines.set(name, line);
    }
    return undefined;
  }

  /** Takes out everything that waits in a line. */
  clear(name: string): T[] {
    const line = this.#lines.get(name);
    this.#lines.delete(name);
    const items: T[] = [];
    for (let entry = line?.entries.shift(); entry !== undefined; entry = line?.entries.shift()) items.push(entry.item);
    return items;
  }

  #take(name: string, line: Line<T>, entry: Entry<T>): T {
    line.entries.shift();
    line.credit -= entry.cost;
    line.waiting -= entry.cost;
    // An empty line keeps no credit.
    if (line.entries.first === undefined) this.#lines.delete(name);
    return entry.item;
  }
}

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
