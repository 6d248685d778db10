import type { QueueKey, Stage } from '../../store/event-store.js';
import type { Intervals } from '../../store/redis/intervals.js';
import type { Jobs } from '../../store/redis/jobs.js';
import type { RedisClient } from '../../store/redis/redis-client.js';
import { firstDueAt } from '../../store/redis/redis-index.js';
import type { RedisKeys } from '../../store/redis/redis-keys.js';
import type { SharedStore } from '../../store/redis/shared-store.js';
import { excessOf } from '../backlog-bounds.js';
import type { EndpointOptions } from '../endpoint.js';
import type { FirstClaimers } from './first-claimers.js';

export interface SweeperOptions
  extends Pick<EndpointOptions, 'url' | 'clock' | 'windowMs' | 'expire' | 'limit' | 'shed' | 'onError'> {
  readonly store: SharedStore;
  readonly keys: RedisKeys;
  readonly link: RedisClient;
  readonly jobs: Jobs;
  readonly firsts: Pick<FirstClaimers, 'takeBack'>;
  readonly intervals: Intervals;
  /** Whether the endpoint is left alone for a while. */
  isPaused(): boolean;
  /** First attempts of dead processes wait again. */
  onTakenBack(): void;
}

/** Where a sweep goes on. */
interface Cursor {
  readonly stage: Stage;
  readonly after: QueueKey | undefined;
}

const PAGE = 500;

/** How many pages one turn goes through: a long queue is swept in several, and meanwhile the others get theirs. */
const PAGES = 20;

const START: Cursor = { stage: 'first', after: undefined };

/**
 * Takes back the first attempts at one URL that dead processes had claimed. Goes through the retries that are due and gives a
 * job to whatever has none, be it that a process died before it added one or that Redis lost it; and wakes a job that would sleep
 * on. One process at a time does so.
 */
export class Sweeper {
  readonly #options: SweeperOptions;
  #isStopped = false;
  #cancel: (() => void) | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, intervals, onError } = this.#options;
    this.#turn = this.#takeTurn()
      .catch(onError)
      .then(() => {
        if (!this.#isStopped) this.#cancel = clock.after(intervals.sweepMs, () => this.start());
      });
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  async quiet(): Promise<void> {
    await this.#turn;
  }

  async #takeTurn(): Promise<void> {
    const { link, keys, url, intervals } = this.#options;
    // A little less than a turn, or the process that has it would find its own mark every other time.
    const turnMs = Math.ceil(intervals.sweepMs * 0.9);
    const isMine = await link.ask((redis) => redis.set(keys.sweep(url, 'turn'), '1', 'PX', turnMs, 'NX'));
    if (isMine === null) return;
    await this.#takeBack();
    await this.#shed();
    const key = keys.sweep(url, 'cursor');
    const kept = await link.ask((redis) => redis.get(key));
    // Our own writing, read back.
    let cursor: Cursor | undefined = kept === null ? START : (JSON.parse(kept) as Cursor);
    for (let page = 0; page < PAGES && cursor !== undefined && !this.#isStopped; page++) {
      cursor = await this.#sweepPage(cursor);
    }
    if (cursor === undefined) await this.#sweepFar();
    const next = cursor;
    await link.ask<unknown>((redis) => (next === undefined ? redis.del(key) : redis.set(key, JSON.stringify(next))));
  }

  async #takeBack(): Promise<void> {
    const { store, url, firsts, onTakenBack } = this.#options;
    const dueOf = async (id: string): Promise<number | undefined> => {
      const event = await store.event(id);
      return event && firstDueAt(url, event);
    };
    while (!this.#isStopped) {
      if ((await firsts.takeBack(dueOf)) === 0) return;
      onTakenBack();
    }
  }

  /** Ends the oldest, more or less, of what waits where that is too much: what was tried already came before what was not. */
  async #shed(): Promise<void> {
    while (!this.#isStopped) {
      const oldest = await this.#tooMuch();
      if (oldest.length === 0) return;
      await Promise.all(oldest.map((key) => this.#options.shed(key)));
    }
  }

  async #tooMuch(): Promise<readonly QueueKey[]> {
    const { store, url, limit, clock } = this.#options;
    if (limit.ageMs !== Number.POSITIVE_INFINITY) {
      const then = clock.now() - limit.ageMs;
      const old = (await store.waiting(url, 'first', undefined, PAGE)).filter(({ at }) => at < then);
      if (old.length > 0) return old;
    }
    if (limit.events === Number.POSITIVE_INFINITY && limit.bytes === Number.POSITIVE_INFINITY) return [];
    const excess = Math.min(PAGE, excessOf(await store.counts.of(url), limit));
    if (excess === 0) return [];
    const retries = await store.waiting(url, 'retry', undefined, excess);
    return retries.length > 0 ? retries : store.waiting(url, 'first', undefined, excess);
  }

  /** Gives the cursor of the next page. */
  async #sweepPage({ stage, after }: Cursor): Promise<Cursor | undefined> {
    const { store, url, jobs, clock, intervals, isPaused } = this.#options;
    // First attempts need no job.
    if (stage === 'first' && !isPaused()) return { stage: 'retry', after: undefined };
    const keys = await store.waiting(url, stage, after, PAGE);
    const now = clock.now();
    const due = keys.filter(({ at }) => stage === 'first' || at <= now);
    if (stage === 'retry') await jobs.ensure(due, intervals.restMs);
    if (isPaused()) await this.#expire(stage, due, now);
    if (due.length === PAGE) return { stage, after: due.at(-1) };
    return stage === 'first' ? { stage: 'retry', after: undefined } : undefined;
  }

  /** No retry is due further off than the window: such a time comes from a clock that has since been set back. */
  async #sweepFar(): Promise<void> {
    const { store, url, jobs, clock, windowMs, intervals } = this.#options;
    const far = await store.waiting(url, 'retry', { at: clock.now() + windowMs + 1, id: '' }, PAGE);
    await jobs.ensure(far, intervals.restMs);
  }

  /** A pause makes no delivery live longer than it would have. */
  async #expire(stage: Stage, due: readonly QueueKey[], now: number): Promise<void> {
    const { windowMs, expire } = this.#options;
    const late = stage === 'first' ? due.filter(({ at }) => now > at + windowMs) : due;
    await Promise.all(late.map((key) => expire(key)));
  }
}
