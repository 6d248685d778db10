import type { EventKey, Stage } from '../store/event-store.js';
import { type DueItem, type Leased, type Line, MOST_TAKEN, type TakenDelivery } from '../store/line.js';
import { textOfKey } from '../store/queue-key.js';
import type { QueueOptions } from './queue.js';

export interface ClaimedLineOptions extends Pick<QueueOptions, 'clock' | 'ahead' | 'onNews' | 'onError'> {
  readonly line: Line;
  /** Returns how many deliveries may be taken now, if `ahead` more of them may be taken than can start. */
  spare(ahead: number): number;
  /** Runs work in the background. If it fails, leases run out. */
  begin(work: Promise<unknown>): void;
}

/** How long a taken delivery may wait for its request to start, in ms. After that, another process may have room for it. */
const AHEAD_MS = 250;

/** How long nothing is taken after the engine could not be asked, and nothing ahead after requests took long, in ms. */
export const REST_MS = 5_000;

/**
 * The deliveries that this process has taken from one line and not started. It takes as many as can start and a few more, because
 * taking many costs the engine no more than taking one.
 */
export class ClaimedLine {
  readonly line: Line;
  readonly #options: ClaimedLineOptions;
  /** The earliest first, by the text of their keys. */
  readonly #ready: Readonly<Record<Stage, Map<string, Leased>>> = { first: new Map(), retry: new Map() };
  #mayBeMore = false;
  /** The number of deliveries that the engine is asked for. */
  #asked = 0;
  /** Deliveries that are being stored and may be taken, or are taken but not accepted yet. */
  #reserved = 0;
  /** Since when the engine has failed each time, in ms since 1970; undefined after a success. What was due then is still due. */
  failingSince: number | undefined;
  #isClaiming = false;
  #isResting = false;
  #isStopped = false;
  /** Until this time nothing is taken ahead, because requests take long. */
  #slowUntil = 0;
  #cancelWatch: (() => void) | undefined;

  constructor(options: ClaimedLineOptions) {
    this.#options = options;
    this.line = options.line;
  }

  /** The number of deliveries that take up room although they have not started: they are taken, asked for, or reserved. */
  get held(): number {
    return this.#ready.first.size + this.#ready.retry.size + this.#asked + this.#reserved;
  }

  /** A new delivery may be taken while its message is being stored, unless others wait before it. */
  reserve(most: number): number {
    const isFree = !this.#isStopped && !this.#mayBeMore && !this.#isClaiming;
    const reserved = isFree ? Math.max(0, Math.min(most, this.#room())) : 0;
    this.#reserved += reserved;
    return reserved;
  }

  free(count: number): void {
    this.#reserved = Math.max(0, this.#reserved - count);
  }

  /** Notes that there may be deliveries to take. */
  look(): void {
    this.#mayBeMore = true;
  }

  /** Takes up a delivery that was taken while its message was being stored, or looks for it. */
  accept(item: DueItem, hasRoom: boolean): void {
    const isHeld = this.line.accept(item, hasRoom);
    if (isHeld === undefined) this.look();
    else {
      this.free(1);
      this.#keep({ item, stage: 'first', isHeld });
      this.#watch();
    }
  }

  /** Ensures that the delivery is no longer taken. Returns true if it was ready. */
  withdraw(key: EventKey): boolean {
    const name = textOfKey(key);
    const wasReady = Object.values(this.#ready).some((ready) => ready.delete(name));
    if (wasReady) this.line.settle(key);
    return wasReady;
  }

  take(stage: Stage): TakenDelivery | undefined {
    for (const [name, leased] of this.#ready[stage]) {
      this.#ready[stage].delete(name);
      if (leased.isHeld()) return leased;
      // Another process may have taken it by now.
      this.line.settle(leased.item);
    }
    return undefined;
  }

  /** Takes more once half of the room for taking ahead is free, because taking one costs as much as taking many. */
  fill(): void {
    if (this.#isClaiming || this.#isResting || this.#isStopped || !this.#mayBeMore) return;
    const room = this.#room();
    if (room > 0 && room >= this.#ahead / 2) this.#options.begin(this.#claim());
  }

  stop(): void {
    this.#isStopped = true;
    this.line.close();
    this.#giveBack();
  }

  /** Puts back deliveries that have not started. */
  #giveBack(): void {
    this.#cancelWatch?.();
    this.#cancelWatch = undefined;
    const items = Object.values(this.#ready).flatMap((ready) => [...ready.values()].map(({ item }) => item));
    for (const ready of Object.values(this.#ready)) ready.clear();
    if (items.length > 0) this.#options.begin(this.line.putBack(items));
  }

  get #ahead(): number {
    return this.#options.clock.now() < this.#slowUntil ? 0 : this.#options.ahead();
  }

  #room(): number {
    return this.#options.spare(this.#ahead);
  }

  #keep(leased: Leased): void {
    this.#ready[leased.stage].set(textOfKey(leased.item), leased);
  }

  /** Puts back deliveries that have waited too long, for other processes. For a while nothing is taken ahead. */
  #watch(): void {
    const { clock, onNews } = this.#options;
    const oldest = this.#oldest;
    if (this.#cancelWatch !== undefined || oldest === undefined) return;
    this.#cancelWatch = clock.after(AHEAD_MS, () => {
      this.#cancelWatch = undefined;
      if (this.#oldest !== oldest) return this.#watch();
      this.#slowUntil = clock.now() + REST_MS;
      this.#giveBack();
      this.look();
      onNews();
    });
  }

  get #oldest(): Leased | undefined {
    const [first] = this.#ready.first.values();
    const [retry] = this.#ready.retry.values();
    return first ?? retry;
  }

  async #claim(): Promise<void> {
    this.#isClaiming = true;
    // The engine may miss deliveries that arrive from now on.
    this.#mayBeMore = false;
    for (const leased of await this.#ask()) this.#keep(leased);
    this.#isClaiming = false;
    if (this.#isStopped) return this.#giveBack();
    this.#options.onNews();
    this.#watch();
  }

  async #ask(): Promise<readonly Leased[]> {
    const most = (): number => {
      this.#asked = Math.min(MOST_TAKEN, Math.max(0, this.#room()));
      return this.#asked;
    };
    try {
      const taken = await this.line.take(most);
      this.failingSince = undefined;
      if (taken.length >= this.#asked) this.#mayBeMore = true;
      return taken;
    } catch (error) {
      this.#mayBeMore = true;
      this.failingSince ??= this.#options.clock.now();
      this.#rest();
      this.#options.onError(error);
      return [];
    } finally {
      this.#asked = 0;
    }
  }

  #rest(): void {
    this.#isResting = true;
    this.#options.clock.after(REST_MS, () => {
      this.#isResting = false;
      this.#options.onNews();
    });
  }
}
