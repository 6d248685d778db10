import { ManualClock } from '../../src/testing/manual-clock.js';

export { settled } from '../../src/testing/manual-clock.js';

/** A clock that moves only when a test advances it. */
export class FakeClock extends ManualClock {
  /** The number of callers that keep the process alive. */
  holds = 0;
  readonly #start: number;
  #jumped = 0;

  constructor(now = Date.parse('2026-11-20T12:00:00.000Z')) {
    super(now);
    this.#start = now;
  }

  /** The time that has passed, in ms. */
  get passed(): number {
    return this.now() - this.#start;
  }

  override wall(): number {
    return this.now() + this.#jumped;
  }

  override hold(): () => void {
    this.holds++;
    let isHeld = true;
    return () => {
      if (isHeld) this.holds--;
      isHeld = false;
    };
  }

  /** Simulates that the process is stopped for `ms` milliseconds: what became due meanwhile runs afterwards, late. */
  freeze(ms: number): void {
    this.current += ms;
    this.advance(0);
  }

  /** Simulates that somebody sets the machine's clock. No time passes. */
  jump(ms: number): void {
    this.#jumped += ms;
  }
}
