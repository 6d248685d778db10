import { ManualClock } from '../../src/testing/manual-clock.js';

export { settled } from '../../src/testing/manual-clock.js';

/** A clock that goes only where a test sends it. */
export class FakeClock extends ManualClock {
  /** How many callers keep the process alive. */
  holds = 0;
  readonly #start: number;
  #jumped = 0;

  constructor(now = Date.parse('2026-11-20T12:00:00.000Z')) {
    super(now);
    this.#start = now;
  }

  /** How much time has passed, in ms. */
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

  /** The process is stopped for so long: what was due meanwhile happens afterwards, when it is late. */
  freeze(ms: number): void {
    this.current += ms;
    this.advance(0);
  }

  /** Somebody sets the machine's clock; no time passes. */
  jump(ms: number): void {
    this.#jumped += ms;
  }
}
