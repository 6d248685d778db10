import type { Clock } from '../../src/clock.js';

interface Timer {
  readonly at: number;
  readonly act: () => void;
}

/** A clock that goes only where a test sends it. */
export class FakeClock implements Clock {
  /** How many callers keep the process alive. */
  holds = 0;
  #elapsed = 0;
  #jumped = 0;
  readonly #timers = new Set<Timer>();

  now(): number {
    return Date.UTC(2026, 10, 20, 12) + this.#elapsed + this.#jumped;
  }

  elapsed(): number {
    return this.#elapsed;
  }

  after(ms: number, act: () => void): () => void {
    const timer = { at: this.#elapsed + ms, act };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  hold(): () => void {
    this.holds++;
    let isHeld = true;
    return () => {
      if (isHeld) this.holds--;
      isHeld = false;
    };
  }

  /** How long until each timer is due, nearest first. */
  get due(): number[] {
    return [...this.#timers].map(({ at }) => at - this.#elapsed).sort((a, b) => a - b);
  }

  /** Lets time pass, and what is due happen in order. */
  advance(ms: number): void {
    const until = this.#elapsed + ms;
    for (let next = this.#next(until); next !== undefined; next = this.#next(until)) {
      this.#timers.delete(next);
      this.#elapsed = Math.max(this.#elapsed, next.at);
      next.act();
    }
    this.#elapsed = until;
  }

  /** Somebody sets the machine's clock; no time passes. */
  jump(ms: number): void {
    this.#jumped += ms;
  }

  #next(until: number): Timer | undefined {
    return [...this.#timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
  }
}
