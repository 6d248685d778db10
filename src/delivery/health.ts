import type { Clock } from '../base/time/clock.js';
import { RULES } from './attempt-outcome.js';
import type { Attempt } from './state.js';

/** The circuit breaker of an endpoint: closed lets all requests through that fit, open none for a while, half-open a single one to see. */
export type Breaker =
  | { readonly phase: 'closed'; readonly failures: number }
  | { readonly phase: 'open'; readonly until: number; readonly openings: number }
  | { readonly phase: 'half-open'; readonly openings: number };

/** The breaker opens after this many failures in a row. */
const FAILURES_TO_OPEN = 10;

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
const JITTER = 0.2;

/** The longest pause an endpoint can ask for with Retry-After. */
const LONGEST_ASKED_MS = 60 * 60_000;

export const CLOSED: Breaker = { phase: 'closed', failures: 0 };

export interface Failure {
  readonly now: number;
  /** From 0 up to, but not, 1. */
  readonly random: number;
  readonly retryAfterMs: number | undefined;
  /** True for the one request that a half-open breaker lets through. */
  readonly wasProbe: boolean;
}

/** An attempt failed in a way that says the endpoint is not well. */
export function afterFailure(breaker: Breaker, failure: Failure): Breaker {
  // Requests from before it opened still come back; they say nothing new.
  if (breaker.phase !== 'closed') return failure.wasProbe ? open(breaker.openings, failure) : breaker;
  const failures = breaker.failures + 1;
  return failures < FAILURES_TO_OPEN ? { phase: 'closed', failures } : open(0, failure);
}

/** The pause is over: one request may go. */
export const probe = (breaker: Breaker, now: number): Breaker =>
  breaker.phase === 'open' && now >= breaker.until ? { phase: 'half-open', openings: breaker.openings } : breaker;

function open(openings: number, { now, random, retryAfterMs = 0 }: Failure): Breaker {
  const ms = Math.min(FIRST_PAUSE_MS * 2 ** openings, LONGEST_PAUSE_MS) * (1 - JITTER + 2 * JITTER * random);
  const until = Math.floor(now + Math.max(ms, Math.min(retryAfterMs, LONGEST_ASKED_MS)));
  return { phase: 'open', until, openings: openings + 1 };
}

/** Most of the last attempts at an endpoint failed. */
export interface Failing {
  readonly failed: number;
  /** The number of attempts that the rate is of. */
  readonly attempts: number;
  /** The attempt that failed last. */
  readonly last: Attempt;
  /** When the first failure since the last success began, in ms since 1970. */
  readonly since: number;
}

/** Attempts that failed one after another, up to now. */
export interface Failures {
  readonly inARow: number;
  readonly last: Attempt;
  /** When the first of them began, in ms since 1970. */
  readonly since: number;
}

/** The failures that an earlier process left. */
export interface FailedBefore extends Failures {
  /** True where they were most of the last attempts. */
  readonly isFailing: boolean;
}

export interface HealthListener {
  /** The circuit breaker has changed its state. */
  breakerTurned(breaker: Breaker): void;
  /** Most attempts fail from now on or, with undefined, no longer. */
  failingTurned(failing: Failing | undefined): void;
}

export interface HealthOptions {
  readonly clock: Clock;
  /** From 0 up to, but not, 1. */
  random(): number;
  readonly listener: HealthListener;
  readonly failedBefore?: FailedBefore | undefined;
}

/** Judges an endpoint by its attempts in this process. */
export class Health {
  readonly #options: HealthOptions;
  readonly #recent: FailureWindow;
  #breaker: Breaker = CLOSED;
  #failures: Failures | undefined;
  /** Defined while most of the last attempts failed. */
  #failingSince: number | undefined;

  constructor(options: HealthOptions) {
    this.#options = options;
    const { failedBefore } = options;
    this.#failures = failedBefore;
    this.#failingSince = failedBefore?.isFailing ? failedBefore.since : undefined;
    this.#recent = new FailureWindow(failedBefore?.isFailing);
  }

  get breaker(): Breaker {
    return this.#breaker;
  }

  get isFailing(): boolean {
    return this.#recent.isFailing;
  }

  /** Undefined after a success, and before the first attempt. */
  get failures(): Failures | undefined {
    return this.#failures;
  }

  /** When the current failures began, in ms since 1970; undefined while the last attempt and most others succeeded. */
  get failingSince(): number | undefined {
    return this.#failingSince ?? this.#failures?.since;
  }

  /** Half opens the breaker if it has been open for long enough. */
  probe(now: number): void {
    if (this.#breaker.phase === 'open') this.#turn(probe(this.#breaker, now));
  }

  judge(attempt: Attempt, wasProbe: boolean): void {
    const { verdict } = RULES[attempt.result];
    const hasFailed = verdict !== 'delivered';
    const { inARow, since } = this.#failures ?? { inARow: 0, since: attempt.at };
    this.#failures = hasFailed ? { inARow: inARow + 1, last: attempt, since } : undefined;
    this.#note(attempt, hasFailed);
    // An endpoint that refuses an event for good works, and may take the next one.
    this.#turn(verdict === 'retry' ? this.#afterFailure(attempt, wasProbe) : CLOSED);
  }

  #afterFailure({ retryAfterMs }: Attempt, wasProbe: boolean): Breaker {
    const { clock, random } = this.#options;
    return afterFailure(this.#breaker, { now: clock.now(), random: random(), retryAfterMs, wasProbe });
  }

  #note(attempt: Attempt, hasFailed: boolean): void {
    if (!this.#recent.add(hasFailed)) return;
    const { isFailing, failed, count: attempts } = this.#recent;
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

/** The number of last attempts that are judged. */
const WINDOW = 10;

/** Fewer failures say nothing: one alone may be all there was. */
const LEAST = 3;

/** Once failing, it stays so until fewer than this share failed, so that an endpoint that fails half the time is one thing. */
const SHARE_TO_RECOVER = 0.3;

/** The results of the last attempts at an endpoint. Each failure counts, whatever its reason: a 404 as well as a timeout. */
export class FailureWindow {
  readonly #failures: boolean[] = [];
  #failed = 0;
  #isFailing = false;

  /** @param isFailing whether it begins as it would after the least failures that count */
  constructor(isFailing = false) {
    if (isFailing) for (let failures = 0; failures < LEAST; failures++) this.add(true);
  }

  /** True while most of them failed. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  get failed(): number {
    return this.#failed;
  }

  get count(): number {
    return this.#failures.length;
  }

  /** Returns whether that begins or ends a time of failing. */
  add(hasFailed: boolean): boolean {
    this.#failures.push(hasFailed);
    if (hasFailed) this.#failed++;
    if (this.#failures.length > WINDOW && this.#failures.shift()) this.#failed--;
    const wasFailing = this.#isFailing;
    const [count, failed] = [this.#failures.length, this.#failed];
    this.#isFailing = wasFailing ? failed > count * SHARE_TO_RECOVER : failed >= LEAST && failed > count / 2;
    return this.#isFailing !== wasFailing;
  }
}
