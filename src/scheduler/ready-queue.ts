import type { Backlog, QueueKey, Stage } from '../store/event-store.js';
import type { DueItem, TakenDelivery } from '../store/line.js';
import { compareQueueKeys } from '../store/queue-key.js';
import { SortedList } from '../store/sorted-list.js';
import type { Queue, QueueOptions } from './queue.js';

type ReadyQueueOptions = Pick<QueueOptions, 'store' | 'url' | 'windowMs' | 'backlog'>;

/** The number of queue keys that are read from the store at a time. */
const LOAD_SIZE = 512;

/** The queue of one URL in a store that only one process uses. The next waiting deliveries are in memory, and taking one needs no write. */
export class ReadyQueue implements Queue {
  readonly #options: ReadyQueueOptions;
  readonly #buffers: Readonly<Record<Stage, ReadAheadBuffer>>;
  #waiting: number;

  constructor(options: ReadyQueueOptions) {
    const { url, store, backlog } = options;
    const bufferOf = (stage: Stage): ReadAheadBuffer =>
      new ReadAheadBuffer(LOAD_SIZE, (after, limit) => store.waiting(url, stage, after, limit));
    this.#options = options;
    this.#buffers = { first: bufferOf('first'), retry: bufferOf('retry') };
    this.#waiting = backlog;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get oldestDue(): number | undefined {
    const first = this.#buffers.first.first?.at;
    const retry = this.#buffers.retry.first?.at;
    return first === undefined || retry === undefined ? (first ?? retry) : Math.min(first, retry);
  }

  stop(): void {}

  async quiet(): Promise<void> {}

  accept(item: DueItem, isOrdered: boolean): void {
    this.#waiting++;
    if (!isOrdered) this.ready(item);
  }

  ready(item: DueItem): void {
    this.#buffers.first.offer(item);
  }

  withdraw(item: QueueKey): boolean {
    return Object.values(this.#buffers).some((buffer) => buffer.withdraw(item));
  }

  forget(item?: QueueKey): void {
    this.#waiting--;
    if (item !== undefined) this.withdraw(item);
  }

  take(now: number): TakenDelivery | undefined {
    const first = this.#buffers.first.shift();
    if (first !== undefined) return { item: first, stage: 'first' };
    const retry = this.#takeRetry(now);
    return retry && { item: retry, stage: 'retry' };
  }

  settle(_: TakenDelivery, next: QueueKey | undefined): void {
    if (next !== undefined) this.#buffers.retry.offer(next);
  }

  putBack(taken: TakenDelivery): void {
    this.#buffers[taken.stage].offer(taken.item);
  }

  /** Reads more from the store when few items are left in memory. */
  fill(): Promise<unknown> | undefined {
    const { first, retry } = this.#buffers;
    // This runs at each attempt, and nearly always neither list is low.
    if (!first.isLow && !retry.isLow) return undefined;
    return Promise.all([first, retry].filter((buffer) => buffer.isLow).map((buffer) => buffer.refill()));
  }

  nextDue(now: number): number | undefined {
    const retry = this.#buffers.retry.first;
    return retry === undefined || this.#isDue(retry, now) ? undefined : retry.at;
  }

  async count(): Promise<Backlog | undefined> {
    const { store, url } = this.#options;
    return (await store.backlog()).find((each) => each.url === url);
  }

  hasTurn(): boolean {
    return true;
  }

  #takeRetry(now: number): DueItem | undefined {
    const { retry } = this.#buffers;
    if (retry.first === undefined) return undefined;
    if (this.#isDue(retry.first, now)) return retry.shift();
    return retry.last !== undefined && this.#isDue(retry.last, now) ? retry.pop() : undefined;
  }

  /** A retry that is due later than a whole window counts as due, because its time comes from before the clock was set back. */
  #isDue({ at }: QueueKey, now: number): boolean {
    return at <= now || at > now + this.#options.windowMs;
  }
}

/** Reads the next queue keys from the store. */
type Load = (after: QueueKey | undefined, limit: number) => Promise<readonly QueueKey[]>;

/** Precedes every key. */
const START: QueueKey = { at: -1, id: '' };

/**
 * Holds the earliest waiting items in memory; the others stay in the store. Everything up to the horizon is here or was taken;
 * everything beyond it is only in the store. So a million waiting items take no more memory than a thousand.
 */
export class ReadAheadBuffer {
  readonly #size: number;
  readonly #load: Load;
  readonly #items = new SortedList<DueItem>(compareQueueKeys);
  /** The last key that was read; undefined if the store has nothing beyond. */
  #horizon: QueueKey | undefined = START;
  /** Items beyond the horizon that were offered while a load ran, which may have missed them. */
  #meanwhile: DueItem[] | undefined;

  /** @param size the number of items that are loaded at a time; up to twice as many are held */
  constructor(size: number, load: Load) {
    this.#size = size;
    this.#load = load;
  }

  get first(): DueItem | undefined {
    return this.#items.first;
  }

  /** The latest item in memory. */
  get last(): DueItem | undefined {
    return this.#items.last;
  }

  get isLow(): boolean {
    return this.#horizon !== undefined && this.#meanwhile === undefined && this.#items.size < this.#size / 2;
  }

  /** Adds an item that the store has. */
  offer(item: DueItem): void {
    if (this.#horizon === undefined || compareQueueKeys(item, this.#horizon) <= 0) this.#items.add(item);
    else this.#meanwhile?.push(item);
    this.#trim();
  }

  shift(): DueItem | undefined {
    return this.#items.shift();
  }

  pop(): DueItem | undefined {
    return this.#items.pop();
  }

  /** Removes an item and returns true if it was here. */
  withdraw(item: QueueKey): boolean {
    const at = this.#meanwhile?.findIndex((other) => compareQueueKeys(other, item) === 0) ?? -1;
    if (at >= 0) this.#meanwhile?.splice(at, 1);
    return this.#items.delete(item) || at >= 0;
  }

  /** Moves the horizon further out. */
  async refill(): Promise<void> {
    const meanwhile: DueItem[] = [];
    this.#meanwhile = meanwhile;
    try {
      const after = this.#horizon === START ? undefined : this.#horizon;
      const keys = await this.#load(after, this.#size);
      for (const key of keys) this.#items.add(key);
      this.#horizon = keys.length < this.#size ? undefined : keys.at(-1);
    } finally {
      this.#meanwhile = undefined;
    }
    for (const item of meanwhile) this.offer(item);
  }

  #trim(): void {
    // A running load continues from the horizon that it was given, so the horizon must not move back meanwhile.
    if (this.#meanwhile !== undefined || this.#items.size <= this.#size * 2) return;
    while (this.#items.size > this.#size) this.#items.pop();
    this.#horizon = this.#items.last;
  }
}
