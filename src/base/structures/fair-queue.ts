import { Fifo } from './fifo.js';

interface Queued<T> {
  readonly cost: number;
  readonly item: T;
}

interface FairLine<T> {
  readonly entries: Fifo<Queued<T>>;
  /** The cost of all entries that wait in this line. */
  waiting: number;
  /** The cost that the line may still spend in this round. */
  credit: number;
}

/**
 * Serves several lines in turn, by the cost of their entries and not by their number: in each round a line spends up to
 * `quantum`, and keeps what is left for the next. An entry that costs more waits for as many rounds as it takes. Within a line
 * the first comes first. (Shreedhar and Varghese, "Efficient Fair Queuing Using Deficit Round Robin".)
 */
export class DeficitRoundRobin<T> {
  readonly #quantum: number;
  /** The lines in the order in which they are served: a line whose turn is over moves to the end. */
  readonly #lines = new Map<string, FairLine<T>>();

  constructor(quantum: number) {
    this.#quantum = quantum;
  }

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  get names(): string[] {
    return [...this.#lines.keys()];
  }

  /** Returns the cost of all entries that wait in a line. */
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

  /** Removes and returns the next entry to serve. */
  next(): T | undefined {
    for (const [name, line] of this.#lines) {
      const entry = line.entries.first;
      if (entry !== undefined && entry.cost <= line.credit) return this.#take(name, line, entry);
      // The line moves behind the others, and this loop comes to it again.
      line.credit += this.#quantum;
      this.#lines.delete(name);
      this.#lines.set(name, line);
    }
    return undefined;
  }

  /** Removes and returns all entries that wait in a line. */
  clear(name: string): T[] {
    const line = this.#lines.get(name);
    this.#lines.delete(name);
    const items: T[] = [];
    for (let entry = line?.entries.shift(); entry !== undefined; entry = line?.entries.shift()) items.push(entry.item);
    return items;
  }

  #take(name: string, line: FairLine<T>, entry: Queued<T>): T {
    line.entries.shift();
    line.credit -= entry.cost;
    line.waiting -= entry.cost;
    // An empty line loses its credit.
    if (line.entries.first === undefined) this.#lines.delete(name);
    return entry.item;
  }
}

export interface FairQueueOptions {
  /** The limit on the cost of the running operations: another one begins only while their total cost is below this. */
  readonly maxRunning: number;
  /** The cost after which the turn passes to the next source. */
  readonly quantum: number;
  /** Calls back in a later turn of the event loop. @default setImmediate */
  readonly later?: ((act: () => void) => void) | undefined;
}

interface FairJob {
  begin(): void;
  refuse(error: unknown): void;
}

/**
 * Limits the cost of concurrent operations, and lets the sources take turns. An operation that finds room begins at once. One
 * that waits begins in a later turn of the event loop, so that the process can do other work in between.
 */
export class FairQueue {
  readonly #maxRunning: number;
  readonly #later: (act: () => void) => void;
  readonly #waiting: DeficitRoundRobin<FairJob>;
  #running = 0;
  #isCalledBack = false;

  constructor({ maxRunning, quantum, later = setImmediate }: FairQueueOptions) {
    this.#maxRunning = maxRunning;
    this.#later = later;
    this.#waiting = new DeficitRoundRobin(quantum);
  }

  /** The total cost of the running operations. */
  get running(): number {
    return this.#running;
  }

  /** Returns the total cost of a source's waiting operations. */
  waiting(source: string): number {
    return this.#waiting.waiting(source);
  }

  /** Calls `act` when it is the source's turn. Resolves and rejects as the act does. */
  run<T>(source: string, cost: number, act: () => Promise<T>): Promise<T> {
    if (this.#waiting.isEmpty && this.#hasRoom()) return this.#begin(cost, act);
    return new Promise((resolve, reject) => {
      const begin = (): void => void this.#begin(cost, act).then(resolve, reject);
      this.#waiting.add(source, cost, { begin, refuse: reject });
      this.#callBack();
    });
  }

  /** Rejects all waiting operations of a source, because each would fail for the same reason. */
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
