import type { Clock } from '../../src/clock.js';

interface Timer {
  readonly at: number;
  readonly act: () => void;
}

/** A clock that goes only where a test sends it. */
export class FakeClock implements Clock {
  /** How many callers keep the process alive. */
  holds = 0;
  readonly #start: number;
  #now: number;
  #jumped = 0;
  readonly #timers = new Set<Timer>();

  constructor(now = Date.parse('2026-11-20T12:00:00.000Z')) {
    this.#start = now;
    this.#now = now;
  }

  /** How much time has passed, in ms. */
  get passed(): number {
    return this.#now - this.#start;
  }

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#now + this.#jumped;
  }

  after(ms: number, act: () => void): () => void {
    const timer = { at: this.#now + ms, act };
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
    return [...this.#timers].map(({ at }) => at - this.#now).sort((a, b) => a - b);
  }

  /** Lets time pass, and what is due happen in order. */
  advance(ms: number): void {
    const until = this.#now + ms;
    while (this.#runNext(until));
    this.#now = until;
  }

  /** The same, and what a timer begins is given the time to get somewhere before the next one. */
  async pass(ms: number): Promise<void> {
    const until = this.#now + ms;
    while (this.#runNext(until)) await settled();
    this.#now = until;
    await settled();
  }

  /** The process is stopped for so long: what was due meanwhile happens afterwards, when it is late. */
  freeze(ms: number): void {
    this.#now += ms;
    while (this.#runNext(this.#now));
  }

  /** Somebody sets the machine's clock; no time passes. */
  jump(ms: number): void {
    this.#jumped += ms;
  }

  /** Runs the next timer that is due by then, if there is one. */
  #runNext(until: number): boolean {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (timer.at <= until && (next === undefined || timer.at < next.at)) next = timer;
    if (next === undefined) return false;
    this.#timers.delete(next);
    this.#now = Math.max(this.#now, next.at);
    next.act();
    return true;
  }
}

/** Lets everything run that waits for nothing but its turn. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
