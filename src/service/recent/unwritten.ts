import { type ResultClass, RULES } from '../../delivery/attempt-outcome.js';
import type { Attempted, Recorder } from '../../destination/reports/recorder.js';
import type { Exchange } from '../../destination/sending/exchange.js';
import { sampleOf } from './allowance.js';
import type { Kind } from './chunks.js';

/** The most bytes that all destinations together hold in memory, unwritten. */
const MOST_BYTES = 16_000_000;

/** An attempt whose exchange is known. */
export type Exchanged = Attempted & { readonly exchange: Exchange };

/**
 * A delivery that failed and then succeeded is kept whole: a part of it would say that it had not been delivered. An attempt whose event
 * was settled meanwhile tells nothing of those before it.
 */
export const kindOfAttempt = (attempted: Attempted): Kind =>
  RULES[attempted.attempt.result].verdict === 'delivered' && (attempted.entry === undefined || isFirst(attempted))
    ? 'successes'
    : 'failures';

/** Tells whether the delivery had not been tried before. */
export function isFirst({ key, entry }: Attempted): boolean {
  const before = entry?.before.urls[key];
  return before?.phase === 'pending' && before.history.length === 0;
}

/** Counts the destinations of a process that share the memory. */
export interface Holders {
  count: number;
}

/** Attempts of a kind that are about to be written. */
export interface Taken {
  readonly kind: Kind;
  /** Oldest first. */
  readonly attempts: readonly Exchanged[];
  /** True when some were left out. */
  readonly hasGap: boolean;
}

/** Holds the attempts at all destinations that are not written yet, where the attempts of the destination are kept. */
export class UnwrittenAttempts implements Recorder {
  readonly #holders: Holders = { count: 0 };
  /** It has the destinations that have some, or had some at the last write. */
  readonly #byDestination = new Map<string, Unwritten>();
  /** The destinations of which nothing is kept; undefined when nothing is kept of any. */
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

  /** Says that an attempt is left out. */
  miss(destination: string, kind: Kind): void {
    this.#of(destination).miss(kind);
  }

  /** Those of each destination that has something to write. */
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

/** The attempts of one destination that are not written yet. An attempt costs a reference here. */
export class Unwritten {
  readonly #holders: Holders;
  #attempts: Record<Kind, Exchanged[]> = { failures: [], successes: [] };
  readonly #gaps = new Set<Kind>();
  /** The results of the failures since the last write. The first of each is kept, however little room the destination has. */
  readonly #failedWith = new Set<ResultClass>();
  #bytes = 0;
  #succeeded = 0;
  /** This share of those that succeed at once is kept, by their sample: as many as there was room for last. */
  #share = 1;

  constructor(holders: Holders) {
    this.#holders = holders;
  }

  /** Counts those that succeeded at once since they were taken, the ones that are left out among them. */
  get succeeded(): number {
    return this.#succeeded;
  }

  get hasAttempts(): boolean {
    return this.#bytes > 0;
  }

  /** True when there is nothing to write, not even that some were left out. */
  get isEmpty(): boolean {
    return !this.hasAttempts && this.#gaps.size === 0;
  }

  record(attempted: Attempted): void {
    // Else no request was made.
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

  /** Says that an attempt is left out. */
  miss(kind: Kind): void {
    this.#gaps.add(kind);
  }

  /** Takes out all failures, and of those that succeeded at once a sample of about so many. */
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

  /** Failures take the room of successes. */
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
