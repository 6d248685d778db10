import type { Clock } from '../../base/time/clock.js';

/** How far behind its time an import may be and still catch up, in milliseconds: messages missed longer ago stay missed. */
const CATCH_UP_MS = 1_000;

/** Lets so many rows a second pass, evenly, and after a delay at most those of one second at once. */
export class Pacer {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  /** When the next row is due. */
  #dueAt: number;
  /** Ends the timer of a row that is not waited for any more. */
  cancel: () => void = () => {};

  /** @param rate rows a second */
  constructor(rate: number, clock: Clock) {
    this.#clock = clock;
    this.#intervalMs = 1_000 / rate;
    this.#dueAt = clock.now();
  }

  /** Undefined when the next row may pass at once. */
  next(): Promise<void> | undefined {
    const now = this.#clock.now();
    this.#dueAt = Math.max(this.#dueAt, now - Math.max(0, CATCH_UP_MS - this.#intervalMs));
    const waitMs = this.#dueAt - now;
    this.#dueAt += this.#intervalMs;
    return waitMs > 0 ? this.#wait(waitMs) : undefined;
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.cancel = this.#clock.after(ms, resolve);
    });
  }
}
