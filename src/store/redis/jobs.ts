import type { JobsOptions, Queue } from 'bullmq';
import { RedisFailedError } from '../errors.js';
import type { QueueKey, Stage } from '../event-store.js';
import type { RedisClient } from './redis-client.js';
import { digestOf } from './redis-keys.js';

/** All that a job knows: everything else is read when its time has come. */
export interface JobData {
  readonly id: string;
}

interface NewJob {
  readonly name: 'retry';
  readonly data: JobData;
  readonly opts: JobsOptions;
}

export type JobQueue = Queue<JobData, void, Stage>;

/** BullMQ keeps when a job's delay is over, by the machine's clock, in ms and this many parts of each. */
const DELAY_SCORE = 0x1000;

/** The most jobs that go to Redis in one request. */
const BATCH_SIZE = 500;

/** How long adding jobs may take, in ms. */
const ADD_MS = 5_000;

/**
 * The jobs of one URL: one for each delivery that waits for another attempt, whose id follows from the event's, so that the
 * same job given twice is one. They say when it is whose turn, and nothing else: losing them all would lose nothing but time.
 */
export class Jobs {
  readonly queue: JobQueue;
  readonly #link: RedisClient;
  readonly #now: () => number;
  #offered: QueueKey[] = [];
  #adding: Promise<void> | undefined;

  /** @param now the time that queue keys are in, in ms since 1970 */
  constructor(queue: JobQueue, link: RedisClient, now: () => number) {
    this.queue = queue;
    this.#link = link;
    this.#now = now;
  }

  /** Adds the job before long. If that fails it is for the sweeper to add. */
  offer({ at, id }: QueueKey): void {
    this.#offered.push({ at, id });
    this.#adding ??= this.#addOffered();
  }

  /** Resolves once nothing is being added. */
  async settled(): Promise<void> {
    await this.#adding;
  }

  async add(keys: readonly QueueKey[]): Promise<void> {
    if (keys.length > 0) await this.#addAll(keys.map((key) => this.#jobOf(key)));
  }

  /**
   * Sees to it that what is due has a job that comes up within `restMs`. One that sleeps for longer is from another time: the
   * clock was set back since, or it was left by an event of the same id.
   */
  async ensure(due: readonly QueueKey[], restMs: number): Promise<void> {
    if (due.length === 0) return;
    const jobIds = due.map(({ id }) => jobIdOf(id));
    const found = await this.#link.askAll((batch) => {
      for (const jobId of jobIds) batch.exists(this.queue.toKey(jobId)).zscore(this.queue.toKey('delayed'), jobId);
      return batch;
    });
    const latest = (Date.now() + restMs) * DELAY_SCORE;
    const asleep = jobIds.filter((_, index) => Number(found[2 * index + 1] ?? 0) > latest);
    // One that is not asleep any more needs nothing; where Redis failed, the next sweep tries again.
    await Promise.allSettled(asleep.map(async (jobId) => (await this.queue.getJob(jobId))?.promote()));
    await this.add(due.filter((_, index) => found[2 * index] === 0));
  }

  async #addOffered(): Promise<void> {
    // What is offered in the same turn goes in the same request.
    await Promise.resolve();
    while (this.#offered.length > 0) {
      const batch = this.#offered.splice(0, BATCH_SIZE);
      const jobs = batch.map((key) => this.#jobOf(key));
      await this.#addAll(jobs).catch(() => undefined);
    }
    this.#adding = undefined;
  }

  /** A queue that has not heard of Redis yet would wait for it. */
  async #addAll(jobs: NewJob[]): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new RedisFailedError(new Error('no connection'))), ADD_MS);
    });
    try {
      await Promise.race([this.queue.addBulk(jobs), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #jobOf({ at, id }: QueueKey): NewJob {
    const delay = Math.max(0, at - this.#now());
    // Redis keeps a job in half the memory as long as its options, in JSON, have at most 64 characters. Workers remove those that end.
    return { name: 'retry', data: { id }, opts: { jobId: jobIdOf(id), delay } };
  }
}

const jobIdOf = (id: string): string => `r${digestOf(id)}`;
