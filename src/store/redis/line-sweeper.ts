import type { StoredEvent } from '../../delivery/completion-rule.js';
import { isExpired, isWaiting } from '../../delivery/state.js';
import type { Position, QueueKey } from '../event-store.js';
import { stageOf } from '../lanes.js';
import type { LineOptions, Taken } from '../line.js';
import { compareQueueKeys } from '../queue-key.js';
import type { LineStore } from './line-part.js';
import { entryAt } from './redis-index.js';
import { ifReadable } from './stored-text.js';

/** The number of deliveries listed at a time. */
const PAGE = 500;

/** Finds deliveries that are too old, or too many, in a line that several processes share. */
export class LineSweeper {
  readonly #options: LineOptions;
  readonly #store: LineStore;
  #isStopped = false;
  /** Until when this process has the turn to sweep this line. */
  #myTurnUntil = 0;
  #lateAfter: QueueKey | undefined;

  constructor(options: LineOptions, store: LineStore) {
    this.#options = options;
    this.#store = store;
  }

  stop(): void {
    this.#isStopped = true;
  }

  async takeOldest(limit: number): Promise<readonly Taken[]> {
    if (!(await this.#isMyTurn())) return [];
    const retries = await this.#waitingIn('retry', undefined, limit);
    return this.#withEvents(retries.length > 0 ? retries : await this.#untried(limit));
  }

  async takeOlder(then: number, limit: number): Promise<readonly Taken[]> {
    if (then === Number.NEGATIVE_INFINITY || !(await this.#isMyTurn())) return [];
    const oldest = await this.#untried(limit);
    return this.#withEvents(oldest.filter(({ at }) => at < then));
  }

  /** Returns first attempts and retries whose retry window is over, up to a page of them. */
  async takeLate(now: number): Promise<readonly Taken[]> {
    if (!(await this.#isMyTurn())) return [];
    const firsts = await this.#untried(PAGE);
    const late = await this.#expired(
      firsts.filter(({ at }) => now > at + this.#options.windowMs),
      now,
    );
    return late.length > 0 ? late : this.#lateRetries(now);
  }

  /** Goes through the due retries page by page, and remembers where it stopped. */
  async #lateRetries(now: number): Promise<readonly Taken[]> {
    while (!this.#isStopped) {
      const page = await this.#waitingIn('retry', this.#lateAfter, PAGE);
      const due = page.filter(({ at }) => at <= now);
      this.#lateAfter = due.length === PAGE ? due.at(-1) : undefined;
      const late = await this.#expired(due, now);
      if (late.length > 0 || this.#lateAfter === undefined) return late;
    }
    return [];
  }

  /** Keeps only deliveries whose window is over by their event: a replay's window begins with its own first attempt. */
  async #expired(keys: readonly QueueKey[], now: number): Promise<readonly Taken[]> {
    const { windowMs, url } = this.#options;
    const events = await this.#eventsOf(keys);
    return events.flatMap((event, index): Taken[] => {
      const state = event?.urls[url];
      if (event === undefined || state === undefined || !isWaiting(state)) return [];
      if (!isExpired(state, now, windowMs)) return [];
      return [{ item: { at: state.due, id: event.id, partition: keys[index]?.partition }, stage: stageOf(state) }];
    });
  }

  /** Skips unreadable events. The process that claims one reports it. */
  #eventsOf(keys: readonly QueueKey[]): Promise<(StoredEvent | undefined)[]> {
    return Promise.all(keys.map(({ id, partition }) => ifReadable(this.#store.event(id, partition))));
  }

  /** Deliveries that wait for their first attempt, ready or behind others. */
  async #untried(limit: number): Promise<QueueKey[]> {
    const keys = await Promise.all(
      (['first', 'behind'] as const).map((position) => this.#waitingIn(position, undefined, limit)),
    );
    return keys.flat().sort(compareQueueKeys).slice(0, limit);
  }

  #waitingIn(position: Position, after: QueueKey | undefined, limit: number): Promise<QueueKey[]> {
    return this.#store.waiting(this.#options.url, position, after, limit);
  }

  /**
   * Takes the times from the events: scores in the line are by the clock of Redis, but times in an event are by the
   * clock of the process that wrote it.
   */
  async #withEvents(keys: readonly QueueKey[]): Promise<readonly Taken[]> {
    const events = await this.#eventsOf(keys);
    return events.flatMap((event, index): Taken[] => {
      const entry = event && entryAt(this.#options.url, event);
      return entry === undefined
        ? []
        : [{ item: { at: entry.at, id: entry.id, partition: keys[index]?.partition }, stage: entry.stage }];
    });
  }

  /** Takes the turn if it is free: one process at a time sweeps a line. */
  async #isMyTurn(): Promise<boolean> {
    const { clock, url } = this.#options;
    const { connection, keys } = this.#store.parts[0];
    const { link, intervals } = connection;
    const now = clock.now();
    if (now < this.#myTurnUntil) return true;
    const turnMs = intervals.overseeMs;
    const isMine = await link.ask((redis) => redis.set(keys.turn(url), '1', 'PX', turnMs, 'NX'));
    // Ends a little early here, because another process may take the turn as soon as it ends in Redis.
    if (isMine !== null) this.#myTurnUntil = now + turnMs * 0.9;
    return isMine !== null;
  }
}
