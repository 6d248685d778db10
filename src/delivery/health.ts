import type { Clock } from '../base/time/clock.js';
import { RULES } from './attempt-outcome.js';
import type { Attempt } from './state.js';

/** The circuit breaker of an endpoint. Closed allows requests, open allows none, half-open allows one trial request. */
export type Breaker =
  | { readonly phase: 'closed'; readonly failures: number }
  | { readonly phase: 'open'; readonly until: number; readonly openings: number }
  | { readonly phase: 'half-open'; readonly openings: number };

/** The breaker opens after this many failures in a row. */
const FAILURES_TO_OPEN = 10;

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
const JITTER = 0.2;

/** The longest pause that an endpoint can order with Retry-After. */
const LONGEST_ASKED_MS = 60 * 60_000;

export const CLOSED: Breaker = { phase: 'closed', failures: 0 };

export interface Failure {
  readonly now: number;
  /** A random number in [0, 1). */
  readonly random: number;
  readonly retryAfterMs: number | undefined;
  /** True for the one request that a half-open breaker allows. */
  readonly wasProbe: boolean;
}

/** Returns the breaker after an attempt that failed in a way that shows that the endpoint is unhealthy. */
export function afterFailure(breaker: Breaker, failure: Failure): Breaker {
  // Results of requests from before the breaker opened still arrive; they say nothing new.
  if (breaker.phase !== 'closed') return failure.wasProbe ? open(breaker.openings, failure) : breaker;
  const failures = breaker.failures + 1;
  return failures < FAILURES_TO_OPEN ? { phase: 'closed', failures } : open(0, failure);
}

/** Half-opens the breaker when its pause is over, so that one request may go. */
export const probe = (breaker: Breaker, now: number): Breaker =>
  breaker.phase === 'open' && now >= breaker.until ? { phase: 'half-open', openings: breaker.openings } : breaker;

function open(openings: number, { now, random, retryAfterMs = 0 }: Failure): Breaker {
  const ms = Math.min(FIRST_PAUSE_MS * 2 ** openings, LONGEST_PAUSE_MS) * (1 - JITTER + 2 * JITTER * random);
  const until = Math.floor(now + Math.max(ms, Math.min(retryAfterMs, LONGEST_ASKED_MS)));
  return { phase: 'open', until, openings: openings + 1 };
}

/** Describes an endpoint at which most of the last attempts failed. */
export interface Failing {
  readonly failed: number;
  /** The number of attempts that were judged. */
  readonly attempts: number;
  /** The latest failed attempt. */
  readonly last: Attempt;
  /** When the first failure since the last success began, in ms since 1970. */
  readonly since: number;
}

/** The failures since the last success. */
export interface Failures {
  readonly inARow: number;
  readonly last: Attempt;
  /** When the first of these attempts began, in ms since 1970. */
  readonly since: number;
}

/** The failures that an earlier process recorded. */
export interface FailedBefore extends Failures {
  /** True if most of the last attempts failed. */
  readonly isFailing: boolean;
}

export interface HealthListener {
  /** Called when the circuit breaker changes its phase. */
  breakerTurned(breaker: Breaker): void;
  /** Called when most attempts begin to fail or, with undefined, when they no longer do. */
  failingTurned(failing: Failing | undefined): void;
}

export interface HealthOptions {
  readonly clock: Clock;
  /** Returns a random number in [0, 1). */
  random(): number;
  readonly listener: HealthListener;
  readonly failedBefore?: FailedBefore | undefined;
}

/** The number of the latest attempts by which an endpoint is judged. */
const WINDOW = 10;

/** The fewest failures that count as failing, because a single one may be an exception. */
const LEAST = 3;

/** A failing endpoint recovers when at most this share of its attempts fails, so that a 50% failure rate does not alternate. */
const SHARE_TO_RECOVER = 0.3;

/** Judges an endpoint by its attempts in this process. Every failure counts, whatever its reason: a 404 as well as a timeout. */
export class Health {
  readonly #options: HealthOptions;
  /** Whether each of the latest attempts failed, oldest first. */
  readonly #recent: boolean[];
  #breaker: Breaker = CLOSED;
  #failures: Failures | undefined;
  /** Defined while most of the last attempts failed. */
  #failingSince: number | undefined;

  constructor(options: HealthOptions) {
    this.#options = options;
    const { failedBefore } = options;
    this.#failures = failedBefore;
    this.#failingSince = failedBefore?.isFailing ? failedBefore.since : undefined;
    this.#recent = failedBefore?.isFailing ? Array<boolean>(LEAST).fill(true) : [];
  }

  get breaker(): Breaker {
    return this.#breaker;
  }

  get isFailing(): boolean {
    return this.#failingSince !== undefined;
  }

  /** The failures in a row; undefined after a success, and before the first attempt. */
  get failures(): Failures | undefined {
    return this.#failures;
  }

  /** When the current failures began, in ms since 1970; undefined while the last attempt and most others succeeded. */
  get failingSince(): number | undefined {
    return this.#failingSince ?? this.#failures?.since;
  }

  /** Half-opens the breaker if it has been open for long enough. */
  probe(now: number): void {
    if (this.#breaker.phase === 'open') this.#turn(probe(this.#breaker, now));
  }

  judge(attempt: Attempt, wasProbe: boolean): void {
    const { verdict } = RULES[attempt.result];
    const hasFailed = verdict !== 'delivered';
    const { inARow, since } = this.#failures ?? { inARow: 0, since: attempt.at };
    this.#failures = hasFailed ? { inARow: inARow + 1, last: attempt, since } : undefined;
    this.#note(attempt, hasFailed);
    // An endpoint that refuses an event permanently is healthy, and may accept the next one.
    this.#turn(verdict === 'retry' ? this.#afterFailure(attempt, wasProbe) : CLOSED);
  }

  #afterFailure({ retryAfterMs }: Attempt, wasProbe: boolean): Breaker {
    const { clock, random } = this.#options;
    return afterFailure(this.#breaker, { now: clock.now(), random: random(), retryAfterMs, wasProbe });
  }

  /** Notes the result, and tells the listener when most attempts begin to fail or no longer do. */
  #note(attempt: Attempt, hasFailed: boolean): void {
    this.#recent.push(hasFailed);
    if (this.#recent.length > WINDOW) this.#recent.shift();
    const wasFailing = this.isFailing;
    // A success never makes an endpoint count as failing, and nearly every attempt is one.
    if (!hasFailed && !wasFailing) return;
    const attempts = this.#recent.length;
    const failed = this.#recent.filter(Boolean).length;
    const isFailing = wasFailing ? failed > attempts * SHARE_TO_RECOVER : failed >= LEAST && failed > attempts / 2;
    if (isFailing === wasFailing) return;
    const since = this.#failures?.since ?? attempt.at;
    this.#failingSince = isFailing ? since : undefined;
    this.#options.listener.failingTurned(isFailing ? { failed, attempts, last: attempt, since } : undefined);
  }

  #turn(breaker: Breaker): void {
    const before = this.#breaker;
    this.#breaker = breaker;
    if (breaker.phase !== before.phase) this.#options.listener.breakerTurned(breaker);
  }
}
