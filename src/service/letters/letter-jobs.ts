import { randomUUID } from 'node:crypto';
import type { Clock } from '../../delivery/clock.js';
import type { BulkProgress } from '../../destination/bulk.js';
import type { Destination } from '../../destination/destination.js';
import { DestinationClosedError, ReplayTargetError } from '../../destination/errors.js';
import { OptionError } from '../../errors.js';
import { startInterval } from '../../interval.js';
import { entriesOf } from '../../store/entries.js';
import type { KeyValueStore } from '../../store/key-value-store.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import { countDeadLetters } from './count.js';
import { JOBS, type JobFilter, type JobRecord, type JobReport, jobKey, jobReport, type LetterAct } from './record.js';

export interface LetterJobsOptions {
  readonly keyValues: KeyValueStore;
  readonly clock: Clock;
  managedDestinations(): ReadonlyMap<string, ManagedDestination>;
  onDone(report: JobReport): void;
  /** Told what went wrong; it is tried again. */
  onError(error: unknown): void;
}

export interface JobRequest {
  readonly act: LetterAct;
  readonly destination: string;
  readonly filter: JobFilter;
  readonly rate: number | undefined;
  readonly sendTo?: string | undefined;
}

/** How long whoever begins a job waits for its end, in ms: most are over by then. */
const ANSWER_MS = 1_000;

/** How often it is noted how far a job is, in ms. */
const NOTE_MS = 500;

/** For how long a process holds a job without a sign of life, and how often others look, in ms. */
const HOLD_MS = 30_000;
const LOOK_MS = 5_000;

/** How long it is known that a job was done, in ms. */
const KEEP_MS = 7 * 24 * 60 * 60_000;

/**
 * Replays and discards dead letters, however many. A job is on the key-value store, with how far it is, so that a process that ends half
 * way is followed by any other, or by itself when it comes back.
 */
export class LetterJobs {
  readonly #options: LetterJobsOptions;
  readonly #process = randomUUID();
  readonly #running = new Map<string, AbortController>();
  readonly #busy = new Set<Promise<void>>();
  #stopLooking: (() => void) | undefined;
  #isStopped = false;

  constructor(options: LetterJobsOptions) {
    this.#options = options;
  }

  /** Goes on with what a process left undone, now and whenever there is such a thing. */
  start(): void {
    const { clock, onError } = this.#options;
    this.#run(this.#look());
    this.#stopLooking ??= startInterval({ clock, everyMs: LOOK_MS, act: () => this.#look(), onError });
  }

  /** Begins a job, and gives how it is when it is over, or after a second. */
  async begin({ act, destination, filter, rate, sendTo }: JobRequest): Promise<JobReport> {
    const { keyValues, clock, managedDestinations } = this.#options;
    const now = clock.wall();
    const store = managedDestinations().get(destination)?.store;
    const isCounted = filter.from === undefined && filter.to === undefined;
    const record: JobRecord = {
      id: `${now.toString(36).padStart(9, '0')}-${randomUUID().slice(0, 13)}`,
      act,
      destination,
      filter,
      rate,
      sendTo,
      startedAt: now,
      endedAt: undefined,
      status: 'running',
      meant: isCounted && store !== undefined ? await countDeadLetters(store, filter) : undefined,
      deliveries: 0,
      cursor: undefined,
      error: undefined,
      holder: this.#hold(),
    };
    const text = JSON.stringify(record);
    await keyValues.write([{ key: jobKey(record.id), value: text }]);
    const ended = this.#carryOut(record, text);
    this.#run(ended);
    await this.#atMost(ANSWER_MS, ended);
    return (await this.get(record.id)) ?? jobReport(record);
  }

  async get(id: string): Promise<JobReport | undefined> {
    const [value] = await this.#options.keyValues.get([jobKey(id)]);
    return value === undefined ? undefined : jobReport(parse(value));
  }

  /** Those of the destination, the newest first. */
  async list(destination: string): Promise<JobReport[]> {
    const reports: JobReport[] = [];
    for await (const { value } of entriesOf(this.#options.keyValues, JOBS)) {
      const record = parse(value);
      if (record.destination === destination) reports.push(jobReport(record));
    }
    return reports.reverse();
  }

  /** Ends a job that runs, wherever that is; what was done stays done. Gives how it is then. */
  async stop(id: string): Promise<JobReport | undefined> {
    const { keyValues, clock } = this.#options;
    for (;;) {
      const [value] = await keyValues.get([jobKey(id)]);
      if (value === undefined) return undefined;
      const record = parse(value);
      if (record.status !== 'running') return jobReport(record);
      const stopped: JobRecord = { ...record, status: 'stopped', endedAt: clock.wall(), holder: undefined };
      if (await this.#swap(id, value, JSON.stringify(stopped))) {
        this.#running.get(id)?.abort();
        return jobReport(stopped);
      }
    }
  }

  /** Ends after the slices that are under way. */
  async close(): Promise<void> {
    this.#isStopped = true;
    this.#stopLooking?.();
    for (const job of this.#running.values()) job.abort();
    await Promise.all(this.#busy);
  }

  #run(work: Promise<void>): void {
    const ended = work
      .catch((error: unknown) => this.#options.onError(error))
      .then(() => void this.#busy.delete(ended));
    this.#busy.add(ended);
  }

  async #look(): Promise<void> {
    const { keyValues, clock } = this.#options;
    for await (const { key, value } of entriesOf(keyValues, JOBS)) {
      const record = parse(value);
      if (record.status === 'running') await this.#takeOver(record, value);
      else if ((record.endedAt ?? 0) < clock.wall() - KEEP_MS) await keyValues.write([{ key, value: undefined }]);
    }
  }

  async #takeOver(record: JobRecord, value: string): Promise<void> {
    const { id, holder } = record;
    const isHeld =
      holder !== undefined && holder.process !== this.#process && holder.until > this.#options.clock.wall();
    if (isHeld || this.#running.has(id) || this.#isStopped) return;
    const held = { ...record, holder: this.#hold() };
    const text = JSON.stringify(held);
    if (await this.#swap(id, value, text)) this.#run(this.#carryOut(held, text));
  }

  async #carryOut(record: JobRecord, text: string): Promise<void> {
    const job = new AbortController();
    this.#running.set(record.id, job);
    try {
      await new JobRun(record, text, {
        ...this.#options,
        hold: () => this.#hold(),
        swap: (before, after) => this.#swap(record.id, before, after),
        isClosing: () => this.#isStopped,
        job,
      }).run();
    } finally {
      this.#running.delete(record.id);
    }
  }

  #swap(id: string, before: string, after: string): Promise<boolean> {
    const key = jobKey(id);
    return this.#options.keyValues.writeIf({ key, value: before }, [{ key, value: after }]);
  }

  #hold(): NonNullable<JobRecord['holder']> {
    return { process: this.#process, until: this.#options.clock.wall() + HOLD_MS };
  }

  async #atMost(ms: number, work: Promise<void>): Promise<void> {
    let cancel = (): void => {};
    const late = new Promise<void>((resolve) => {
      cancel = this.#options.clock.after(ms, resolve);
    });
    await Promise.race([work.catch(() => {}), late]);
    cancel();
  }
}

interface RunOptions extends LetterJobsOptions {
  hold(): NonNullable<JobRecord['holder']>;
  swap(before: string, after: string): Promise<boolean>;
  isClosing(): boolean;
  readonly job: AbortController;
}

/** One process's part in a job. */
class JobRun {
  readonly #options: RunOptions;
  #record: JobRecord;
  #text: string;
  #notedAt: number;

  constructor(record: JobRecord, text: string, options: RunOptions) {
    this.#options = options;
    this.#record = record;
    this.#text = text;
    this.#notedAt = options.clock.wall();
  }

  async run(): Promise<void> {
    const { managedDestinations, job, isClosing } = this.#options;
    while (!job.signal.aborted) {
      const destination = managedDestinations().get(this.#record.destination)?.destination;
      if (destination === undefined)
        return this.#end({ status: 'failed', error: 'the destination is configured no more' });
      try {
        await this.#go(destination);
        if (!job.signal.aborted) return this.#end({ status: 'done' });
      } catch (error) {
        // It was opened anew with another configuration, and goes on there.
        // Letters stay whose webhook is configured no more, or by now the one that was to get them.
        if (error instanceof ReplayTargetError || error instanceof OptionError)
          return this.#end({ status: 'failed', error: error.message });
        if (!(error instanceof DestinationClosedError)) throw error;
        await this.#rest();
      }
    }
    if (isClosing()) await this.#note({ holder: undefined });
  }

  async #go(destination: Destination): Promise<void> {
    const { act, filter, rate, sendTo, cursor, deliveries, startedAt } = this.#record;
    const { signal } = this.#options.job;
    const onProgress = async (progress: BulkProgress): Promise<void> => {
      const { clock, job, hold } = this.#options;
      this.#record = { ...this.#record, deliveries: deliveries + progress.deliveries, cursor: progress.cursor };
      if (clock.wall() < this.#notedAt + NOTE_MS) return;
      // It was stopped, or another process took over.
      if (!(await this.#note({ holder: hold() }))) job.abort();
    };
    // What died again since is not meant: after a kill it is not known exactly how far the job was.
    const again = cursor === undefined ? {} : { diedBefore: startedAt };
    await destination[act]({ ...filter, ...again }, { rate, sendTo, after: cursor, signal, onProgress });
  }

  async #end(end: Pick<JobRecord, 'status'> & { readonly error?: string }): Promise<void> {
    const { clock, onDone } = this.#options;
    if (await this.#note({ ...end, holder: undefined, endedAt: clock.wall() })) onDone(jobReport(this.#record));
  }

  /** Says whether the job is still this process's. */
  async #note(change: Partial<JobRecord>): Promise<boolean> {
    const { clock, swap } = this.#options;
    const next = { ...this.#record, ...change };
    const text = JSON.stringify(next);
    if (!(await swap(this.#text, text))) return false;
    [this.#record, this.#text, this.#notedAt] = [next, text, clock.wall()];
    return true;
  }

  #rest(): Promise<void> {
    return new Promise((resolve) => void this.#options.clock.after(NOTE_MS, resolve));
  }
}

// Only these files write such values.
const parse = (value: string): JobRecord => JSON.parse(value);
