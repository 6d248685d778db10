import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface Delays {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const RESOLUTION_MS = 20;

/** How long delays are kept, in ms. The result covers one to two such windows, because older stalls are no longer of interest. */
const WINDOW_MS = 60_000;

/** Measures the delay of the event loop. */
export class EventLoop {
  readonly #now: () => number;
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #maxBefore = 0;
  #turnAt: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#turnAt = now() + WINDOW_MS;
    this.#histogram.enable();
  }

  /** Returns the delays in ms, without the interval between two measurements. */
  delays(): Delays {
    if (this.#now() >= this.#turnAt) this.#turn();
    const { p50, p99, max } = this.#read();
    return { p50, p99, max: Math.max(max, this.#maxBefore) };
  }

  stop(): void {
    this.#histogram.disable();
  }

  #turn(): void {
    this.#turnAt = this.#now() + WINDOW_MS;
    this.#maxBefore = this.#read().max;
    this.#histogram.reset();
  }

  #read(): Delays {
    const histogram = this.#histogram;
    if (histogram.count === 0) return { p50: 0, p99: 0, max: 0 };
    return { p50: late(histogram.percentile(50)), p99: late(histogram.percentile(99)), max: late(histogram.max) };
  }
}

/** Converts the nanoseconds between two measurements to the delay in ms. */
const late = (ns: number): number => Math.max(0, Math.round((ns / 1e6 - RESOLUTION_MS) * 100) / 100);
