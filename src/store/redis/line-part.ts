import { isExpired, isWaiting } from '../../delivery/state.js';
import type { Stage } from '../event-store.js';
import type { DueItem, LineOptions, StoreWithLines } from '../line.js';
import type { Claimed } from './claims.js';
import { LaneRepair } from './lane-repair.js';
import type { Leases } from './leases.js';
import type { RedisCounts } from './redis-counts.js';
import { entryAt } from './redis-index.js';
import { MOST_DELIVERIES } from './script-bounds.js';
import type { StorePart } from './store-part.js';

/** What a line needs of its store: the parts by partition, and the count of all of them. */
export interface LineStore extends StoreWithLines {
  readonly parts: readonly [StorePart, ...StorePart[]];
  readonly counts: Pick<RedisCounts, 'of'>;
}

export interface LinePartOptions
  extends Pick<LineOptions, 'url' | 'windowMs' | 'clock' | 'ahead' | 'onNews' | 'onError'> {
  readonly store: StorePart;
  /** The number of this partition; undefined if the store has only one. */
  readonly partition?: number | undefined;
  /** How long this part pauses after Redis could not be asked, in ms. */
  readonly restMs: number;
  /** Returns how many deliveries may be claimed now, if `ahead` more of them may be claimed than can start. */
  spare(ahead: number): number;
  /** Puts deliveries back, so that other processes can claim them at once. */
  putBack(ids: readonly string[]): void;
  /** Runs work in the background. The promise must not reject. */
  begin(work: Promise<unknown>): void;
}

/** How long a claimed delivery may wait for its request to start, in ms. After that, another process may have room for it. */
const AHEAD_MS = 250;

/** The most unreadable deliveries that a part remembers. */
const MOST_UNREADABLE = 1_000;

/**
 * One partition's part of an endpoint's line. It claims deliveries while their messages are being stored, or from those that
 * wait. It claims as many as can start and a few more, because a script that claims many costs no more than one that claims one.
 */
export class LinePart {
  readonly store: StorePart;
  readonly leases: Leases;
  readonly #options: LinePartOptions;
  /** Claimed deliveries that have not started, the earliest first. */
  readonly #ready: Readonly<Record<Stage, Map<string, DueItem>>> = { first: new Map(), retry: new Map() };
  #mayBeMore = false;
  /** The number of deliveries that are being claimed. */
  #asked = 0;
  #failingSince: number | undefined;
  #isClaiming = false;
  #isResting = false;
  /** Until this time nothing is claimed ahead, because requests take long. */
  #slowUntil = 0;
  #cancelWatch: (() => void) | undefined;
  #laneRepair: LaneRepair | undefined;
  /** Claimed deliveries that cannot be read. They stay claimed, and do not block their lanes. */
  #unreadable: Set<string> | undefined;

  constructor(options: LinePartOptions) {
    this.#options = options;
    this.store = options.store;
    this.leases = options.store.leases(options.url);
  }

  /** The number of deliveries that take up room although they have not started: they are claimed, being claimed, or reserved. */
  get held(): number {
    return this.#ready.first.size + this.#ready.retry.size + this.#asked + this.leases.reserved;
  }

  /** Since when every claim has failed, in ms since 1970; undefined after a success. What was due then is still due. */
  get failingSince(): number | undefined {
    return this.#failingSince;
  }

  /** From now on, a new delivery may be claimed while its message is being stored, unless others wait before it. */
  start(): void {
    this.leases.room = () => (this.#mayBeMore || this.#isClaiming ? 0 : this.#room());
  }

  stop(): void {
    this.leases.room = () => 0;
    this.giveBack();
  }

  /** Notes that there may be deliveries to claim. */
  look(): void {
    this.#mayBeMore = true;
  }

  /** Takes over the delivery if it was claimed while its message was being stored; otherwise returns false. */
  accept(item: DueItem): boolean {
    if (!this.leases.takeOver(item.id)) return false;
    this.#ready.first.set(item.id, item);
    this.#watch();
    return true;
  }

  /** Ensures that the delivery is no longer taken. Returns true if it was ready. */
  withdraw(id: string): boolean {
    const wasReady = Object.values(this.#ready).some((ready) => ready.delete(id));
    if (wasReady) this.leases.end(id);
    return wasReady;
  }

  take(stage: Stage): DueItem | undefined {
    for (const [id, item] of this.#ready[stage]) {
      this.#ready[stage].delete(id);
      // If its lease has ended, another process may have claimed it by now.
      if (this.leases.holds(id)) return item;
    }
    return undefined;
  }

  /** Claims more once half of the room for claiming ahead is free, because claiming one costs as much as claiming many. */
  fill(): void {
    if (this.#isClaiming || this.#isResting || !this.#mayBeMore) return;
    const room = this.#room();
    if (room > 0 && room >= this.#ahead / 2) this.#options.begin(this.#claim());
  }

  /** Moves users' deliveries into the line if they wait behind one that can never end. */
  repairLanes(): Promise<void> {
    const { connection, keys } = this.store;
    this.#laneRepair ??= new LaneRepair(connection.link, connection.messages, keys.line(this.#options.url));
    return this.#laneRepair.run([...(this.#unreadable ?? [])]);
  }

  /** Puts back deliveries that have not started. */
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

  /** Puts back deliveries that have waited too long, for other processes. For a while nothing is claimed ahead. */
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
    // This claim may miss deliveries that arrive from now on.
    this.#mayBeMore = false;
    for (const claimed of await this.#ask()) this.#takeIn(claimed);
    this.#isClaiming = false;
    this.#options.onNews();
    this.#watch();
  }

  async #ask(): Promise<readonly Claimed[]> {
    const { url, windowMs, store, onError } = this.#options;
    const count = (): number => {
      this.#asked = Math.min(MOST_DELIVERIES, Math.max(0, this.#room()));
      return this.#asked;
    };
    try {
      const claimed = await store.connection.claims.ask({ keys: store.keys, url, windowMs, count });
      this.#failingSince = undefined;
      if (claimed.length >= this.#asked) this.#mayBeMore = true;
      return claimed;
    } catch (error) {
      this.#mayBeMore = true;
      this.#failingSince ??= this.#options.clock.now();
      this.#rest();
      onError(error);
      return [];
    } finally {
      this.#asked = 0;
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
    // Without the body, the scheduler first checks whether the retry window is over.
    const event = isOver ? undefined : { body: known.body, source: known.event.source, epoch: known.event.epoch };
    this.#ready[stage].set(id, { at, id, partition, ...event });
  }

  /** Leaves an unreadable record claimed until its lease ends. Then another process claims it, or reports it again. */
  #read(claimed: Claimed): ReturnType<StorePart['noteClaimed']> | 'unreadable' {
    try {
      return this.store.noteClaimed(this.#options.url, claimed);
    } catch (error) {
      this.#options.onError(error);
      this.#unreadable ??= new Set();
      if (this.#unreadable.size < MOST_UNREADABLE) this.#unreadable.add(claimed.id);
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
