import type { Clock } from '../../clock.js';
import type { Claimed } from '../../store/redis/claims.js';
import type { FirstAttempts } from '../../store/redis/first-attempts.js';
import type { Intervals } from '../../store/redis/intervals.js';
import type { Activity } from '../activity.js';
import type { DueItem } from '../ready-queue.js';
import { TurnBudget } from '../turn-budget.js';

export interface FirstClaimerOptions {
  readonly firsts: FirstAttempts;
  readonly intervals: Intervals;
  readonly clock: Clock;
  readonly activity: Activity;
  /** Whether attempts may be made at all, and what becomes of one can be put on record. */
  mayBegin(): boolean;
  /** How many attempts may begin now. */
  room(): number;
  /** How many more than that may be claimed, as there will soon be room for them. */
  ahead(): number;
  /** How many may be claimed now, when so many more may than may begin. */
  spare(ahead: number): number;
  /** So many more are being claimed; so many less, once the answer is there. */
  onAsking(change: number): void;
  /** Reads what was claimed; undefined when it is gone. */
  read(claimed: Claimed): DueItem | undefined;
  begin(item: DueItem): void;
  /** Lets other processes take them at once. */
  putBack(ids: readonly string[]): void;
  /** There may be fewer first attempts than was thought. */
  onClaimed(): void;
  onError(error: unknown): void;
}

/** How long one that is claimed may wait for its request to begin, in ms: by then another process may have room for it. */
const AHEAD_MS = 250;

/** One for all endpoints, as the process has one event loop. */
const turnBudget = new TurnBudget();

/**
 * Claims first attempts, as they are taken in or from what waits: for as many requests as may begin, and for a few more, so that
 * many are claimed at once. Nothing polls: it is told of new ones.
 */
export class FirstClaimer {
  readonly #options: FirstClaimerOptions;
  /** Claimed and not begun, the earliest first. */
  readonly #ready = new Map<string, DueItem>();
  #mayBeMore = true;
  #isClaiming = false;
  #isResting = false;
  /** Until when no more are claimed than may begin, as requests take long. */
  #slowUntil = 0;
  #cancelWatch: (() => void) | undefined;
  readonly #beginAgain = (): void => this.#beginReady();

  constructor(options: FirstClaimerOptions) {
    this.#options = options;
  }

  /** Whether no first attempt is known of that waits. */
  get isEmpty(): boolean {
    return this.#ready.size === 0 && this.#hasAll;
  }

  /** How many are claimed and have not begun. */
  get ready(): number {
    return this.#ready.size;
  }

  /** What is taken in goes out at once, unless something waits before it. */
  start(): void {
    const { firsts, mayBegin } = this.#options;
    firsts.room = () => (this.#hasAll && mayBegin() ? this.#room() : 0);
  }

  /** There may be something new. */
  look(): void {
    this.#mayBeMore = true;
    this.pump();
  }

  /** Whether it was claimed as it was taken in. */
  accept(item: DueItem): boolean {
    if (!this.#options.firsts.takeOver(item.id)) return false;
    this.#ready.set(item.id, item);
    // It was told to pause or to stop meanwhile.
    if (this.#options.mayBegin()) this.#beginReady();
    else this.giveBack();
    this.#watch();
    return true;
  }

  /** To be called when there may be room. */
  pump(): void {
    this.#beginReady();
    if (this.#isClaiming || this.#isResting || !this.#mayBeMore) return;
    // A script that claims one costs as much as one that claims many.
    const room = this.#room();
    if (room <= 0 || room < this.#ahead / 2) return;
    if (this.#options.mayBegin()) void this.#claim();
    else this.#rest();
  }

  /** Puts back what has not begun. */
  giveBack(): void {
    this.#cancelWatch?.();
    this.#cancelWatch = undefined;
    if (this.#ready.size === 0) return;
    const ids = [...this.#ready.keys()];
    this.#ready.clear();
    this.#options.putBack(ids);
  }

  get #hasAll(): boolean {
    return !this.#mayBeMore && !this.#isClaiming;
  }

  get #ahead(): number {
    return this.#options.clock.now() < this.#slowUntil ? 0 : this.#options.ahead();
  }

  #room(): number {
    return this.#options.spare(this.#ahead);
  }

  /** What waits here for too long is for another process, and for a while nothing is claimed ahead. */
  #watch(): void {
    const { clock, intervals } = this.#options;
    const [first] = this.#ready.keys();
    if (this.#cancelWatch !== undefined || first === undefined) return;
    this.#cancelWatch = clock.after(AHEAD_MS, () => {
      this.#cancelWatch = undefined;
      if (!this.#ready.has(first)) return this.#watch();
      this.#slowUntil = clock.now() + intervals.restMs;
      this.giveBack();
      this.look();
    });
  }

  #beginReady(): void {
    const { room, begin, firsts } = this.#options;
    for (const [id, item] of this.#ready) {
      if (room() <= 0 || !turnBudget.hasRoom(this.#beginAgain)) return;
      this.#ready.delete(id);
      // Where its lease is over, it is another's by now.
      if (!firsts.holds(id)) continue;
      turnBudget.begin();
      begin(item);
    }
  }

  async #claim(): Promise<void> {
    const { firsts, activity, read, onAsking, onClaimed, onError } = this.#options;
    activity.begin();
    this.#isClaiming = true;
    // What comes in from now on may come too late for this one.
    this.#mayBeMore = false;
    let asked = 0;
    try {
      const claimed = await firsts.claim(() => {
        asked = Math.max(0, this.#room());
        onAsking(asked);
        return asked;
      });
      onAsking(-asked);
      if (claimed.length === asked) this.#mayBeMore = true;
      for (const each of claimed) {
        const item = read(each);
        if (item !== undefined) this.#ready.set(item.id, item);
      }
    } catch (error) {
      onAsking(-asked);
      this.#mayBeMore = true;
      this.#rest();
      onError(error);
    }
    this.#isClaiming = false;
    // It was told to pause or to stop meanwhile.
    if (this.#options.mayBegin()) this.#beginReady();
    else this.giveBack();
    onClaimed();
    this.#watch();
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
