import type { Clock } from '../base/time/clock.js';

interface Timer {
  readonly at: number;
  readonly act: () => void;
}

/** A clock that stands still until it is advanced. */
export class ManualClock implements Clock {
  protected current: number;
  readonly #timers = new Set<Timer>();

  constructor(now: number) {
    this.current = now;
  }

  now(): number {
    return this.current;
  }

  wall(): number {
    return this.current;
  }

  after(ms: number, act: () => void): () => void {
    const timer = { at: this.current + ms, act };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  hold(): () => void {
    return () => {};
  }

  /** The times until each timer is due, in milliseconds, soonest first. */
  get due(): number[] {
    return [...this.#timers].map(({ at }) => at - this.current).sort((a, b) => a - b);
  }

  /** Advances the time and runs the timers that become due, in order. */
  advance(ms: number): void {
    const until = this.current + ms;
    while (this.#runNext(until));
    this.current = until;
  }

  /** Like `advance`, but lets the work that a timer starts finish before the next timer runs. */
  async pass(ms: number): Promise<void> {
    const until = this.current + ms;
    while (this.#runNext(until)) await settled();
    this.current = until;
    await settled();
  }

  /** Runs the next timer that is due by `until`, if there is one. */
  #runNext(until: number): boolean {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (timer.at <= until && (next === undefined || timer.at < next.at)) next = timer;
    if (next === undefined) return false;
    this.#timers.delete(next);
    this.current = Math.max(this.current, next.at);
    next.act();
    return true;
  }
}

// This is saved now, because a test may replace the global timers later. Jest's jsdom has no `setImmediate`.
const { setImmediate: soon = (act: () => void) => setTimeout(act, 0) } = globalThis as {
  setImmediate?: (act: () => void) => unknown;
};

/** Resolves after all promises and callbacks that are ready have run. */
export const settled = (): Promise<void> => new Promise((resolve) => void soon(resolve));
