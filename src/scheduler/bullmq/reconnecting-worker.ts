import type { Job, Worker } from 'bullmq';
import { type Clock, within } from '../../clock.js';
import { RedisFailedError } from '../../store/errors.js';
import type { Stage } from '../../store/event-store.js';
import type { Intervals } from '../../store/redis/intervals.js';
import type { JobData } from '../../store/redis/jobs.js';
import type { Driver } from '../../store/redis/redis-client.js';

export type DeliveryJob = Job<JobData, void, Stage>;

export interface ReconnectingWorkerOptions {
  readonly bullmq: typeof import('bullmq');
  readonly patient: Driver;
  readonly queue: string;
  readonly prefix: string;
  readonly concurrency: number;
  readonly intervals: Intervals;
  readonly clock: Clock;
  run(job: DeliveryJob, token: string): Promise<void>;
  onError(error: unknown): void;
}

/** A worker that dies with a job says nothing against the delivery, however often that happens. */
const ANY_NUMBER = 1_000_000_000;

/** How long a worker rests before it looks for Redis again, in ms. */
const RECONNECT_MS = 1_000;

/** How long a worker may take to get through to Redis, and to let go of it, in ms. */
const READY_MS = 10_000;
const CLOSE_MS = 2_000;

/**
 * A worker of BullMQ. Where Redis goes away just as one is opened, it would never work and never say so; then another takes
 * its place.
 */
export class ReconnectingWorker {
  readonly #options: ReconnectingWorkerOptions;
  #worker: Worker<JobData, void, Stage>;
  #concurrency: number;
  #isPaused = false;
  #isClosed = false;
  #cancel: (() => void) | undefined;

  constructor(options: ReconnectingWorkerOptions) {
    this.#options = options;
    this.#concurrency = options.concurrency;
    this.#worker = this.#open();
  }

  /** Takes no more; what it has goes on. */
  pause(): void {
    this.#isPaused = true;
    void this.#worker.pause(true);
  }

  resume(concurrency: number): void {
    this.#isPaused = false;
    this.allow(concurrency);
    void this.#worker.resume();
  }

  allow(concurrency: number): void {
    this.#concurrency = concurrency;
    this.#worker.concurrency = concurrency;
  }

  /** Resolves within seconds, however long Redis is gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    await this.#letGo(this.#worker);
  }

  #open(): Worker<JobData, void, Stage> {
    const { bullmq, patient, queue, prefix, intervals, run, onError } = this.#options;
    const worker = new bullmq.Worker<JobData, void, Stage>(queue, (job, token = '') => run(job, token), {
      connection: patient,
      prefix,
      autorun: false,
      concurrency: this.#concurrency,
      lockDuration: intervals.lockMs,
      stalledInterval: intervals.stalledMs,
      maxStalledCount: ANY_NUMBER,
      runRetryDelay: RECONNECT_MS,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    // When Redis is gone, the next call of the store reports it.
    worker.on('error', (error) => {
      if (patient.status === 'ready') onError(new RedisFailedError(error));
    });
    void this.#begin(worker);
    return worker;
  }

  async #begin(worker: Worker<JobData, void, Stage>): Promise<void> {
    const isReady = await within(this.#options.clock, READY_MS, worker.waitUntilReady()).catch(() => false);
    if (this.#isClosed) return;
    if (isReady) {
      if (!this.#isPaused && !worker.isRunning())
        worker.run().catch((error: unknown) => worker.emit('error', error as Error));
      return;
    }
    await this.#letGo(worker);
    if (this.#isClosed) return;
    this.#cancel = this.#options.clock.after(RECONNECT_MS, () => {
      this.#worker = this.#open();
    });
  }

  async #letGo(worker: Worker<JobData, void, Stage>): Promise<void> {
    const isGone = this.#options.patient.status !== 'ready';
    await within(this.#options.clock, CLOSE_MS, worker.close(isGone)).catch(() => false);
  }
}
