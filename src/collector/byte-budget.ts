import { networkOf } from '../base/text/address.js';

/** The share of the budget that one source may hold alone, so that another one always finds room. */
export const SOURCE_SHARE = 7 / 8;

/** The bytes that a source may hold for each byte that stays free. A source that is alone gets its share of the whole. */
const PER_FREE_BYTE = SOURCE_SHARE / (1 - SOURCE_SHARE);

/** The holder that stands for all senders not known yet, and a prefix to their networks. No source has such a name. */
const STRANGERS = '\0';

/**
 * Bounds the bytes that the collector holds at once, from the arrival of a request until its response. The share of a source
 * shrinks with the free bytes (the dynamic threshold of Choudhury and Hahne), so that a greedy source leaves room for the next.
 * All senders that are not known yet together hold as much as one source, and their networks share it in the same way.
 */
export class ByteBudget {
  readonly #limit: number;
  readonly #held = new Map<string, number>();
  #used = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get used(): number {
    return this.#used;
  }

  /** @param address the address of a sender that is not known yet */
  open(address = ''): Lease {
    return new Lease(this, STRANGERS + (address.includes(':') ? networkOf(address) : address));
  }

  /** The most bytes that one source can ever hold. */
  get most(): number {
    return Math.floor(this.#limit * SOURCE_SHARE);
  }

  /** Returns true if there is room for that many more bytes of a source. */
  fits(source: string, bytes: number): boolean {
    const free = this.#limit - this.#used - bytes;
    const left = source.startsWith(STRANGERS) ? this.#leftOf(STRANGERS, bytes, free) : free;
    return free >= 0 && left >= 0 && this.#leftOf(source, bytes, left) >= 0;
  }

  /** Returns the bytes of its share that a holder would have left if `free` bytes were free. */
  #leftOf(holder: string, bytes: number, free: number): number {
    return free * PER_FREE_BYTE - (this.#held.get(holder) ?? 0) - bytes;
  }

  add(source: string, bytes: number): void {
    this.#used += bytes;
    this.#hold(source, bytes);
    if (source.startsWith(STRANGERS)) this.#hold(STRANGERS, bytes);
  }

  #hold(source: string, bytes: number): void {
    const held = (this.#held.get(source) ?? 0) + bytes;
    if (held === 0) this.#held.delete(source);
    else this.#held.set(source, held);
  }
}

/** One request's part of the budget. */
export class Lease {
  readonly #budget: ByteBudget;
  #source: string;
  #held = 0;

  constructor(budget: ByteBudget, source: string) {
    this.#budget = budget;
    this.#source = source;
  }

  /** The source, or the network of a sender that is not known yet. */
  get holder(): string {
    return this.#source;
  }

  /** The bytes that this request could still take if no other request held any. */
  get most(): number {
    return this.#budget.most - this.#held;
  }

  /** Returns true if there is room for that many more bytes. */
  fits(bytes: number): boolean {
    return this.#budget.fits(this.#source, bytes);
  }

  /** Takes the bytes if there is room, and returns whether there was. */
  take(bytes: number): boolean {
    if (!this.fits(bytes)) return false;
    this.#held += bytes;
    this.#budget.add(this.#source, bytes);
    return true;
  }

  /** Passes the lease to a source. It keeps the bytes that it holds, even if they exceed the source's share. */
  assign(source: string): void {
    this.#budget.add(this.#source, -this.#held);
    this.#budget.add(source, this.#held);
    this.#source = source;
  }

  release(): void {
    this.#budget.add(this.#source, -this.#held);
    this.#held = 0;
  }
}
