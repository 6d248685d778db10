import type { Clock } from '../../base/time/clock.js';

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/**
 * Returns the pause after the nth failure in a row, in milliseconds: a random time from 0 to 0.5 s × 2ⁿ⁻¹, at most 30 s. The
 * whole range is used (full jitter), so that many clients that failed together do not return together.
 *
 * @param chance a random number in [0, 1)
 */
export function backoffMs(failures: number, chance: number): number {
  return chance * Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
}

interface BreakerWaiter {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

type BreakerState =
  /** Every request passes. */
  | 'closed'
  /** No request passes until the pause is over. */
  | 'open'
  /** The pause is over: one request may pass as a probe, and its result decides for all. */
  | 'half-open'
  /** The probe is on its way. */
  | 'probing';

/**
 * The circuit breaker of a client, which every request passes before it is sent. One failure pauses all requests. A collector
 * that is down gets one request at a time, at growing intervals; when it answers again, all requests continue.
 */
export class CircuitBreaker {
  /** The number of failures in a row. A request reports this number with its result, so that an outdated result is ignored. */
  failures = 0;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #waiters: BreakerWaiter[] = [];
  #state: BreakerState = 'closed';
  #pausedUntil = 0;
  /** The time until which the collector wants no requests. It is never later than the end of the pause. */
  #orderedUntil = 0;
  #cancelTimer: () => void = () => {};
  #closed: Error | undefined;

  constructor({ clock, random }: { clock: Clock; random: () => number }) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Returns undefined if a request may pass at once, which is nearly always the case; otherwise a promise to wait for. */
  pass(): Promise<void> | undefined {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    if (this.#state === 'closed') return undefined;
    if (this.#state === 'half-open') {
      this.#state = 'probing';
      return undefined;
    }
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  /** Called when a response shows that the collector works. */
  succeeded(failuresBefore: number): void {
    if (this.#state === 'closed' || failuresBefore !== this.failures) return;
    this.#cancelTimer();
    this.#state = 'closed';
    this.failures = 0;
    for (const { resolve } of this.#waiters.splice(0)) resolve();
  }

  /** Pauses all requests, at least for as long as the collector ordered. Returns the milliseconds from now. */
  failed(failuresBefore: number, orderedMs: number | undefined): number {
    const now = this.#clock.now();
    // Concurrent requests fail together, which counts as one failure. An ordered pause that arrives while a probe is under way
    // counts as another one, because its request was sent before the probe.
    const isCounted = failuresBefore === this.failures || (orderedMs !== undefined && this.#state === 'probing');
    if (isCounted) {
      this.failures++;
      this.#pauseUntil(now + backoffMs(this.failures, this.#random()));
    }
    if (orderedMs !== undefined) {
      this.#orderedUntil = Math.max(this.#orderedUntil, now + orderedMs);
      this.#pauseUntil(this.#orderedUntil);
    }
    return Math.max(0, this.#pausedUntil - now);
  }

  /** Called when a request that passed sends nothing after all, so that another one may be the probe. */
  withdrawn(failuresBefore: number): void {
    if (this.#state === 'probing' && failuresBefore === this.failures) this.#endPause();
  }

  /** Time is running out: tries once now, or as soon as the collector has allowed it. */
  hurry(): void {
    if (this.#state !== 'open' || this.#closed !== undefined) return;
    if (this.#orderedUntil > this.#clock.now()) this.#setPause(this.#orderedUntil);
    else this.#endPause();
  }

  /** Lets no more requests pass, and rejects those that wait. */
  close(error: Error): void {
    this.#closed = error;
    this.#cancelTimer();
    for (const { reject } of this.#waiters.splice(0)) reject(error);
  }

  #pauseUntil(until: number): void {
    if (this.#closed !== undefined) return;
    if (this.#state === 'open' && until <= this.#pausedUntil) return;
    this.#setPause(until);
  }

  #setPause(until: number): void {
    this.#cancelTimer();
    this.#state = 'open';
    this.#pausedUntil = until;
    this.#cancelTimer = this.#clock.after(until - this.#clock.now(), () => this.#endPause());
  }

  #endPause(): void {
    this.#cancelTimer();
    const first = this.#waiters.shift();
    this.#state = first === undefined ? 'half-open' : 'probing';
    first?.resolve();
  }
}
