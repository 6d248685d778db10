import type { Clock } from '../base/time/clock.js';
import { afterFailure, type Breaker, CLOSED, probe } from './breaker.js';
import { RULES } from './outcome.js';
import type { Attempt } from './state.js';

/** Most of the last attempts at an endpoint failed. */
export interface Failing {
  readonly failed: number;
  /** Of how many. */
  readonly attempts: number;
  /** The one that failed last. */
  readonly last: Attempt;
}

export interface HealthOptions {
  readonly clock: Clock;
  /** From 0 up to, but not, 1. */
  random(): number;
  /** The circuit breaker has changed its state. */
  onBreaker(breaker: Breaker): void;
  /** Most attempts fail from now on; undefined: no longer. */
  onFailing(failing: Failing | undefined): void;
}

/** How an endpoint does, by its attempts in this process. */
export class Health {
  readonly #options: HealthOptions;
  readonly #recent = new RecentAttempts();
  #breaker: Breaker = CLOSED;

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  get breaker(): Breaker {
    return this.#breaker;
  }

  get isFailing(): boolean {
    return this.#recent.isFailing;
  }

  /** Half opens the breaker if it has been open for long enough. */
  probe(): Breaker {
    this.#turn(probe(this.#breaker, this.#options.clock.now()));
    return this.#breaker;
  }

  judge(attempt: Attempt, wasProbe: boolean): void {
    const { verdict } = RULES[attempt.result];
    this.#note(attempt, verdict !== 'delivered');
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
    this.#options.onFailing(isFailing ? { failed, attempts, last: attempt } : undefined);
  }

  #turn(breaker: Breaker): void {
    const before = this.#breaker;
    this.#breaker = breaker;
    if (breaker.phase !== before.phase) this.#options.onBreaker(breaker);
  }
}

/** How many attempts are looked back on. */
const WINDOW = 10;

/** Fewer failures say nothing: one alone may be all there was. */
const LEAST = 3;

/** Once failing, it stays so until fewer than this share failed, so that an endpoint that fails half the time is one thing. */
const SHARE_TO_RECOVER = 0.3;

/** Whether the last attempts at an endpoint failed, whatever the reason: a 404 as well as a timeout. */
export class RecentAttempts {
  readonly #failures: boolean[] = [];
  #failed = 0;
  #isFailing = false;

  /** Whether most of them failed. */
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
    const { count, failed } = this;
    this.#isFailing = wasFailing ? failed > count * SHARE_TO_RECOVER : failed >= LEAST && failed > count / 2;
    return this.#isFailing !== wasFailing;
  }
}
