import type { Clock } from '../../src/delivery/clock.js';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that stands still until it is told to go on. */
export class SimulatedClock implements Clock {
  #now: number;
  readonly #timers = new Set<Timer>();

  constructor(now = Date.parse('2026-11-20T12:00:00.000Z')) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Goes on by `ms`, calling back on the way; what the callbacks begin is given the time to get somewhere. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (let next = this.#earliest(until); next !== undefined; next = this.#earliest(until)) {
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
      await settled();
    }
    this.#now = until;
    await settled();
  }

  #earliest(until: number): Timer | undefined {
    let earliest: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.at <= until && (earliest === undefined || timer.at < earliest.at)) earliest = timer;
    }
    return earliest;
  }
}

/** Lets everything run that waits for nothing but its turn. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
