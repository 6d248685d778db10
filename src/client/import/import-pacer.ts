import type { Clock } from '../../base/time/clock.js';

/** The longest delay that an import makes up for, in ms. */
const CATCH_UP_MS = 1_000;

/** Lets `rate` rows per second pass, spread evenly. After a delay, at most one second's rows pass at once. */
export class ImportPacer {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  /** The time at which the next row is due, in ms. */
  #dueAt: number;
  /** Cancels the timer of the waiting row when the import ends. */
  cancel: () => void = () => {};

  /** @param rate in rows per second */
  constructor(rate: number, clock: Clock) {
    this.#clock = clock;
    this.#intervalMs = 1_000 / rate;
    this.#dueAt = clock.now();
  }

  /** Resolves when the next row may pass; undefined if it may pass now. */
  next(): Promise<void> | undefined {
    const now = this.#clock.now();
    this.#dueAt = Math.max(this.#dueAt, now - Math.max(0, CATCH_UP_MS - this.#intervalMs));
    const waitMs = this.#dueAt - now;
    this.#dueAt += this.#intervalMs;
    if (waitMs <= 0) return undefined;
    return new Promise((resolve) => {
      this.cancel = this.#clock.after(waitMs, resolve);
    });
  }
}
