import { OptionError } from '../../base/errors/errors.js';
import type { Clock } from '../../base/time/clock.js';
import type { BulkProgress } from '../../destination/bulk.js';
import type { Destination } from '../../destination/destination.js';
import { DestinationClosedError, ReplayTargetError } from '../../destination/errors.js';
import { entriesOf } from '../../store/key-value-store.js';
import type { Storage } from '../../store/storage.js';
import type { LetterJob } from '../api/answers.js';
import { type Found, foundIn, type HeldRecord } from '../jobs/held-record.js';
import { type Job, JobRunner, jobIdAt } from '../jobs/job-runner.js';
import type { Log } from '../log.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { ManagedDestinations } from '../routing/managed-destinations.js';
import { countDeadLetters } from './count.js';

type LetterAct = 'replay' | 'discard';

/** A replay or discard, as it is on the key-value store. */
export interface JobRecord extends Job {
  readonly act: LetterAct;
  readonly destination: string;
  readonly filter: LetterJob['filter'];
  /**
   * The webhook that gets the letters of webhooks that the configuration no longer has, where a replay names one; of a destination that
   * it no longer has, the destination that gets all of them.
   */
  readonly sendTo?: string | undefined;
  /** Deliveries a second, where there is a limit. */
  readonly rate: number | undefined;
  /** In ms since 1970, as are all times here. */
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly status: 'running' | 'done' | 'stopped' | 'failed';
  /** How many there were when it began, where that is known. */
  readonly meant: number | undefined;
  readonly deliveries: number;
  /** Where it goes on. */
  readonly cursor: string | undefined;
  readonly error: string | undefined;
}

const JOBS = 'letters/';

const jobKey = (id: string): string => JOBS + encodeURIComponent(id);

const jobReport = (record: JobRecord): LetterJob => ({
  id: record.id,
  act: record.act,
  destination: record.destination,
  filter: record.filter,
  status: record.status,
  deliveries: record.deliveries,
  meant: record.meant ?? null,
  rate: record.rate ?? null,
  startedAt: new Date(record.startedAt).toISOString(),
  endedAt: record.endedAt === undefined ? null : new Date(record.endedAt).toISOString(),
  error: record.error ?? null,
});

export interface LetterJobsOptions {
  readonly storage: Pick<Storage, 'keyValues'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly managedDestinations: Pick<ManagedDestinations, 'byName' | 'removed'>;
  /** Called with each failure, after which the job is tried again. */
  onError(error: unknown): void;
}

export interface JobRequest {
  readonly act: LetterAct;
  readonly destination: string;
  readonly filter: LetterJob['filter'];
  readonly rate: number | undefined;
  readonly sendTo?: string | undefined;
}

/** For how long a request waits for the end of its job, in ms: most end by then. */
const ANSWER_MS = 1_000;

/** How often the progress of a job is written, in ms. */
const NOTE_MS = 500;

/** How long a job is kept after its end, in ms. */
const KEEP_MS = 7 * 24 * 60 * 60_000;

/** Replays and discards dead letters, and discards what waits, however many. */
export class LetterJobs {
  readonly #options: LetterJobsOptions;
  readonly #jobs: JobRunner<JobRecord>;

  constructor(options: LetterJobsOptions) {
    this.#options = options;
    const { storage, clock, onError } = options;
    this.#jobs = new JobRunner({
      ...{ keyValues: storage.keyValues, clock, onError },
      keyOf: jobKey,
      unfinished: () => this.#unfinished(),
      isFinished: ({ status }) => status !== 'running',
      carryOut: (job, signal) => this.#carryOut(job, signal),
    });
  }

  /** Finishes what a process left undone, now and from now on. */
  start(): void {
    this.#jobs.start();
  }

  /** Begins a job, and reports on it when it has ended, or after a second. */
  async begin({ act, destination, filter, rate, sendTo }: JobRequest): Promise<LetterJob> {
    const { clock } = this.#options;
    const now = clock.wall();
    const store = this.#find(destination)?.store;
    const { state, ...counted } = filter;
    const isCounted = state !== 'waiting' && filter.from === undefined && filter.to === undefined;
    const record: JobRecord = {
      id: jobIdAt(now),
      act,
      destination,
      filter,
      rate,
      sendTo,
      startedAt: now,
      endedAt: undefined,
      status: 'running',
      meant: isCounted && store !== undefined ? (await countDeadLetters(store, counted)).deliveries : undefined,
      deliveries: 0,
      cursor: undefined,
      error: undefined,
    };
    const { ended } = await this.#jobs.begin(record);
    await this.#atMost(ANSWER_MS, ended);
    return (await this.get(record.id)) ?? jobReport(record);
  }

  async get(id: string): Promise<LetterJob | undefined> {
    const { record } = await this.#read(id);
    return record && jobReport(record);
  }

  /** Those of the destination, the newest first. */
  async list(destination: string): Promise<LetterJob[]> {
    const reports: LetterJob[] = [];
    for await (const { value } of entriesOf(this.#options.storage.keyValues, JOBS)) {
      const { record } = foundIn<JobRecord>(value);
      if (record?.destination === destination) reports.push(jobReport(record));
    }
    return reports.reverse();
  }

  /** Ends a job that runs in any process, and reports how far it came. */
  async stop(id: string): Promise<LetterJob | undefined> {
    const { storage, clock } = this.#options;
    const { keyValues } = storage;
    for (;;) {
      const { text, record } = await this.#read(id);
      if (record?.status !== 'running') return record && jobReport(record);
      const stopped: JobRecord = { ...record, status: 'stopped', endedAt: clock.wall(), holder: undefined };
      const [key, value] = [jobKey(id), JSON.stringify(stopped)];
      if (await keyValues.writeIf({ key, value: text }, [{ key, value }])) {
        this.#jobs.abort(id);
        return jobReport(stopped);
      }
    }
  }

  /** Resolves when the current slices are done. */
  close(): Promise<void> {
    return this.#jobs.close();
  }

  #find(destination: string): ManagedDestination | undefined {
    const { byName, removed } = this.#options.managedDestinations;
    return byName.get(destination) ?? removed.get(destination);
  }

  async #read(id: string): Promise<Found<JobRecord>> {
    const [text] = await this.#options.storage.keyValues.get([jobKey(id)]);
    return foundIn(text);
  }

  /** Removes those that ended long ago. */
  async *#unfinished(): AsyncGenerator<Found<JobRecord>, void, undefined> {
    const { storage, clock } = this.#options;
    const { keyValues } = storage;
    for await (const { key, value } of entriesOf(keyValues, JOBS)) {
      const found = foundIn<JobRecord>(value);
      if (found.record?.status === 'running') yield found;
      else if ((found.record?.endedAt ?? 0) < clock.wall() - KEEP_MS)
        await keyValues.write([{ key, value: undefined }]);
    }
  }

  async #carryOut(job: HeldRecord<JobRecord>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const destination = this.#find(job.record.destination)?.destination;
      if (destination === undefined)
        return this.#end(job, 'failed', 'the destination was removed from the configuration, and has nothing left');
      try {
        await this.#change(destination, job, signal);
        if (!signal.aborted) return this.#end(job, 'done');
      } catch (error) {
        // The letters stay: the configuration no longer has their webhook, or the one that was to get them.
        if (error instanceof ReplayTargetError || error instanceof OptionError)
          return this.#end(job, 'failed', error.message);
        // It was opened anew with another configuration, and the job goes on there.
        if (!(error instanceof DestinationClosedError)) throw error;
        await new Promise<void>((resolve) => void this.#options.clock.after(NOTE_MS, resolve));
      }
    }
  }

  async #change(destination: Destination, job: HeldRecord<JobRecord>, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const { act, destination: name, filter, rate, sendTo, cursor, deliveries, startedAt } = job.record;
    const { byName } = this.#options.managedDestinations;
    let notedAt = clock.wall();
    const onProgress = async (progress: BulkProgress): Promise<void> => {
      job.note((record) => ({ ...record, deliveries: deliveries + progress.deliveries, cursor: progress.cursor }));
      if (clock.wall() < notedAt + NOTE_MS) return;
      // Fails, and ends this, when the job was stopped or another process took over.
      await job.update((record) => record);
      notedAt = clock.wall();
    };
    // Without those that died again since: after a kill it is not known exactly how far the job was.
    const isAgain = cursor !== undefined && filter.state !== 'waiting';
    const again = isAgain ? { diedBefore: startedAt } : {};
    const options = { rate, after: cursor, signal, onProgress };
    if (act === 'discard') return void (await destination.discard({ ...filter, ...again }, options));
    if (!byName.has(name)) {
      const other = byName.get(sendTo ?? '')?.destination;
      if (other === undefined)
        throw new OptionError('service', 'sendTo', 'a destination of the configuration', 'another name');
      return void (await destination.moveTo(other, { ...filter, ...again }, options));
    }
    await destination.replay({ ...filter, ...again }, { ...options, sendTo });
  }

  async #end(job: HeldRecord<JobRecord>, status: JobRecord['status'], error?: string): Promise<void> {
    const { clock, log } = this.#options;
    await job.update((record) => ({ ...record, status, error, endedAt: clock.wall() }));
    const { id, act, destination, deliveries } = job.record;
    log.info({ job: id, act, destination, deliveries, status }, 'a replay or discard of dead letters has ended');
  }

  async #atMost(ms: number, work: Promise<void>): Promise<void> {
    let cancel = (): void => {};
    const late = new Promise<void>((resolve) => {
      cancel = this.#options.clock.after(ms, resolve);
    });
    await Promise.race([work, late]);
    cancel();
  }
}
