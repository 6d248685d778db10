import type { Attempted } from '../../destination/recorder.js';
import { sampleOf } from './allowance.js';
import type { Kind } from './chunks.js';
import { type Exchanged, kindOfAttempt } from './recent-attempt.js';

/** The most bytes that all destinations together hold in memory, unwritten. */
const MOST_BYTES = 16_000_000;

/** How many destinations of a process share the memory. */
export interface Holders {
  count: number;
}

/** Attempts of a kind that are about to be written. */
export interface Taken {
  readonly kind: Kind;
  /** Oldest first. */
  readonly attempts: readonly Exchanged[];
  /** Whether some were left out. */
  readonly hasGap: boolean;
}

/** The attempts of one destination that are not written yet. An attempt costs a reference here. */
export class Unwritten {
  readonly #holders: Holders;
  #attempts: Record<Kind, Exchanged[]> = { failures: [], successes: [] };
  readonly #gaps = new Set<Kind>();
  #bytes = 0;
  #succeeded = 0;
  /** Which of those that succeed at once are kept, by their sample: as many as there was room for last. */
  #share = 1;

  constructor(holders: Holders) {
    this.#holders = holders;
  }

  /** How many succeeded at once since they were taken, also of those that are left out. */
  get succeeded(): number {
    return this.#succeeded;
  }

  get hasAttempts(): boolean {
    return this.#bytes > 0;
  }

  /** Whether there is nothing to write, not even that some were left out. */
  get isEmpty(): boolean {
    return !this.hasAttempts && this.#gaps.size === 0;
  }

  record(attempted: Attempted): void {
    // Else no request was made.
    if (!isExchanged(attempted)) return;
    const kind = kindOfAttempt(attempted);
    if (kind === 'successes') this.#succeeded++;
    if (this.#hasRoom(attempted, kind)) this.#add(attempted, kind);
    else this.miss(kind);
  }

  /** Says that an attempt is left out. */
  miss(kind: Kind): void {
    this.#gaps.add(kind);
  }

  /** All of them, and of those that succeeded at once a sample of about so many. */
  take(mostSuccesses: number): Taken[] {
    this.#share = mostSuccesses >= this.#succeeded ? 1 : mostSuccesses / this.#succeeded;
    const { failures, successes } = this.#attempts;
    const sample = successes.filter((each) => this.#isInSample(each));
    if (sample.length < successes.length) this.miss('successes');
    const taken = Object.entries({ failures, successes: sample }) as [Kind, Exchanged[]][];
    const gaps = new Set(this.#gaps);
    if (this.hasAttempts) this.#holders.count--;
    this.#attempts = { failures: [], successes: [] };
    this.#gaps.clear();
    this.#bytes = 0;
    this.#succeeded = 0;
    return taken.map(([kind, attempts]) => ({ kind, attempts, hasGap: gaps.has(kind) }));
  }

  #add(attempted: Exchanged, kind: Kind): void {
    if (this.#bytes === 0) this.#holders.count++;
    this.#attempts[kind].push(attempted);
    this.#bytes += attempted.exchange.bytes;
  }

  /** Failures take the room of successes. */
  #hasRoom({ id, exchange }: Exchanged, kind: Kind): boolean {
    if (kind === 'successes' && !this.#isInSample({ id })) return false;
    const most = MOST_BYTES / Math.max(1, this.#holders.count);
    if (this.#bytes + exchange.bytes > most && kind === 'failures') this.#dropSuccesses();
    return this.#bytes + exchange.bytes <= most;
  }

  #isInSample({ id }: Pick<Exchanged, 'id'>): boolean {
    return this.#share === 1 || sampleOf(id) < this.#share;
  }

  #dropSuccesses(): void {
    const dropped = this.#attempts.successes;
    if (dropped.length === 0) return;
    this.miss('successes');
    this.#bytes -= dropped.reduce((sum, { exchange }) => sum + exchange.bytes, 0);
    this.#attempts.successes = [];
    if (this.#bytes === 0) this.#holders.count--;
  }
}

const isExchanged = (attempted: Attempted): attempted is Exchanged => attempted.exchange !== undefined;
