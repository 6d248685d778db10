import { type ResultClass, RULES } from '../../delivery/attempt-outcome.js';
import type { Attempted, Recorder } from '../../destination/reports/recorder.js';
import type { Exchange } from '../../destination/sending/exchange.js';
import { sampleOf } from './allowance.js';
import type { Kind } from './chunks.js';

/** The maximum number of bytes that all destinations together hold in memory before they are written. */
const MOST_BYTES = 16_000_000;

/** An attempt whose request and answer are known. */
export type Exchanged = Attempted & { readonly exchange: Exchange };

/**
 * Returns the kind under which an attempt is kept. A success after a failure is kept with the failures, because without it the
 * delivery would look as if it had not been delivered. If the event is settled already, a success counts as immediate.
 */
export const kindOfAttempt = (attempted: Attempted): Kind =>
  RULES[attempted.attempt.result].verdict === 'delivered' && (attempted.entry === undefined || isFirst(attempted))
    ? 'successes'
    : 'failures';

/** True if the delivery had not been tried before. */
export function isFirst({ key, entry }: Attempted): boolean {
  const before = entry?.before.urls[key];
  return before?.phase === 'pending' && before.history.length === 0;
}

/** How many destinations of a process share the memory. */
export interface Holders {
  count: number;
}

/** Attempts of one kind that are taken to be written. */
export interface Taken {
  readonly kind: Kind;
  /** Oldest first. */
  readonly attempts: readonly Exchanged[];
  /** True if some attempts were left out. */
  readonly hasGap: boolean;
}

/** Holds the attempts that are not written yet, for all destinations whose attempts are kept. */
export class UnwrittenAttempts implements Recorder {
  readonly #holders: Holders = { count: 0 };
  /** The destinations that have unwritten attempts, or had some at the last write. */
  readonly #byDestination = new Map<string, Unwritten>();
  /** The destinations whose attempts are not kept; undefined if no attempts are kept at all. */
  #unkept: ReadonlySet<string> | undefined = new Set();

  configure(unkept: ReadonlySet<string> | undefined): void {
    this.#unkept = unkept;
  }

  keeps(destination: string): boolean {
    return this.#unkept?.has(destination) === false;
  }

  wantsExchange(destination: string): boolean {
    return this.keeps(destination);
  }

  record(attempted: Attempted): void {
    if (this.keeps(attempted.destination)) this.#of(attempted.destination).record(attempted);
    else this.miss(attempted.destination, kindOfAttempt(attempted));
  }

  /** Records that an attempt is left out. */
  miss(destination: string, kind: Kind): void {
    this.#of(destination).miss(kind);
  }

  /** Returns each destination that has something to write. */
  byDestination(): (readonly [destination: string, Unwritten])[] {
    for (const [destination, { isEmpty }] of this.#byDestination) if (isEmpty) this.#byDestination.delete(destination);
    return [...this.#byDestination];
  }

  #of(destination: string): Unwritten {
    const unwritten = this.#byDestination.get(destination) ?? new Unwritten(this.#holders);
    this.#byDestination.set(destination, unwritten);
    return unwritten;
  }
}

/** The unwritten attempts of one destination. An attempt is held by reference, not copied. */
export class Unwritten {
  readonly #holders: Holders;
  #attempts: Record<Kind, Exchanged[]> = { failures: [], successes: [] };
  readonly #gaps = new Set<Kind>();
  /** The results of failures since the last write. The first of each result is kept even without space for it. */
  readonly #failedWith = new Set<ResultClass>();
  #bytes = 0;
  #succeeded = 0;
  /** The share of immediate successes that is kept, selected by sample number. It is set from the space at the last write. */
  #share = 1;

  constructor(holders: Holders) {
    this.#holders = holders;
  }

  /** Returns how many deliveries succeeded at once since the last `take`, including those that were left out. */
  get succeeded(): number {
    return this.#succeeded;
  }

  get hasAttempts(): boolean {
    return this.#bytes > 0;
  }

  /** True if there is nothing to write, not even that attempts were left out. */
  get isEmpty(): boolean {
    return !this.hasAttempts && this.#gaps.size === 0;
  }

  record(attempted: Attempted): void {
    // Without an exchange no request was made, so there is nothing to keep.
    if (!isExchanged(attempted)) return;
    const kind = kindOfAttempt(attempted);
    if (kind === 'successes') this.#succeeded++;
    const { exchange, attempt } = attempted;
    const { bytes } = exchange;
    const isFirstOfItsResult = kind === 'failures' && !this.#failedWith.has(attempt.result);
    if (!this.#hasRoom(attempted.id, kind, bytes) && !isFirstOfItsResult) {
      this.miss(kind);
      return;
    }
    if (this.#bytes === 0) this.#holders.count++;
    if (kind === 'failures') this.#failedWith.add(attempt.result);
    this.#attempts[kind].push(attempted);
    this.#bytes += bytes;
  }

  /** Records that an attempt is left out. */
  miss(kind: Kind): void {
    this.#gaps.add(kind);
  }

  /** Removes and returns all failures, and a sample of about `mostSuccesses` immediate successes. */
  take(mostSuccesses: number): Taken[] {
    this.#share = mostSuccesses >= this.#succeeded ? 1 : mostSuccesses / this.#succeeded;
    const { failures, successes } = this.#attempts;
    const sample = successes.filter(({ id }) => this.#isInSample(id));
    if (sample.length < successes.length) this.miss('successes');
    const taken = Object.entries({ failures, successes: sample }) as [Kind, Exchanged[]][];
    const gaps = new Set(this.#gaps);
    if (this.hasAttempts) this.#holders.count--;
    this.#attempts = { failures: [], successes: [] };
    this.#gaps.clear();
    this.#failedWith.clear();
    this.#bytes = 0;
    this.#succeeded = 0;
    return taken.map(([kind, attempts]) => ({ kind, attempts, hasGap: gaps.has(kind) }));
  }

  /** Checks for space. If there is none for a failure, the successes are dropped to make some. */
  #hasRoom(id: string, kind: Kind, bytes: number): boolean {
    if (kind === 'successes' && !this.#isInSample(id)) return false;
    const most = MOST_BYTES / Math.max(1, this.#holders.count);
    if (this.#bytes + bytes > most && kind === 'failures') this.#dropSuccesses();
    return this.#bytes + bytes <= most;
  }

  #isInSample(id: string): boolean {
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
