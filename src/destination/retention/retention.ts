import type { Clock } from '../../base/time/clock.js';
import type { Bounds } from '../../scheduler/backlog-bounds.js';
import type { EventLog } from '../../store/event-log.js';
import type { EventStore, QueueKey } from '../../store/event-store.js';
import { keptBytesOf } from '../../store/kept-tally.js';
import type { DropReason } from '../destination-events.js';
import type { Reports } from '../reports/reports.js';

export interface RetentionOptions {
  readonly store: EventStore;
  readonly eventLog: EventLog;
  readonly clock: Clock;
  readonly limit: Bounds;
  readonly reports: Reports;
}

/** How often dead letters are counted, in ms. */
const LOOK_MS = 60_000;

/** How often they are counted while there are none, in ms. Another process may add some and end before it drops them. */
const REST_MS = 60 * 60_000;

/** How many events are dropped together: few enough that a concurrent `deliver()` hardly waits. */
const SLICE = 128;

const REASONS: readonly DropReason[] = ['age', 'count', 'bytes'];

/** Deletes the oldest dead letters when there are more than the limits allow, and those that are too old. */
export class Retention {
  readonly #options: RetentionOptions;
  #isStopped = false;
  /** True if the last check found no dead letter and none has been reported since. */
  #hasNone = false;
  #cancel: () => void = () => {};
  #sweeping: Promise<void> = Promise.resolve();

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  start(): void {
    this.#options.reports.retention = this;
    this.#lookIn(LOOK_MS);
  }

  /** Resolves once the drop that is running has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#sweeping;
  }

  #lookIn(ms: number): void {
    const { clock, reports } = this.#options;
    this.#cancel = clock.after(ms, () => {
      this.#sweeping = this.#sweep()
        .catch((error: unknown) => reports.failed(error))
        .then(() => {
          if (!this.#isStopped) this.#lookIn(this.#hasNone ? REST_MS : LOOK_MS);
        });
    });
  }

  /**
   * Schedules the next check soon. Without dead letters checks are rare, because thousands of destinations would otherwise check
   * in vain every minute.
   */
  noticeDead(): void {
    if (!this.#hasNone || this.#isStopped) return;
    this.#hasNone = false;
    this.#cancel();
    this.#lookIn(LOOK_MS);
  }

  async #sweep(): Promise<void> {
    this.#hasNone = (await this.#options.store.deadTotals()).events === 0;
    if (this.#hasNone) return;
    for (const reason of REASONS) {
      const events = await this.#dropAll(reason);
      if (events > 0) this.#options.reports.dropped(reason, events);
    }
  }

  async #dropAll(reason: DropReason): Promise<number> {
    let events = 0;
    while (!this.#isStopped) {
      const dropped = await this.#drop(await this.#tooMuch(reason));
      if (dropped === 0) break;
      events += dropped;
      // Lets other work run between two slices.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    return events;
  }

  /** Finds the events to drop next. Each call asks the store again, because other processes may drop events too. */
  async #tooMuch(reason: DropReason): Promise<readonly QueueKey[]> {
    const { store, clock, limit } = this.#options;
    if (reason === 'age') {
      const before = clock.now() - limit.ageMs;
      return (await store.dead(undefined, SLICE)).filter(({ at }) => at < before);
    }
    const { events, bytes } = await store.deadTotals();
    if (reason === 'bytes') return bytes > limit.bytes ? this.#oldest(bytes - limit.bytes) : [];
    return events > limit.events ? store.dead(undefined, Math.min(SLICE, events - limit.events)) : [];
  }

  /** Finds the oldest events that together have at least this many bytes, up to one slice. */
  async #oldest(bytes: number): Promise<readonly QueueKey[]> {
    const { store } = this.#options;
    const keys = await store.dead(undefined, SLICE);
    const sizes = await Promise.all(
      keys.map(async ({ id, partition }) => {
        const event = await store.event(id, partition);
        return event === undefined ? 0 : keptBytesOf(event);
      }),
    );
    let sum = 0;
    const end = sizes.findIndex((size) => {
      sum += size;
      return sum >= bytes;
    });
    return end === -1 ? keys : keys.slice(0, end + 1);
  }

  /** Returns the number of events that still existed. */
  async #drop(keys: readonly QueueKey[]): Promise<number> {
    if (keys.length === 0) return 0;
    const { store, eventLog } = this.#options;
    const dropped = await Promise.all(keys.map((key) => eventLog.discard(key, deadIn)));
    await store.flush();
    return dropped.filter((urls) => urls.length > 0).length;
  }
}

const deadIn: Parameters<EventLog['discard']>[1] = ({ isDead, urls }) =>
  isDead ? Object.keys(urls).filter((url) => urls[url]?.phase === 'dead') : [];
