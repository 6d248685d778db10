import { setImmediate as nextTurn } from 'node:timers/promises';
import { type DeathReason, isExpired, isWaiting } from '../delivery/state.js';
import type { EventKey, EventStore, QueueKey, QueuePosition } from '../store/event-store.js';
import type { TakenDelivery } from '../store/line.js';
import { compareQueueKeys, stageOf } from '../store/queue-key.js';
import { ifReadable } from '../store/store-errors.js';
import { excessOf } from './backlog-bounds.js';
import type { Deliveries, EndpointOptions } from './endpoint-options.js';
import type { Queue } from './queue.js';

export interface SweeperOptions extends Pick<EndpointOptions, 'url' | 'clock' | 'windowMs' | 'limit'> {
  readonly store: Pick<EventStore, 'waiting' | 'event'>;
  readonly queue: Pick<Queue, 'waiting' | 'count' | 'hasTurn' | 'withdraw' | 'putBack'>;
  readonly endpoint: { readonly inFlight: number; isInFlight(key: EventKey): boolean };
  readonly deliveries: Pick<Deliveries, 'end'>;
  /** Called with each piece of work that begins. It never rejects. */
  onBegun(work: Promise<void>): void;
  onFailed(error: unknown): void;
}

/** The number of deliveries that are ended at a time. */
const SIZE = 256;

/** How often the sweeper checks how many bytes wait, and for how long, in milliseconds. */
const LOOK_MS = 1_000;

/** Ends what waits at one endpoint beyond its limits or its window, oldest first. Deliveries in flight end by themselves. */
export class Sweeper {
  readonly #options: SweeperOptions;
  #isShedding = false;
  /** True if more deliveries came while the queue was being counted, so that the count may have missed them. */
  #isWanted = false;
  #isStopped = false;
  /** All retries up to this one were read. None of them expires before `#nextExpiry`, so they are not read again until then. */
  #readUpTo: QueueKey | undefined;
  #nextExpiry = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => {};

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  start(): void {
    const { limit, clock } = this.#options;
    if (limit.bytes === Number.POSITIVE_INFINITY && limit.ageMs === Number.POSITIVE_INFINITY) return;
    this.#cancel = clock.after(LOOK_MS, () => {
      this.start();
      if (this.#options.queue.waiting > 0) this.shed();
    });
  }

  /** Ends what exceeds the limits; if that is already running, it runs once more afterwards. */
  shed(): void {
    this.#isWanted = true;
    if (this.#isShedding || this.#isStopped) return;
    this.#isShedding = true;
    const shedding = this.#shedAll()
      .catch((error: unknown) => this.#options.onFailed(error))
      .then(() => {
        this.#isShedding = false;
      });
    this.#options.onBegun(shedding);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  /** Ends expired deliveries. Those behind others go first, so that they do not move up in line only to be ended there. */
  async expire(): Promise<void> {
    if (!(await this.#options.queue.hasTurn())) return;
    for (const position of ['behind', 'first'] as const) await this.#expireAt(position);
    await this.#expireRetries();
  }

  /**
   * Ends due retries whose window is over. Each has to be read, because its place in line does not tell when its window ends. New
   * retries are due later than those already read, so these are not read again until one may expire.
   */
  async #expireRetries(): Promise<void> {
    if (this.#options.clock.now() > this.#nextExpiry) {
      this.#readUpTo = undefined;
      this.#nextExpiry = Number.POSITIVE_INFINITY;
    }
    this.#readUpTo = await this.#expireAt('retry', this.#readUpTo);
  }

  async #shedAll(): Promise<void> {
    while (!this.#isStopped && (await this.#options.queue.hasTurn())) {
      this.#isWanted = false;
      const ended = await this.#endAll(await this.#tooMuch(), 'backlog-full');
      if (ended === 0 && !this.#isWanted) return;
    }
  }

  async #tooMuch(): Promise<readonly QueueKey[]> {
    const { clock, limit, queue } = this.#options;
    const then = clock.now() - limit.ageMs;
    const old = then === Number.NEGATIVE_INFINITY ? [] : await this.#untried(SIZE);
    const tooOld = old.filter(({ at }) => at < then);
    if (tooOld.length > 0) return tooOld;
    const count = await queue.count();
    const excess = count === undefined ? 0 : excessOf(count, limit);
    return excess === 0 ? [] : this.#oldest(Math.min(SIZE, excess));
  }

  /** Returns the oldest deliveries. Those that were tried already end before untried ones. */
  async #oldest(limit: number): Promise<readonly QueueKey[]> {
    const retries = await this.#idleAt('retry', limit);
    return retries.length > 0 ? retries : this.#untried(limit);
  }

  /** Returns the oldest deliveries that wait for their first attempt, in line or behind others. */
  async #untried(limit: number): Promise<readonly QueueKey[]> {
    const keys = [...(await this.#idleAt('first', limit)), ...(await this.#idleAt('behind', limit))];
    return keys.sort(compareQueueKeys).slice(0, limit);
  }

  async #idleAt(position: QueuePosition, limit: number): Promise<readonly QueueKey[]> {
    const { store, url, endpoint } = this.#options;
    const keys = await store.waiting(url, position, undefined, limit + endpoint.inFlight);
    return keys.filter((key) => !endpoint.isInFlight(key)).slice(0, limit);
  }

  /** Returns the last key that was read. */
  async #expireAt(position: QueuePosition, from?: QueueKey): Promise<QueueKey | undefined> {
    const { store, url, clock, windowMs } = this.#options;
    const now = clock.now();
    // A window is over only after its last millisecond.
    const then = position === 'retry' ? now : now - windowMs - 1;
    let after = from;
    for (let isMore = true; isMore && !this.#isStopped; ) {
      const page = await store.waiting(url, position, after, SIZE);
      const due = page.filter(({ at }) => at <= then);
      await this.#endAll(due, 'window-over');
      after = due.at(-1) ?? after;
      isMore = due.length === SIZE;
      // A local store reads without waiting, and there may be very many deliveries.
      if (isMore) await nextTurn();
    }
    return after;
  }

  /** Ends the deliveries that still wait, and returns their number. */
  async #endAll(keys: readonly QueueKey[], reason: DeathReason): Promise<number> {
    const found = await Promise.all(keys.map((key) => this.#waitingUnder(key, reason)));
    const waiting = found.filter((each) => each !== undefined);
    const ends = await Promise.allSettled(waiting.map((each) => this.#end(each, reason)));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return waiting.length;
  }

  /**
   * Returns the delivery as its event records it, because an engine may have another time for it in its line. Returns undefined
   * if it should stay as it is, or if the event cannot be read; the attempt that takes it reports that.
   */
  async #waitingUnder({ id, partition }: QueueKey, reason: DeathReason): Promise<TakenDelivery | undefined> {
    const { store, url, clock, windowMs } = this.#options;
    const state = (await ifReadable(store.event(id, partition)))?.urls[url];
    if (state === undefined || !isWaiting(state)) return undefined;
    if (reason === 'window-over' && !isExpired(state, clock.now(), windowMs)) {
      if (state.phase === 'retrying') this.#nextExpiry = Math.min(this.#nextExpiry, state.firstAttemptAt + windowMs);
      return undefined;
    }
    return { item: { at: state.due, id, partition }, stage: stageOf(state) };
  }

  async #end(taken: TakenDelivery, reason: DeathReason): Promise<void> {
    const { queue, endpoint, deliveries } = this.#options;
    if (endpoint.isInFlight(taken.item)) return;
    const wasInQueue = queue.withdraw(taken.item);
    try {
      await deliveries.end(taken.item, reason);
    } catch (error) {
      if (wasInQueue) queue.putBack(taken);
      throw error;
    }
  }
}
