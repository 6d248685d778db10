import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

export interface Delays {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const RESOLUTION_MS = 20;
/** What is told is of the last minute or two, so that an hour-old stall does not stay in sight. */
const WINDOW_MS = 60_000;

/** How late the event loop comes to what is due. */
export class EventLoop {
  readonly #now: () => number;
  #current: IntervalHistogram;
  #before: IntervalHistogram | undefined;
  #turnAt: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#current = start();
    this.#turnAt = now() + WINDOW_MS;
  }

  /** In ms, beyond the interval at which it is measured. */
  delays(): Delays {
    this.#turn();
    const { p50, p99, max } = this.#current.count > 0 ? read(this.#current) : { p50: 0, p99: 0, max: 0 };
    return { p50, p99, max: Math.max(max, this.#before === undefined ? 0 : read(this.#before).max) };
  }

  stop(): void {
    this.#current.disable();
  }

  #turn(): void {
    if (this.#now() < this.#turnAt) return;
    this.#turnAt = this.#now() + WINDOW_MS;
    this.#current.disable();
    this.#before = this.#current;
    this.#current = start();
  }
}

function start(): IntervalHistogram {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return histogram;
}

const read = (histogram: IntervalHistogram): Delays => ({
  p50: late(histogram.percentile(50)),
  p99: late(histogram.percentile(99)),
  max: late(histogram.max),
});

/** From the nanoseconds between two measurements. */
const late = (ns: number): number => Math.max(0, Math.round((ns / 1e6 - RESOLUTION_MS) * 100) / 100);
