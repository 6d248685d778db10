import type { EventStore, QueueKey } from '../store/event-store.js';
import { type DueItem, ReadAheadBuffer } from './read-ahead-buffer.js';

export interface ReadyQueueOptions {
  readonly url: string;
  readonly store: EventStore;
  readonly windowMs: number;
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
