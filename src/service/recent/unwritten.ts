import type { Attempted, Recorder } from '../../destination/recorder.js';
import type { KeepBounds } from './bounds.js';
import type { Exchanged } from './recent-attempt.js';

/** The most bytes that all destinations together hold in memory, unwritten. */
const MOST_BYTES = 16_000_000;

/** How many destinations of a process share the memory: those with attempts that are not written, or not trimmed since. */
export interface Holders {
  count: number;
}

/** The newest attempts of one destination that are not written yet, within bounds. An attempt costs a reference here. */
export class Unwritten implements Recorder {
  bounds: KeepBounds;
  /** Whether it has attempts that are not written, or not trimmed since. */
  isHolder = false;
  readonly #holders: Holders;
  #items: (Exchanged | undefined)[] = [];
  /** Where the oldest that is left stands in the items. */
  #first = 0;
  #bytes = 0;

  constructor(bounds: KeepBounds, holders: Holders) {
    this.bounds = bounds;
    this.#holders = holders;
  }

  wantsExchange(): boolean {
    return this.bounds.attempts > 0;
  }

  record(attempted: Attempted): void {
    if (!isExchanged(attempted)) return;
    if (!this.isHolder) this.#holders.count++;
    this.isHolder = true;
    this.#add(attempted);
  }

  /** Called once what it had is written and trimmed. */
  rest(): void {
    if (this.isHolder && this.isEmpty) {
      this.#holders.count--;
      this.isHolder = false;
    }
  }

  get isEmpty(): boolean {
    return this.#first === this.#items.length;
  }

  /** All of them, oldest first. */
  take(): Exchanged[] {
    const items = this.#items.slice(this.#first).filter((item) => item !== undefined);
    this.#items = [];
    this.#first = 0;
    this.#bytes = 0;
    return items;
  }

  #add(attempted: Exchanged): void {
    const { attempts } = this.bounds;
    const bytes = Math.min(this.bounds.bytes, MOST_BYTES / this.#holders.count);
    this.#items.push(attempted);
    this.#bytes += attempted.exchange.bytes;
    while (!this.isEmpty && (this.#items.length - this.#first > attempts || this.#bytes > bytes)) this.#drop();
    if (this.#first > COMPACT) this.#compact();
  }

  #drop(): void {
    this.#bytes -= this.#items[this.#first]?.exchange.bytes ?? 0;
    this.#items[this.#first++] = undefined;
  }

  #compact(): void {
    this.#items = this.#items.slice(this.#first);
    this.#first = 0;
  }
}

const isExchanged = (attempted: Attempted): attempted is Exchanged => attempted.exchange !== undefined;

/** The number of dropped attempts that stay in the list, so that dropping costs next to nothing. */
const COMPACT = 2_000;
