import { isExpired, isWaiting } from '../../delivery/state.js';
import type { EventKey } from '../event-store.js';
import type { Leased, Line, LineCount, LineOptions } from '../line.js';
import { RedisFailedError } from '../store-errors.js';
import type { Claimed } from './claims.js';
import type { Leases } from './leases.js';
import { entryAt } from './redis-index.js';
import type { StorePart } from './store-part.js';

/** The most unreadable deliveries that a line remembers. */
const MOST_UNREADABLE = 1_000;

export interface RedisLineOptions extends LineOptions {
  readonly store: StorePart;
  readonly place: number;
  /** The number of the partition in the keys of events; undefined if the store has only one. */
  readonly partition: number | undefined;
  onClosed(): void;
}

/** The line of one URL in one partition. Deliveries are claimed while their messages are being stored, or from those that wait. */
export class RedisLine implements Line {
  readonly #options: RedisLineOptions;
  readonly #store: StorePart;
  readonly #leases: Leases;
  /** The last user whose lane the previous count checked. */
  #checked = '';
  /** Claimed deliveries that cannot be read. They stay claimed, and do not block their lanes. */
  readonly #unreadable = new Set<string>();
  #turnUntil = 0;

  constructor(options: RedisLineOptions) {
    const { store, url, place } = options;
    this.#options = options;
    this.#store = store;
    this.#leases = store.leases(url);
    this.#leases.room = {
      reserve: (most) => options.reserve(place, most),
      free: (count) => options.free(place, count),
    };
  }

  async take(most: () => number): Promise<readonly Leased[]> {
    const { url, windowMs, place, onDue, onError } = this.#options;
    const { connection, keys } = this.#store;
    const claimed = await connection.claims.ask({ keys, url, windowMs, count: most });
    const taken: Leased[] = [];
    for (const each of claimed) {
      try {
        taken.push(...(await this.#leased(each)));
      } catch (error) {
        // An unreadable record stays claimed until its lease ends. Then another process claims it, or reports it again.
        onError(error);
        if (this.#unreadable.size < MOST_UNREADABLE) this.#unreadable.add(each.id);
      }
    }
    if (taken.length < claimed.length) onDue(place);
    return taken;
  }

  accept({ id }: EventKey, hasRoom: boolean): Leased['isHeld'] | undefined {
    const isHeld = this.#leases.takeOver(id);
    if (isHeld === undefined && !hasRoom) this.#store.connection.lookout.tell();
    return isHeld;
  }

  settle({ id }: EventKey): void {
    this.#leases.end(id);
    this.#store.lookAway(id);
  }

  async putBack(keys: readonly EventKey[]): Promise<void> {
    for (const { id } of keys) this.#store.lookAway(id);
    await this.#leases.putBack(keys.map(({ id }) => id));
    this.#store.connection.lookout.tell();
  }

  async count(): Promise<LineCount> {
    const check = { after: this.#checked, unreadable: [...this.#unreadable] };
    const { checked, wrong, ...count } = await this.#store.counts.of(this.#options.url, check);
    this.#checked = checked;
    if (wrong !== undefined) this.#options.onError(new RedisFailedError(new Error(wrong)));
    return count;
  }

  async hasTurn(): Promise<boolean> {
    const { connection, keys } = this.#store;
    const { clock, partition, intervals } = connection;
    const now = clock.now();
    if (now < this.#turnUntil) return true;
    const key = keys.line(this.#options.url).turn;
    const isMine = (await partition.link.ask((redis) => redis.set(key, '1', 'PX', intervals.overseeMs, 'NX'))) !== null;
    // The turn ends a little earlier here, because another process may take it as soon as it ends in Redis.
    if (isMine) this.#turnUntil = now + intervals.overseeMs * 0.9;
    return isMine;
  }

  close(): void {
    this.#leases.room = undefined;
    this.#options.onClosed();
  }

  /**
   * Returns nothing for a delivery whose event is gone, and removes it from the line.
   *
   * @throws StoreRecordError if it cannot be read
   */
  async #leased(claimed: Claimed): Promise<readonly Leased[]> {
    const { url, windowMs, partition } = this.#options;
    const { id, until, place } = claimed;
    const known = this.#store.noteClaimed(url, claimed);
    const entry = known && entryAt(url, known.event);
    if (known === undefined || entry === undefined) {
      await this.#leases.drop(id, until).catch(() => undefined);
      return [];
    }
    const { stage, at } = entry;
    const state = known.event.urls[url];
    const now = this.#store.connection.clock.now();
    const isOver = stage === 'retry' && state !== undefined && isWaiting(state) && isExpired(state, now, windowMs);
    // Without the body, the scheduler first checks whether the retry window is over.
    const event = isOver ? undefined : { body: known.body, source: known.event.source, epoch: known.event.epoch };
    const isHeld = this.#leases.hold(id, {
      stage,
      place: stage === 'first' ? (place ?? String(at)) : String(at),
      until,
    });
    return [{ item: { at, id, partition, ...event }, stage, isHeld }];
  }
}
