import type { Clock } from '../../clock.js';
import type { Intervals } from '../../store/redis/intervals.js';
import type { SharedStore } from '../../store/redis/shared-store.js';

export interface BacklogCountOptions {
  readonly url: string;
  readonly store: SharedStore;
  readonly intervals: Intervals;
  readonly clock: Clock;
  /** How many have waited since before this process. */
  readonly backlog: number;
  /** Given how many first attempts no process has claimed. */
  onCounted(unclaimed: number): void;
  onError(error: unknown): void;
}

/** How soon it is counted again where the last one seems to be gone, in ms. */
const COUNT_SOON_MS = 100;

/** How many deliveries wait for one URL: as the store counted them last, and what this process has done since. */
export class BacklogCount {
  readonly #options: BacklogCountOptions;
  #waiting: number;
  #oldestDue: number | undefined;
  /** How many came in while those in the store are being counted. */
  #acceptedMeanwhile = 0;
  #isCounting = false;
  #isCountWanted = false;
  #isStopped = false;
  #cancel: (() => void) | undefined;

  constructor(options: BacklogCountOptions) {
    this.#options = options;
    this.#waiting = options.backlog;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get oldestDue(): number | undefined {
    return this.#oldestDue;
  }

  start(): void {
    void this.#count();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  accept(at: number): void {
    this.#waiting++;
    this.#acceptedMeanwhile++;
    this.#oldestDue = Math.min(at, this.#oldestDue ?? at);
  }

  /** That the last one is gone is for the store to say: what others took and what it counted may overlap. */
  forget(): void {
    if (this.#waiting > 1) this.#waiting--;
    else this.#countSoon();
  }

  /** The count that found nothing may have come while something was in flight. */
  confirmNone(): void {
    if (this.#waiting === 0) this.#countSoon();
  }

  #countSoon(): void {
    if (this.#isCountWanted) return;
    this.#isCountWanted = true;
    if (!this.#isCounting) this.#countIn(COUNT_SOON_MS);
  }

  #countIn(ms: number): void {
    this.#cancel?.();
    if (!this.#isStopped) this.#cancel = this.#options.clock.after(ms, () => void this.#count());
  }

  /** Takes over what the store has, and does so again and again. */
  async #count(): Promise<void> {
    const { store, url, intervals, onCounted, onError } = this.#options;
    this.#isCounting = true;
    this.#isCountWanted = false;
    this.#acceptedMeanwhile = 0;
    try {
      const { first, retry, unclaimed, oldestDue } = await store.counts.of(url);
      // What came in meanwhile may be in there or not; rather too many than too few.
      this.#waiting = first + retry + this.#acceptedMeanwhile;
      this.#oldestDue = oldestDue;
      onCounted(unclaimed);
    } catch (error) {
      onError(error);
    }
    this.#isCounting = false;
    this.#countIn(this.#isCountWanted ? COUNT_SOON_MS : intervals.countMs);
  }
}
