import { LONGEST_TIMER_MS } from '../../clock.js';
import type { Breaker } from '../../delivery/breaker.js';
import { Health } from '../../delivery/health.js';
import { nextQueueKey } from '../../store/event-log.js';
import type { Claimed } from '../../store/redis/claims.js';
import type { Intervals } from '../../store/redis/intervals.js';
import type { Jobs } from '../../store/redis/jobs.js';
import type { Notices } from '../../store/redis/notices.js';
import type { Driver, RedisClient } from '../../store/redis/redis-client.js';
import { firstDueAt } from '../../store/redis/redis-index.js';
import type { RedisKeys } from '../../store/redis/redis-keys.js';
import type { SharedStore } from '../../store/redis/shared-store.js';
import { Activity } from '../activity.js';
import type { Endpoint, EndpointOptions, Made } from '../endpoint.js';
import type { DueItem } from '../ready-queue.js';
import { BacklogCount } from './backlog-count.js';
import { FirstClaimers } from './first-claimers.js';
import { RetryJobs } from './retry-jobs.js';
import { Sweeper } from './sweeper.js';

export interface BullmqEndpointOptions extends EndpointOptions {
  readonly store: SharedStore;
  readonly keys: RedisKeys;
  readonly bullmq: typeof import('bullmq');
  readonly link: RedisClient;
  readonly patient: Driver;
  readonly notices: Notices;
  readonly intervals: Intervals;
}

/**
 * Shares deliveries with the other processes that have the store open: first attempts are claimed from its index, many at once,
 * and retries are dealt by BullMQ.
 */
export class BullmqEndpoint implements Endpoint {
  readonly #options: BullmqEndpointOptions;
  readonly #jobs: Jobs;
  readonly #firsts: FirstClaimers;
  readonly #sweeper: Sweeper;
  readonly #count: BacklogCount;
  readonly #inFlight = new Set<string>();
  #retries: RetryJobs | undefined;
  readonly #health: Health;
  #isProbing = false;
  #isStarted = false;
  #isStopped = false;
  #isPaused = false;
  #cancelResume: (() => void) | undefined;
  readonly #activity = new Activity();

  constructor(options: BullmqEndpointOptions) {
    const { url, store } = options;
    this.#options = options;
    this.#health = new Health({ ...options, onBreaker: (breaker) => this.#turned(breaker) });
    this.#jobs = store.jobs(url);
    this.#firsts = new FirstClaimers({
      ...options,
      activity: this.#activity,
      mayBegin: () => this.#mayBegin(),
      room: () => this.#room(),
      ahead: () => (this.breaker.phase === 'closed' && this.#isOpen ? options.concurrency : 0),
      read: (claimed) => this.#read(claimed),
      begin: (item) => this.#begin(item),
      onClaimed: () => this.#pump(),
    });
    this.#count = new BacklogCount({
      ...options,
      onCounted: (unclaimed) => {
        // For notices that were lost.
        if (unclaimed > 0) this.#firsts.look();
        options.onCounted();
      },
    });
    this.#sweeper = new Sweeper({
      ...options,
      jobs: this.#jobs,
      firsts: this.#firsts,
      isPaused: () => this.#isPaused || this.breaker.phase === 'open',
      onTakenBack: () => this.#firsts.offer(),
    });
  }

  get url(): string {
    return this.#options.url;
  }

  /** Redis may have an attempt on record before this process knows. */
  get waiting(): number {
    return Math.max(this.#count.waiting, this.#inFlight.size + this.#firsts.ready);
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  get breaker(): Breaker {
    return this.#health.breaker;
  }

  get isFailing(): boolean {
    return this.#health.isFailing;
  }

  get oldestDue(): number | undefined {
    return this.#count.oldestDue;
  }

  isInFlight(id: string): boolean {
    return this.#inFlight.has(id);
  }

  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    if (isPaused) this.#rest();
    else if (!this.#isStopped) this.#resume();
  }

  start(): void {
    const { url, keys } = this.#options;
    this.#isStarted = true;
    this.#firsts.open();
    this.#retries = new RetryJobs({
      ...this.#options,
      queue: keys.digest(url),
      prefix: keys.jobs,
      mayBegin: () => this.#mayBegin(),
      isTurn: () => this.#firsts.isEmpty && this.#room() > 0,
      isInFlight: (id) => this.#inFlight.has(id),
      isStopped: () => this.#isStopped,
      make: (id, attempt) => this.#make(id, attempt),
    });
    if (this.#isPaused) this.#retries.pause();
    else this.#firsts.look();
    this.#sweeper.start();
    this.#count.start();
  }

  accept(item: DueItem): void {
    this.#count.accept(item.at);
    if (!this.#firsts.accept(item)) this.#firsts.offer(item.id);
  }

  forget(): void {
    this.#count.forget();
  }

  stop(): void {
    this.#isStopped = true;
    this.#count.stop();
    this.#cancelResume?.();
    this.#firsts.close();
    this.#sweeper.stop();
    this.#rest();
  }

  async quiet(): Promise<void> {
    await this.#activity.quiet();
    await this.#sweeper.quiet();
    await this.#retries?.close();
  }

  /** First attempts come first. */
  #pump(): void {
    this.#firsts.pump();
    this.#retries?.pump();
    if (this.breaker.phase === 'closed') this.#retries?.allow(this.#room());
  }

  get #isOpen(): boolean {
    return this.#isStarted && !this.#isStopped && !this.#isPaused;
  }

  #room(): number {
    if (!this.#isOpen) return 0;
    if (this.breaker.phase === 'closed') return this.#options.concurrency - this.#inFlight.size;
    return this.breaker.phase === 'half-open' && !this.#isProbing ? 1 : 0;
  }

  #mayBegin(): boolean {
    return !this.#isStopped && !this.#isPaused && this.breaker.phase !== 'open' && this.#options.canRecord();
  }

  #read(claimed: Claimed): DueItem | undefined {
    const known = this.#options.store.noteClaimed(this.url, claimed);
    const at = known && firstDueAt(this.url, known.event);
    if (at !== undefined) return { at, id: claimed.id, body: known?.body };
    this.#begun(this.#firsts.drop(claimed.id));
    return undefined;
  }

  #begin(item: DueItem): void {
    // Its lease ran out, and it came to where it never stopped.
    if (this.#inFlight.has(item.id)) this.#putBackLater(item.id);
    else this.#begun(this.#makeFirst(item));
  }

  async #makeFirst(item: DueItem): Promise<void> {
    const made = await this.#make(item.id, () => this.#options.attempt(item));
    const entry = made === 'failed' ? undefined : made?.entry;
    if (entry !== undefined) {
      this.#firsts.end(item.id);
      const next = nextQueueKey(entry);
      if (next !== undefined) this.#jobs.offer(next);
    } else if (this.#isStopped) await this.#firsts.putBack(item.id);
    else this.#putBackLater(item.id);
  }

  async #make(id: string, make: () => Promise<Made | undefined>): Promise<Made | 'failed' | undefined> {
    const wasProbe = this.breaker.phase === 'half-open';
    if (wasProbe) this.#isProbing = true;
    this.#inFlight.add(id);
    this.#activity.begin();
    try {
      const made = await make();
      this.#inFlight.delete(id);
      if (wasProbe) this.#isProbing = false;
      if (made !== undefined) {
        this.#health.judge(made.attempt, wasProbe);
        this.#options.onMade(id, made);
      }
      return made;
    } catch (error) {
      this.#options.onError(error);
      return 'failed';
    } finally {
      this.#options.store.lookAway(id);
      this.#inFlight.delete(id);
      if (wasProbe) this.#isProbing = false;
      this.#count.confirmNone();
      this.#pump();
      this.#activity.end();
    }
  }

  /** It may be of another process by now, which has put it on record: then it stays as it is. */
  #putBackLater(id: string): void {
    const { clock, intervals } = this.#options;
    clock.after(intervals.restMs, () => this.#begun(this.#firsts.putBack(id).then(() => this.#firsts.look())));
  }

  #begun(work: Promise<void>): void {
    this.#activity.begin();
    void work.catch(this.#options.onError).then(() => this.#activity.end());
  }

  #turned(breaker: Breaker): void {
    this.#options.onBreaker(breaker);
    if (this.#isStopped) return;
    this.#cancelResume?.();
    if (breaker.phase === 'open') {
      this.#rest();
      this.#probeAt(breaker.until);
    } else this.#resume();
  }

  /** Begins nothing more, and gives back what has not begun. */
  #rest(): void {
    this.#firsts.giveBack();
    this.#retries?.pause();
  }

  /** As many at once as the circuit breaker allows. */
  #resume(): void {
    if (this.#isPaused || this.breaker.phase === 'open') return;
    this.#retries?.resume(this.#room());
    this.#firsts.look();
    this.#pump();
  }

  /** A timer may come a little early, and a worker that goes on during a pause would only put back what it takes. */
  #probeAt(until: number): void {
    const { clock } = this.#options;
    this.#cancelResume = clock.after(Math.min(until - clock.now(), LONGEST_TIMER_MS), () => {
      if (this.#health.probe().phase === 'open') this.#probeAt(until);
    });
  }
}
