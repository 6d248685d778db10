import { OptionError } from '../../base/errors/errors.js';
import { type Clock, within } from '../../base/time/clock.js';
import type { BulkProgress } from '../../destination/changes/bulk.js';
import type { Skipped } from '../../destination/changes/letter-changes.js';
import type { Destination } from '../../destination/destination.js';
import { DestinationClosedError, ReplayTargetError } from '../../destination/destination-errors.js';
import type { Storage } from '../../store/storage.js';
import type { DeliveryJob } from '../api/delivery-answers.js';
import { storeFilter } from '../api/query-filter.js';
import { type FoundRecord, type HeldRecord, JobLostError, recordAt, recordsIn } from '../jobs/held-record.js';
import { JobRunner, jobIdAt } from '../jobs/job-runner.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { ManagedDestinations } from '../routing/managed-destinations.js';
import type { Log } from '../service-log.js';
import { countKept } from './count.js';
import { JOBS, type JobRecord, jobKey, jobReport } from './job-record.js';

export interface DeliveryJobsOptions {
  readonly storage: Pick<Storage, 'keyValues'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly managedDestinations: Pick<ManagedDestinations, 'byName' | 'removed'>;
  /** Called with each failure, after which the job is tried again. */
  onError(error: unknown): void;
}

export type JobRequest = Pick<JobRecord, 'act' | 'destination' | 'filter' | 'rate' | 'sendTo'>;

/** How long a request waits for its job to end, in ms. Most jobs end within this time. */
const ANSWER_MS = 1_000;

/** The interval in ms at which a request to stop a job looks whether its last slice is done. */
const ASK_MS = 50;

/** The time in ms after which a job goes on at a destination that was being reopened. */
const REOPENED_MS = 500;

const NONE: JobRecord['skipped'] = { 'webhook-removed': 0, 'sent-already': 0 };

const REMOVED = 'the destination was removed from the configuration, and has nothing left';

/** Stands in a filter for a user who was deleted. */
const DELETED_USER = '(deleted)';

/** How long a job is kept after its end, in ms. */
const KEEP_MS = 7 * 24 * 60 * 60_000;

/** Replays and discards any number of dead letters, and discards waiting deliveries. */
export class DeliveryJobs {
  readonly #options: DeliveryJobsOptions;
  readonly #jobs: JobRunner<JobRecord>;

  constructor(options: DeliveryJobsOptions) {
    this.#options = options;
    const { storage, clock, onError } = options;
    this.#jobs = new JobRunner({
      ...{ keyValues: storage.keyValues, clock, onError },
      keyOf: ({ id }) => jobKey(id),
      unfinished: () => this.#unfinished(),
      isFinished: ({ status }) => status !== 'running',
      carryOut: (job, signal) => this.#carryOut(job, signal).finally(() => this.#completeStop(job)),
    });
  }

  /** Finishes jobs that a process left unfinished, now and periodically. */
  start(): void {
    void this.#jobs.start();
  }

  /** Begins a job, and reports on it when it has ended or after a second. */
  async begin(request: JobRequest): Promise<DeliveryJob> {
    const { clock } = this.#options;
    const now = clock.wall();
    const record: JobRecord = {
      ...request,
      id: jobIdAt(now),
      startedAt: now,
      status: 'running',
      meant: await this.#meant(request.destination, request.filter),
      deliveries: 0,
      skipped: NONE,
    };
    const { ended } = await this.#jobs.begin(record);
    await within(clock, ANSWER_MS, ended);
    return (await this.get(record.id)) ?? jobReport(record, clock.wall());
  }

  async get(id: string): Promise<DeliveryJob | undefined> {
    const found = await this.#read(id);
    return found && jobReport(found.record, this.#options.clock.wall());
  }

  /** Lists all jobs, newest first. */
  async list(): Promise<DeliveryJob[]> {
    const reports: DeliveryJob[] = [];
    for await (const { record } of this.#all()) reports.push(jobReport(record, this.#options.clock.wall()));
    return reports.reverse();
  }

  /** Stops a job that runs in any process, and reports on it when its last slice is done or after a second. */
  async stop(id: string): Promise<DeliveryJob | undefined> {
    const { clock } = this.#options;
    await this.#rewrite(id, (record) =>
      record.status === 'running' ? { ...record, status: 'stopped', endedAt: clock.wall() } : undefined,
    );
    this.#jobs.abort(jobKey(id));
    const until = clock.now() + ANSWER_MS;
    for (;;) {
      const report = await this.get(id);
      if (report?.status !== 'running' || clock.now() >= until) return report;
      await new Promise<void>((resolve) => void clock.after(ASK_MS, resolve));
    }
  }

  /**
   * Removes deleted users from the filters of jobs that have ended. A job that still runs needs its filter.
   *
   * @returns true if no job names these users any more
   */
  async erase(users: readonly string[]): Promise<boolean> {
    const named = new Set(users);
    let isErased = true;
    for await (const { record } of this.#all()) {
      const { id, status, filter } = record;
      if (filter.user === undefined || !named.has(filter.user)) continue;
      if (status === 'running') isErased = false;
      else await this.#rewrite(id, (ended) => ({ ...ended, filter: { ...filter, user: DELETED_USER } }));
    }
    return isErased;
  }

  /** Resolves when the current slices are done. */
  close(): Promise<void> {
    return this.#jobs.close();
  }

  /** Counts the matching deliveries, if the counts that the store keeps can answer this. */
  async #meant(
    destination: string | undefined,
    { state, ...filter }: DeliveryJob['filter'],
  ): Promise<number | undefined> {
    if (state === 'waiting') return undefined;
    const { byName } = this.#options.managedDestinations;
    const all = destination === undefined ? [...byName.values()] : [this.#find(destination)];
    let meant = 0;
    for (const managed of all) {
      const count = managed && (await countKept(managed.store, storeFilter(filter)));
      if (count === undefined) return undefined;
      meant += count;
    }
    return meant;
  }

  #find(destination: string): ManagedDestination | undefined {
    const { byName, removed } = this.#options.managedDestinations;
    return byName.get(destination) ?? removed.get(destination);
  }

  #read(id: string): Promise<FoundRecord<JobRecord> | undefined> {
    return recordAt(this.#options.storage.keyValues, jobKey(id));
  }

  /** Replaces a stored job, unless `next` returns undefined. */
  async #rewrite(id: string, next: (record: JobRecord) => JobRecord | undefined): Promise<void> {
    const { keyValues } = this.#options.storage;
    const key = jobKey(id);
    for (;;) {
      const found = await this.#read(id);
      const record = found && next(found.record);
      if (record === undefined) return;
      if (await keyValues.writeIf({ key, value: found?.text }, [{ key, value: JSON.stringify(record) }])) return;
    }
  }

  #all() {
    return recordsIn<JobRecord>(this.#options.storage.keyValues, JOBS);
  }

  /** Yields the running jobs, and removes those that ended long ago. */
  async *#unfinished(): AsyncGenerator<FoundRecord<JobRecord>, void, undefined> {
    const { storage, clock } = this.#options;
    for await (const found of this.#all()) {
      const { status, endedAt = 0, holder } = found.record;
      if (status === 'running') yield found;
      else if (endedAt < clock.wall() - KEEP_MS) await storage.keyValues.write([{ key: found.key, value: undefined }]);
      // Another process may have stopped a job of this one, which would notice that only after its next slice.
      else if (holder !== undefined) this.#jobs.abort(found.key);
    }
  }

  async #carryOut(job: HeldRecord<JobRecord>, signal: AbortSignal): Promise<void> {
    const { destination, at = '' } = job.record;
    const { byName } = this.#options.managedDestinations;
    const names = destination === undefined ? [...byName.keys()].sort() : [destination];
    for (const name of names) {
      if (name < at) continue;
      if (name !== at) job.note((record) => ({ ...record, at: name, cursor: undefined }));
      const problem = await this.#carryOutAt(name, job, signal);
      if (signal.aborted) return;
      if (problem === undefined) continue;
      const error = destination === undefined ? `${name}: ${problem}` : problem;
      job.note((record) => ({ ...record, error: record.error === undefined ? error : `${record.error}; ${error}` }));
    }
    return this.#end(job, job.record.error === undefined ? 'done' : 'failed');
  }

  /** Carries out the job at one destination, and returns the reason if something is left there. */
  async #carryOutAt(name: string, job: HeldRecord<JobRecord>, signal: AbortSignal): Promise<string | undefined> {
    while (!signal.aborted) {
      const destination = this.#find(name)?.destination;
      // A job for all destinations skips one that was removed in the meantime.
      if (destination === undefined) return job.record.destination === undefined ? undefined : REMOVED;
      try {
        await this.#change(name, destination, job, signal);
        return undefined;
      } catch (error) {
        // The dead letters stay, because their webhook, or the one that should receive them, is no longer configured.
        if (error instanceof ReplayTargetError || error instanceof OptionError) return error.message;
        // The destination was reopened with another configuration, and the job continues there.
        if (!(error instanceof DestinationClosedError)) throw error;
        await new Promise<void>((resolve) => void this.#options.clock.after(REOPENED_MS, resolve));
      }
    }
    return undefined;
  }

  async #change(
    name: string,
    destination: Destination,
    job: HeldRecord<JobRecord>,
    signal: AbortSignal,
  ): Promise<void> {
    const { act, filter: given, rate, sendTo, cursor, deliveries, skipped: before, startedAt } = job.record;
    const { byName } = this.#options.managedDestinations;
    const { state, ...filter } = given;
    let skipped = before;
    const onSkipped = (why: Skipped, count: number): void => {
      skipped = { ...skipped, [why]: skipped[why] + count };
    };
    const onProgress = (progress: BulkProgress): Promise<void> => {
      const done = { deliveries: deliveries + progress.deliveries, skipped, cursor: progress.cursor };
      return job
        .progress((record) => ({ ...record, ...done }))
        .catch((error: unknown) => {
          // The job is interrupted instead of failing, so that a slice that runs meanwhile is counted too.
          this.#jobs.abort(jobKey(job.record.id));
          if (!(error instanceof JobLostError)) this.#options.onError(error);
        });
    };
    // Events that became dead letters again are left out, because after a kill the exact progress is not known.
    const isAgain = cursor !== undefined && state !== 'waiting';
    const meant = { ...storeFilter(filter), ...(isAgain && { diedBefore: startedAt }) };
    const options = { rate, after: cursor, signal, onProgress };
    if (act === 'discard') return void (await destination.discard({ ...meant, state }, options));
    if (byName.has(name)) return void (await destination.replay(meant, { ...options, sendTo, onSkipped }));
    const other = byName.get(sendTo ?? '')?.destination;
    if (other === undefined)
      throw new OptionError('service', 'sendTo', 'a destination of the configuration', 'another name');
    await destination.moveTo(other, { ...meant, state }, options);
  }

  async #end(job: HeldRecord<JobRecord>, status: JobRecord['status']): Promise<void> {
    const { clock, log } = this.#options;
    await job.update((record) => ({ ...record, status, endedAt: clock.wall() }));
    const { id, act, destination, deliveries, skipped } = job.record;
    log.info(
      { job: id, act, destination, deliveries, skipped, status },
      'a replay or discard of dead letters has ended',
    );
  }

  /** Writes the exact counts of a job that was stopped while this process carried it out. */
  #completeStop({ record }: HeldRecord<JobRecord>): Promise<void> {
    const { id, deliveries, skipped, error } = record;
    return this.#rewrite(id, (stopped) =>
      stopped.status === 'stopped' && this.#jobs.isHeldHere(stopped)
        ? { ...stopped, deliveries, skipped, error, holder: undefined }
        : undefined,
    );
  }
}
