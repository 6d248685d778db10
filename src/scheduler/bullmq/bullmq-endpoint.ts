import type { Redis } from 'ioredis';
import { LONGEST_TIMER_MS } from '../../clock.js';
import type { Breaker } from '../../delivery/breaker.js';
import { Health } from '../../delivery/health.js';
import { nextQueueKey } from '../../store/event-log.js';
import { type Stage, type WaitingEntry, waitingEntries } from '../../store/event-store.js';
import type { Intervals } from '../../store/redis/intervals.js';
import type { Jobs } from '../../store/redis/jobs.js';
import type { RedisClient } from '../../store/redis/redis-client.js';
import type { RedisKeys } from '../../store/redis/redis-keys.js';
import type { RedisStore } from '../../store/redis/redis-store.js';
import { Activity } from '../activity.js';
import type { Endpoint, EndpointOptions, Made } from '../endpoint.js';
import type { DueItem } from '../ready-queue.js';
import { type DeliveryJob, ReconnectingWorker } from './reconnecting-worker.js';
import { Sweeper } from './sweeper.js';

export interface BullmqEndpointOptions extends EndpointOptions {
  readonly store: RedisStore;
  readonly keys: RedisKeys;
  readonly bullmq: typeof import('bullmq');
  readonly link: RedisClient;
  readonly patient: Redis;
  readonly intervals: Intervals;
}

/** How soon it is counted again where the last one seems to be gone, in ms. */
const COUNT_SOON_MS = 100;

/** Hands out deliveries as BullMQ deals them to the processes that have the store open. */
export class BullmqEndpoint implements Endpoint {
  readonly #options: BullmqEndpointOptions;
  readonly #jobs: Jobs;
  readonly #sweeper: Sweeper;
  readonly #inFlight = new Set<string>();
  #worker: ReconnectingWorker | undefined;
  #waiting: number;
  #oldestDue: number | undefined;
  /** How many deliveries came in while those in the store are being counted. */
  #acceptedMeanwhile = 0;
  #isCounting = false;
  #isCountWanted = false;
  readonly #health: Health;
  #isProbing = false;
  #isStopped = false;
  #isPaused = false;
  #cancelResume: (() => void) | undefined;
  #cancelCount: (() => void) | undefined;
  readonly #activity = new Activity();

  constructor(options: BullmqEndpointOptions) {
    const { url, store, backlog } = options;
    this.#options = options;
    this.#health = new Health({ ...options, onBreaker: (breaker) => this.#turned(breaker) });
    this.#waiting = backlog;
    this.#jobs = store.jobs(url);
    this.#sweeper = new Sweeper({
      ...options,
      jobs: this.#jobs,
      isPaused: () => this.#isPaused || this.breaker.phase === 'open',
    });
  }

  get url(): string {
    return this.#options.url;
  }

  /** As it was counted last, and what this process has done since; Redis may have an attempt on record before this process knows. */
  get waiting(): number {
    return Math.max(this.#waiting, this.#inFlight.size);
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
    return this.#oldestDue;
  }

  isInFlight(id: string): boolean {
    return this.#inFlight.has(id);
  }

  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    if (this.#isStopped) return;
    if (isPaused) this.#worker?.pause();
    else this.#resume();
  }

  start(): void {
    const { url, keys } = this.#options;
    const run = (job: DeliveryJob, token: string): Promise<void> => this.#run(job, token);
    this.#worker = new ReconnectingWorker({ ...this.#options, queue: keys.digest(url), prefix: keys.jobs, run });
    if (this.#isPaused) this.#worker.pause();
    this.#sweeper.start();
    void this.#count();
  }

  accept({ at, id }: DueItem): void {
    this.#waiting++;
    this.#acceptedMeanwhile++;
    this.#oldestDue = Math.min(at, this.#oldestDue ?? at);
    this.#jobs.offer('first', { at, id });
  }

  /** That the last one is gone is for the store to say: what others took and what it counted may overlap. */
  forget(): void {
    if (this.#waiting > 1) this.#waiting--;
    else this.#countSoon();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelCount?.();
    this.#cancelResume?.();
    this.#sweeper.stop();
    this.#worker?.pause();
  }

  async quiet(): Promise<void> {
    await this.#activity.quiet();
    await this.#sweeper.quiet();
    await this.#worker?.close();
  }

  async #run(job: DeliveryJob, token: string): Promise<void> {
    if (!this.#mayBegin()) return this.#putBack(job, token);
    const next = await this.#takeOn(job);
    // What follows waits for Redis, however long; `close()` does not.
    if (next === undefined) return;
    if (next.stage === job.name) await this.#putOff(job, token, next.at);
    else await this.#jobs.add(next.stage, [next]);
  }

  async #takeOn({ data, name }: DeliveryJob): Promise<WaitingEntry | undefined> {
    this.#activity.begin();
    const wasProbe = this.breaker.phase === 'half-open';
    if (wasProbe) this.#isProbing = true;
    try {
      return await this.#deliver(data.id, name, wasProbe);
    } finally {
      if (wasProbe) this.#isProbing = false;
      this.#activity.end();
    }
  }

  /** A worker that is told to pause may have its hand on another job already. */
  #mayBegin(): boolean {
    if (this.#isStopped || this.#isPaused || this.breaker.phase === 'open' || !this.#options.canRecord()) return false;
    return this.breaker.phase === 'closed' || !this.#isProbing;
  }

  /** Makes the attempt if it is due, and says where the delivery waits then. */
  async #deliver(id: string, stage: Stage, wasProbe: boolean): Promise<WaitingEntry | undefined> {
    const { store, intervals, clock, onError } = this.#options;
    const resting = (): WaitingEntry => ({ url: this.url, stage, at: clock.now() + intervals.restMs, id });
    // A job that was thought stalled is dealt again, and may come to where it never stopped.
    if (this.#inFlight.has(id)) return resting();
    this.#inFlight.add(id);
    try {
      const found = await store.look(id);
      const entry = found && this.#entryOf(found.event);
      if (entry === undefined || entry.stage !== stage || this.#isEarly(entry.at)) return entry;
      const item = entry.stage === 'first' ? { at: entry.at, id, body: found?.body } : { at: entry.at, id };
      return await this.#attempt(item, wasProbe);
    } catch (error) {
      onError(error);
      return resting();
    } finally {
      store.lookAway(id);
      this.#inFlight.delete(id);
      // The count that found nothing may have come while this was in flight.
      if (this.#waiting === 0) this.#countSoon();
    }
  }

  async #attempt(item: DueItem, wasProbe: boolean): Promise<WaitingEntry | undefined> {
    const { attempt, store, clock, intervals } = this.#options;
    const made = await attempt(item);
    if (made?.entry === undefined) {
      // It was expired, or cut off, or put on record by another process: the store knows.
      if (made !== undefined) this.#report(item.id, made, wasProbe);
      const event = await store.event(item.id);
      const entry = event && this.#entryOf(event);
      // What is cut off as this process ends is for another one to take at once.
      const isForOthers = this.#isStopped || entry?.at !== item.at;
      return entry === undefined || isForOthers ? entry : { ...entry, at: clock.now() + intervals.restMs };
    }
    const key = nextQueueKey(made.entry);
    this.#report(item.id, made, wasProbe);
    return key && { url: this.url, stage: 'retry', ...key };
  }

  #report(id: string, made: Made, wasProbe: boolean): void {
    this.#inFlight.delete(id);
    this.#health.judge(made.attempt, wasProbe);
    this.#options.onMade(id, made);
  }

  #entryOf(event: Parameters<typeof waitingEntries>[0]): WaitingEntry | undefined {
    return waitingEntries(event).find(({ url }) => url === this.url);
  }

  /** No retry is due further off than the window: such a time comes from a clock that has since been set back. */
  #isEarly(at: number): boolean {
    const { clock, windowMs } = this.#options;
    const now = clock.now();
    return at > now && at <= now + windowMs;
  }

  #turned(breaker: Breaker): void {
    this.#options.onBreaker(breaker);
    if (this.#isStopped) return;
    this.#cancelResume?.();
    if (breaker.phase === 'open') {
      this.#worker?.pause();
      this.#probeAt(breaker.until);
    } else this.#resume();
  }

  /** Lets the worker take as many jobs as the circuit breaker allows. */
  #resume(): void {
    if (this.#isPaused || this.breaker.phase === 'open') return;
    this.#worker?.resume(this.breaker.phase === 'half-open' ? 1 : this.#options.concurrency);
  }

  /** A timer may come a little early, and a worker that goes on during a pause would only put back what it takes. */
  #probeAt(until: number): void {
    const { clock } = this.#options;
    this.#cancelResume = clock.after(Math.min(until - clock.now(), LONGEST_TIMER_MS), () => {
      if (this.#health.probe().phase === 'open') this.#probeAt(until);
    });
  }

  async #putBack(job: DeliveryJob, token: string): Promise<void> {
    await job.moveToWait(token);
    throw new this.#options.bullmq.WaitingError();
  }

  async #putOff(job: DeliveryJob, token: string, at: number): Promise<void> {
    const { bullmq, clock } = this.#options;
    await job.moveToDelayed(Date.now() + Math.max(0, at - clock.now()), token);
    throw new bullmq.DelayedError();
  }

  #countSoon(): void {
    if (this.#isCountWanted) return;
    this.#isCountWanted = true;
    if (!this.#isCounting) this.#countIn(COUNT_SOON_MS);
  }

  #countIn(ms: number): void {
    this.#cancelCount?.();
    if (!this.#isStopped) this.#cancelCount = this.#options.clock.after(ms, () => void this.#count());
  }

  /** Takes over what the store has, and does so again and again. */
  async #count(): Promise<void> {
    const { store, url, intervals, onCounted, onError } = this.#options;
    this.#isCounting = true;
    this.#isCountWanted = false;
    this.#acceptedMeanwhile = 0;
    try {
      const { first, retry, oldestDue } = await store.counts.of(url);
      // What came in meanwhile may be in there or not; rather too many than too few.
      this.#waiting = first + retry + this.#acceptedMeanwhile;
      this.#oldestDue = oldestDue;
      onCounted();
    } catch (error) {
      onError(error);
    }
    this.#isCounting = false;
    this.#countIn(this.#isCountWanted ? COUNT_SOON_MS : intervals.countMs);
  }
}
