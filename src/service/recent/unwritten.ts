import type { KeepBounds } from './bounds.js';
import type { Exchanged } from './recent-attempt.js';

/** The newest attempts of one destination that are not written yet, within bounds. */
export class Unwritten {
  #items: (Exchanged | undefined)[] = [];
  /** Where the oldest that is left stands in the items. */
  #first = 0;
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#first === this.#items.length;
  }

  add(attempted: Exchanged, { attempts, bytes }: Pick<KeepBounds, 'attempts' | 'bytes'>): void {
    this.#items.push(attempted);
    this.#bytes += attempted.exchange.bytes;
    while (!this.isEmpty && (this.#items.length - this.#first > attempts || this.#bytes > bytes)) this.#drop();
    if (this.#first > COMPACT) this.#compact();
  }

  /** All of them, oldest first. */
  take(): Exchanged[] {
    const items = this.#items.slice(this.#first).filter((item) => item !== undefined);
    this.#items = [];
    this.#first = 0;
    this.#bytes = 0;
    return items;
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

/** So many dropped ones are left standing, so that dropping costs next to nothing. */
const COMPACT = 2_000;
