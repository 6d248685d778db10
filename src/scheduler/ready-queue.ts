import { compareQueueKeys, type EventStore, type QueueKey } from '../store/event-store.js';
import { SortedList } from '../store/sorted-list.js';

export interface ReadyQueueOptions {
  readonly url: string;
  readonly store: EventStore;
  readonly windowMs: number;
}

/** A delivery that waits. The body is there when it was at hand. */
export interface DueItem extends QueueKey {
  readonly body?: Uint8Array | undefined;
}

/** An item on its way, and where it goes back to when nothing came of it. */
export interface Taken {
  readonly item: DueItem;
  readonly from: ReadAheadBuffer;
}

/** How many queue keys are read from the store at a time. */
const LOAD_SIZE = 512;

/** What waits for one URL, in the order in which it goes out. */
export class ReadyQueue {
  readonly #first: ReadAheadBuffer;
  readonly #retries: ReadAheadBuffer;
  readonly #windowMs: number;

  constructor({ url, store, windowMs }: ReadyQueueOptions) {
    this.#windowMs = windowMs;
    this.#first = new ReadAheadBuffer({
      size: LOAD_SIZE,
      load: (after, limit) => store.waiting(url, 'first', after, limit),
    });
    this.#retries = new ReadAheadBuffer({
      size: LOAD_SIZE,
      load: (after, limit) => store.waiting(url, 'retry', after, limit),
    });
  }

  /** When the earliest of what waits was or is due. */
  get oldestDue(): number | undefined {
    const first = this.#first.first?.at;
    const retry = this.#retries.first?.at;
    return first === undefined || retry === undefined ? (first ?? retry) : Math.min(first, retry);
  }

  offerFirst(item: DueItem): void {
    this.#first.offer(item);
  }

  offerRetry(item: DueItem): void {
    this.#retries.offer(item);
  }

  /** The next item that is due. First attempts go before retries: what is new must not wait for what keeps failing. */
  take(now: number): Taken | undefined {
    const first = this.#first.shift();
    if (first !== undefined) return { item: first, from: this.#first };
    const retry = this.#takeRetry(now);
    return retry && { item: retry, from: this.#retries };
  }

  #takeRetry(now: number): DueItem | undefined {
    const { first, last } = this.#retries;
    if (first !== undefined && this.#isDue(first, now)) return this.#retries.shift();
    return last !== undefined && this.#isDue(last, now) ? this.#retries.pop() : undefined;
  }

  /** Takes the oldest, more or less: what was tried already came before what was not. */
  takeOldest(limit: number): Taken[] {
    const taken: Taken[] = [];
    for (const from of [this.#retries, this.#first]) {
      while (taken.length < limit) {
        const item = from.shift();
        if (item === undefined) break;
        taken.push({ item, from });
      }
    }
    return taken;
  }

  /** Takes first attempts that have waited since before then. */
  takeOlder(then: number, limit: number): Taken[] {
    const taken: Taken[] = [];
    for (let first = this.#first.first; first !== undefined && first.at < then; first = this.#first.first) {
      if (taken.length === limit) break;
      this.#first.shift();
      taken.push({ item: first, from: this.#first });
    }
    return taken;
  }

  /** Takes what may have outlived its window: first attempts that certainly have, and retries that are due. */
  takeLate(now: number): Taken[] {
    const takeFrom = (from: ReadAheadBuffer, isLate: (key: QueueKey) => boolean): Taken[] =>
      from.takeAll(isLate).map((item) => ({ item, from }));
    return [
      ...takeFrom(this.#first, ({ at }) => now > at + this.#windowMs),
      ...takeFrom(this.#retries, (key) => this.#isDue(key, now)),
    ];
  }

  /** When the next retry is due that is not due yet. */
  nextDue(now: number): number | undefined {
    const retry = this.#retries.first;
    return retry === undefined || this.#isDue(retry, now) ? undefined : retry.at;
  }

  /** Reads on in the store where little is left here; undefined when there is no need. */
  refill(): Promise<unknown> | undefined {
    const low = [this.#first, this.#retries].filter((window) => window.isLow);
    return low.length === 0 ? undefined : Promise.all(low.map((window) => window.refill()));
  }

  /** No retry is due further off than the window: such a time comes from a clock that has since been set back. */
  #isDue({ at }: QueueKey, now: number): boolean {
    return at <= now || at > now + this.#windowMs;
  }
}

export interface ReadAheadBufferOptions {
  /** How many items are loaded at a time; up to twice as many are held. */
  size: number;
  /** Reads the next queue keys from the store. */
  load(after: QueueKey | undefined, limit: number): Promise<readonly QueueKey[]>;
}

/** Before every key there is. */
const START: QueueKey = { at: -1, id: '' };

/**
 * The earliest of what waits, held in memory; the rest stays in the store. What lies up to the horizon is here, or was
 * taken; what lies beyond is only in the store. So a million that wait take no more memory than a thousand.
 */
export class ReadAheadBuffer {
  readonly #size: number;
  readonly #load: ReadAheadBufferOptions['load'];
  readonly #items = new SortedList<DueItem>(compareQueueKeys);
  /** Undefined when the store has nothing beyond. */
  #horizon: QueueKey | undefined = START;
  /** Items offered beyond the horizon while a load ran, which may or may not have seen them. */
  #meanwhile: DueItem[] | undefined;

  constructor({ size, load }: ReadAheadBufferOptions) {
    this.#size = size;
    this.#load = load;
  }

  get first(): DueItem | undefined {
    return this.#items.first;
  }

  /** The latest of those here. */
  get last(): DueItem | undefined {
    return this.#items.last;
  }

  get isLow(): boolean {
    return this.#horizon !== undefined && this.#meanwhile === undefined && this.#items.size < this.#size / 2;
  }

  /** Takes in an item that the store has. */
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

  /** Takes out every item here for which this holds. */
  takeAll(holds: (item: DueItem) => boolean): DueItem[] {
    const taken = [...this.#items.after(undefined)].filter(holds);
    for (const item of taken) this.#items.delete(item);
    return taken;
  }

  /** Moves the horizon outwards. */
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
    // A load goes on from the horizon it was given, which may not move inwards under it.
    if (this.#meanwhile !== undefined || this.#items.size <= this.#size * 2) return;
    while (this.#items.size > this.#size) this.#items.pop();
    this.#horizon = this.#items.last;
  }
}
