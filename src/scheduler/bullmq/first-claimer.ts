import type { Clock } from '../../clock.js';
import type { Claimed } from '../../store/redis/claims.js';
import type { FirstAttempts } from '../../store/redis/first-attempts.js';
import type { Intervals } from '../../store/redis/intervals.js';
import type { Activity } from '../activity.js';

export interface FirstClaimerOptions {
  readonly firsts: FirstAttempts;
  readonly intervals: Intervals;
  readonly clock: Clock;
  readonly activity: Activity;
  /** Whether what becomes of an attempt can be put on record. */
  canRecord(): boolean;
  /** How many attempts may begin now. */
  room(): number;
  begin(claimed: Claimed): void;
  /** So many more are being claimed; so many less, once the answer is there. */
  onAsking(change: number): void;
  /** There may be fewer first attempts than was thought. */
  onClaimed(): void;
  onError(error: unknown): void;
}

/** Claims first attempts for as many requests as may begin, as long as there are any. Nothing polls: it is told of new ones. */
export class FirstClaimer {
  readonly #options: FirstClaimerOptions;
  #mayBeMore = true;
  #isClaiming = false;
  #isResting = false;

  constructor(options: FirstClaimerOptions) {
    this.#options = options;
  }

  /** Whether no first attempt is known of that waits. */
  get isEmpty(): boolean {
    return !this.#mayBeMore && !this.#isClaiming;
  }

  /** There may be something new. */
  look(): void {
    this.#mayBeMore = true;
    this.pump();
  }

  /** To be called when there may be room. */
  pump(): void {
    if (this.#isClaiming || this.#isResting || !this.#mayBeMore || this.#options.room() <= 0) return;
    if (this.#options.canRecord()) void this.#claim();
    else this.#rest();
  }

  async #claim(): Promise<void> {
    const { firsts, activity, room, begin, onAsking, onClaimed, onError } = this.#options;
    activity.begin();
    this.#isClaiming = true;
    // What comes in from now on may come too late for this one.
    this.#mayBeMore = false;
    let asked = 0;
    try {
      const claimed = await firsts.claim(() => {
        asked = Math.max(0, room());
        onAsking(asked);
        return asked;
      });
      onAsking(-asked);
      if (claimed.length === asked) this.#mayBeMore = true;
      for (const each of claimed) begin(each);
    } catch (error) {
      onAsking(-asked);
      this.#mayBeMore = true;
      this.#rest();
      onError(error);
    }
    this.#isClaiming = false;
    onClaimed();
    activity.end();
  }

  #rest(): void {
    this.#isResting = true;
    this.#options.clock.after(this.#options.intervals.restMs, () => {
      this.#isResting = false;
      this.pump();
    });
  }
}
