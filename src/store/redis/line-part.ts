import { isExpired, isWaiting } from '../../delivery/state.js';
import type { Stage } from '../event-store.js';
import type { DueItem, LineOptions } from '../line.js';
import type { Claimed } from './claims.js';
import type { Leases } from './leases.js';
import { entryAt } from './redis-index.js';
import { MOST_DELIVERIES } from './script-bounds.js';
import type { StorePart } from './shared-store.js';

export interface LinePartOptions
  extends Pick<LineOptions, 'url' | 'windowMs' | 'clock' | 'ahead' | 'onNews' | 'onError'> {
  readonly store: StorePart;
  /** Where the store is in partitions, which of them this is. */
  readonly partition?: number | undefined;
  /** How long it rests when Redis could not be asked, in ms. */
  readonly restMs: number;
  /** How many may be claimed now, when so many more may than may begin. */
  spare(ahead: number): number;
  /** So many more are being claimed; so many less, once the answer is there. */
  onAsking(change: number): void;
  /** Lets other processes take them at once. */
  putBack(ids: readonly string[]): void;
  /** Does work that never rejects. */
  begin(work: Promise<unknown>): void;
}

/** How long one that is claimed may wait for its request to begin, in ms: by then another process may have room for it. */
const AHEAD_MS = 250;

/**
 * What one partition has in the line of an endpoint. Claims, as they are taken in or from what waits: for as many requests as may begin,
 * and for a few more, so that many are claimed at once.
 */
export class LinePart {
  readonly store: StorePart;
  readonly leases: Leases;
  readonly #options: LinePartOptions;
  /** Claimed and not begun, the earliest first. */
  readonly #ready: Readonly<Record<Stage, Map<string, DueItem>>> = { first: new Map(), retry: new Map() };
  #mayBeMore = false;
  #isClaiming = false;
  #isResting = false;
  /** Until when no more are claimed than may begin, as requests take long. */
  #slowUntil = 0;
  #cancelWatch: (() => void) | undefined;

  constructor(options: LinePartOptions) {
    this.#options = options;
    this.store = options.store;
    this.leases = options.store.leases(options.url);
  }

  /** How many are claimed and have not begun. */
  get ready(): number {
    return this.#ready.first.size + this.#ready.retry.size;
  }

  /** What is taken in goes out at once, unless something waits before it. */
  start(): void {
    this.leases.room = () => (this.#mayBeMore || this.#isClaiming ? 0 : this.#room());
  }

  stop(): void {
    this.leases.room = () => 0;
    this.giveBack();
  }

  /** There may be something to claim. */
  look(): void {
    this.#mayBeMore = true;
  }

  /** Whether it was claimed as it was taken in. */
  accept(item: DueItem): boolean {
    if (!this.leases.takeOver(item.id)) return false;
    this.#ready.first.set(item.id, item);
    this.#watch();
    return true;
  }

  /** Nothing waits under this id any more. */
  withdraw(id: string): void {
    for (const ready of Object.values(this.#ready)) if (ready.delete(id)) this.leases.end(id);
  }

  take(stage: Stage): DueItem | undefined {
    for (const [id, item] of this.#ready[stage]) {
      this.#ready[stage].delete(id);
      // Where its lease is over, it is another's by now.
      if (this.leases.holds(id)) return item;
    }
    return undefined;
  }

  /** A script that claims one costs as much as one that claims many. */
  fill(): void {
    if (this.#isClaiming || this.#isResting || !this.#mayBeMore) return;
    const room = this.#room();
    if (room > 0 && room >= this.#ahead / 2) this.#options.begin(this.#claim());
  }

  /** Puts back what has not begun. */
  giveBack(): void {
    this.#cancelWatch?.();
    this.#cancelWatch = undefined;
    const ids = Object.values(this.#ready).flatMap((ready) => [...ready.keys()]);
    for (const ready of Object.values(this.#ready)) ready.clear();
    if (ids.length > 0) this.#options.putBack(ids);
  }

  get #ahead(): number {
    return this.#options.clock.now() < this.#slowUntil ? 0 : this.#options.ahead();
  }

  #room(): number {
    return this.#options.spare(this.#ahead);
  }

  /** What waits here for too long is for another process, and for a while nothing is claimed ahead. */
  #watch(): void {
    const { clock, restMs, onNews } = this.#options;
    const oldest = this.#oldest;
    if (this.#cancelWatch !== undefined || oldest === undefined) return;
    this.#cancelWatch = clock.after(AHEAD_MS, () => {
      this.#cancelWatch = undefined;
      if (this.#oldest !== oldest) return this.#watch();
      this.#slowUntil = clock.now() + restMs;
      this.giveBack();
      this.look();
      onNews();
    });
  }

  get #oldest(): string | undefined {
    const [first] = this.#ready.first.keys();
    const [retry] = this.#ready.retry.keys();
    return first ?? retry;
  }

  async #claim(): Promise<void> {
    this.#isClaiming = true;
    // What comes in from now on may come too late for this one.
    this.#mayBeMore = false;
    for (const claimed of await this.#ask()) this.#takeIn(claimed);
    this.#isClaiming = false;
    this.#options.onNews();
    this.#watch();
  }

  async #ask(): Promise<readonly Claimed[]> {
    const { url, windowMs, store, onAsking, onError } = this.#options;
    let asked = 0;
    const count = (): number => {
      asked = Math.min(MOST_DELIVERIES, Math.max(0, this.#room()));
      onAsking(asked);
      return asked;
    };
    try {
      const claimed = await store.connection.claims.ask({ keys: store.keys, url, windowMs, count });
      if (claimed.length >= asked) this.#mayBeMore = true;
      return claimed;
    } catch (error) {
      this.#mayBeMore = true;
      this.#rest();
      onError(error);
      return [];
    } finally {
      onAsking(-asked);
    }
  }

  #takeIn(claimed: Claimed): void {
    const { url, clock, windowMs, begin, partition } = this.#options;
    const { id, until, place } = claimed;
    const known = this.#read(claimed);
    if (known === 'unreadable') return;
    const entry = known && entryAt(url, known.event);
    if (known === undefined || entry === undefined) {
      begin(this.leases.drop(id, until).catch(() => undefined));
      return;
    }
    const { stage, at } = entry;
    this.leases.hold(id, { stage, place: stage === 'first' ? (place ?? String(at)) : String(at), until });
    const state = known.event.urls[url];
    const isOver =
      stage === 'retry' && state !== undefined && isWaiting(state) && isExpired(state, clock.now(), windowMs);
    // Without a body it is looked at first whether its window is over.
    const event = isOver ? undefined : { body: known.body, epoch: known.event.epoch };
    this.#ready[stage].set(id, { at, id, partition, ...event });
  }

  /** What cannot be read stays claimed until its lease runs out: then a process that can may have it, and the next report is due. */
  #read(claimed: Claimed): ReturnType<StorePart['noteClaimed']> | 'unreadable' {
    try {
      return this.store.noteClaimed(this.#options.url, claimed);
    } catch (error) {
      this.#options.onError(error);
      return 'unreadable';
    }
  }

  #rest(): void {
    const { clock, restMs, onNews } = this.#options;
    this.#isResting = true;
    clock.after(restMs, () => {
      this.#isResting = false;
      onNews();
    });
  }
}
