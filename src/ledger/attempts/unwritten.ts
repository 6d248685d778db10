import { type ResultClass, RULES } from '../../delivery/attempt-outcome.js';
import type { Attempted, Recorder } from '../../destination/reports/recorder.js';
import type { Exchange } from '../../destination/sending/exchange.js';
import type { AttemptKind } from './chunks.js';

/** The maximum number of bytes that all destinations together hold in memory before they are written. */
const MOST_BYTES = 16_000_000;

/** An attempt whose request and answer are known. */
export type Exchanged = Attempted & { readonly exchange: Exchange };

/**
 * Returns the kind under which an attempt is kept. A success after a failure is kept with the failures, because without it the
 * delivery would look as if it had not been delivered. If the event is settled already, a success counts as immediate.
 */
export const kindOfAttempt = (attempted: Attempted): AttemptKind =>
  RULES[attempted.attempt.result].verdict === 'delivered' && (attempted.entry === undefined || isFirst(attempted))
    ? 'successes'
    : 'failures';

/** True if the delivery had not been tried before. */
export function isFirst({ key, entry }: Attempted): boolean {
  const before = entry?.before.urls[key];
  return before?.phase === 'pending' && before.history.length === 0;
}

/** Attempts of one kind that are taken to be written. */
export interface TakenAttempts {
  readonly kind: AttemptKind;
  /** Oldest first. */
  readonly attempts: readonly Exchanged[];
}

/** Holds the attempts that are not written yet, for all destinations whose attempts are kept. */
export class UnwrittenAttempts implements Recorder {
  readonly #byDestination = new Map<string, Unwritten>();
  /** The destinations whose attempts are not kept; undefined if no attempts are kept at all. */
  #unkept: ReadonlySet<string> | undefined = new Set();

  configure(unkept: ReadonlySet<string> | undefined): void {
    this.#unkept = unkept;
  }

  wantsExchange(destination: string): boolean {
    return this.#unkept?.has(destination) === false;
  }

  record(attempted: Attempted): void {
    const { destination, exchange } = attempted;
    // Without an exchange no request was made, so there is nothing to keep.
    if (exchange === undefined || !this.wantsExchange(destination)) return;
    const unwritten = this.#byDestination.get(destination) ?? new Unwritten();
    this.#byDestination.set(destination, unwritten);
    unwritten.record(attempted as Exchanged, MOST_BYTES / this.#byDestination.size);
  }

  get isEmpty(): boolean {
    return this.#byDestination.size === 0;
  }

  /** Takes out everything that is to be written, and returns it by destination. */
  takeAll(): (readonly [destination: string, Unwritten])[] {
    const taken = [...this.#byDestination];
    this.#byDestination.clear();
    return taken;
  }
}

/** The unwritten attempts of one destination. An attempt is held by reference, not copied. */
export class Unwritten {
  readonly #failures: Exchanged[] = [];
  #successes: Exchanged[] = [];
  /** The results of the failures. The first of each result is kept even without space for it. */
  readonly #failedWith = new Set<ResultClass>();
  #bytes = 0;
  /** How many deliveries succeeded at the first attempt, including those that are no longer held. */
  succeeded = 0;

  /** @param mostBytes the part of the memory that is for this destination now */
  record(attempted: Exchanged, mostBytes: number): void {
    const { exchange, attempt } = attempted;
    const isOver = (): boolean => this.#bytes > mostBytes;
    this.#bytes += exchange.bytes;
    if (kindOfAttempt(attempted) === 'successes') {
      this.succeeded++;
      this.#successes.push(attempted);
      if (isOver()) this.#keepSuccesses(Math.max(1, this.#successes.length / 2));
      return;
    }
    if (isOver()) this.#keepSuccesses(0);
    if (isOver() && this.#failedWith.has(attempt.result)) this.#bytes -= exchange.bytes;
    else this.#failures.push(attempted);
    this.#failedWith.add(attempt.result);
  }

  /** Returns all failures, and the newest successes. */
  attempts(mostSuccesses: number): readonly TakenAttempts[] {
    return [
      { kind: 'successes', attempts: newest(this.#successes, mostSuccesses) },
      { kind: 'failures', attempts: this.#failures },
    ];
  }

  #keepSuccesses(most: number): void {
    const kept = newest(this.#successes, most);
    const dropped = this.#successes.slice(0, this.#successes.length - kept.length);
    this.#successes = kept;
    this.#bytes -= dropped.reduce((sum, { exchange }) => sum + exchange.bytes, 0);
  }
}

const newest = (attempts: readonly Exchanged[], most: number): Exchanged[] =>
  attempts.slice(Math.max(0, attempts.length - Math.floor(most)));
