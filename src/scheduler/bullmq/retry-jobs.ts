import type { StoredEvent } from '../../delivery/completion-rule.js';
import { nextQueueKey } from '../../store/event-log.js';
import { type WaitingEntry, waitingEntries } from '../../store/event-store.js';
import type { SharedStore } from '../../store/redis/shared-store.js';
import type { EndpointOptions, Made } from '../endpoint.js';
import { type DeliveryJob, ReconnectingWorker, type ReconnectingWorkerOptions } from './reconnecting-worker.js';

export interface RetryJobsOptions
  extends Omit<ReconnectingWorkerOptions, 'run' | 'concurrency'>,
    Pick<EndpointOptions, 'url' | 'windowMs' | 'concurrency' | 'attempt'> {
  readonly store: SharedStore;
  /** Whether an attempt may begin at all. */
  mayBegin(): boolean;
  /** Whether it may begin now, with no first attempt to come before it. */
  isTurn(): boolean;
  isInFlight(id: string): boolean;
  isStopped(): boolean;
  /** Begins within this call, and reports what is made. */
  make(id: string, attempt: () => Promise<Made | undefined>): Promise<Made | 'failed' | undefined>;
}

interface HeldJob {
  start(): void;
  refuse(): void;
}

/** The retries that BullMQ deals, each as its time comes and there is room for it. */
export class RetryJobs {
  readonly #options: RetryJobsOptions;
  readonly #worker: ReconnectingWorker;
  /** Dealt, and not begun. */
  #held: HeldJob[] = [];

  constructor(options: RetryJobsOptions) {
    this.#options = options;
    this.#worker = new ReconnectingWorker({ ...options, run: (job, token) => this.#run(job, token) });
  }

  /** Takes no more, and gives back what has not begun. */
  pause(): void {
    this.#worker.pause();
    for (const { refuse } of this.#held.splice(0)) refuse();
  }

  /** @param most how many may run at once */
  resume(most: number): void {
    this.#worker.resume(Math.max(1, most));
  }

  /** To be called when there may be room. */
  pump(): void {
    while (this.#held.length > 0 && this.#options.isTurn()) this.#held.shift()?.start();
  }

  /** @param most how many may run at once, as far as is known now */
  allow(most: number): void {
    this.#worker.allow(Math.max(1, most));
  }

  close(): Promise<void> {
    return this.#worker.close();
  }

  async #run(job: DeliveryJob, token: string): Promise<void> {
    // Versions before this one gave a job to each first attempt. The store has them in its index.
    if (job.name === 'first') return;
    const begun = this.#options.mayBegin() ? await this.#turn(job.data.id) : undefined;
    if (begun === undefined) return this.#putBack(job, token);
    const next = await begun.ended;
    if (next?.stage === 'retry') await this.#putOff(job, token, next.at);
  }

  /** Undefined when it is not to begin any more. */
  #turn(id: string): Promise<{ readonly ended: Promise<WaitingEntry | undefined> } | undefined> {
    return new Promise((resolve) => {
      this.#held.push({
        start: () => resolve({ ended: this.#make(id) }),
        refuse: () => resolve(undefined),
      });
      this.pump();
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

  /** Says where the delivery waits then. */
  async #make(id: string): Promise<WaitingEntry | undefined> {
    const { url, store, attempt, clock, intervals, make, isInFlight, isStopped } = this.#options;
    const resting = (): WaitingEntry => ({ url, stage: 'retry', at: clock.now() + intervals.restMs, id });
    // A job that was thought stalled is dealt again, and may come to where it never stopped.
    if (isInFlight(id)) return resting();
    let entry: WaitingEntry | undefined;
    const made = await make(id, async () => {
      entry = this.#entryOf(await store.look(id));
      const isDue = entry?.stage === 'retry' && !this.#isEarly(entry.at);
      return entry !== undefined && isDue ? attempt({ at: entry.at, id }) : undefined;
    });
    if (made === 'failed') return resting();
    if (made?.entry !== undefined) {
      const key = nextQueueKey(made.entry);
      return key && { url, stage: 'retry', ...key };
    }
    if (entry === undefined || this.#isEarly(entry.at)) return entry;
    // It was expired, or cut off, or put on record by another process: the store knows.
    const now = this.#entryOf(await store.event(id));
    // What is cut off as this process ends is for another one to take at once.
    const isForOthers = isStopped() || now?.at !== entry.at;
    return now === undefined || isForOthers ? now : resting();
  }

  #entryOf(event: StoredEvent | undefined): WaitingEntry | undefined {
    return event && waitingEntries(event).find(({ url }) => url === this.#options.url);
  }

  /** No retry is due further off than the window: such a time comes from a clock that has since been set back. */
  #isEarly(at: number): boolean {
    const { clock, windowMs } = this.#options;
    const now = clock.now();
    return at > now && at <= now + windowMs;
  }
}
