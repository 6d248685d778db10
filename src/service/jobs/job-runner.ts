import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/time/clock.js';
import { startInterval } from '../../base/time/interval.js';
import type { Change, KeyValueStore } from '../../store/key-value-store.js';
import { type FoundRecord, HeldRecord, type HoldOptions, JobLostError } from './held-record.js';

/** The field that every stored job has. */
export interface StoredJob {
  /** The process that carries the job out, and the time until which no other takes over, in ms since 1970. */
  readonly holder?: { readonly process: string; readonly until: number } | undefined;
}

/** Continues a job from where it is. If the signal is aborted, it ends early and the runner frees the job. */
export type Work<J, T> = (job: HeldRecord<J>, signal: AbortSignal) => Promise<T>;

export interface JobRunnerOptions<J extends StoredJob> {
  readonly keyValues: KeyValueStore;
  readonly clock: Clock;
  keyOf(job: J): string;
  /** Returns the jobs that may have to be carried out. */
  unfinished(): AsyncIterable<FoundRecord<J>>;
  isFinished(job: J): boolean;
  /** True finishes each abandoned job before looking for the next one. @default false */
  readonly inTurn?: boolean | undefined;
  /** Carries out an abandoned job, or one that `begin` has begun. */
  readonly carryOut: Work<J, unknown>;
  /** Called with each failure, after which the job is tried again. */
  onError(error: unknown): void;
}

/** The interval in ms at which a process looks for jobs that no process carries out. */
const LOOK_MS = 5_000;

/** Makes the id of a job. Ids sort by time. */
export const jobIdAt = (now: number, rest = randomUUID().slice(0, 13)): string =>
  `${now.toString(36).padStart(9, '0')}-${rest}`;

/** Turns an id into a text that sorts the other way round, because a store lists keys only in their order. */
export const newestFirst = (id: string): string =>
  id.replaceAll(/[0-9a-z]/g, (digit) => (35 - Number.parseInt(digit, 36)).toString(36));

/**
 * Carries out jobs that survive a kill. Each job is stored with its progress. When its process ends, any other process takes
 * over, or the same one after a restart.
 */
export class JobRunner<J extends StoredJob> {
  readonly #options: JobRunnerOptions<J>;
  readonly #hold: HoldOptions<J>;
  readonly #process = randomUUID();
  readonly #running = new Map<string, AbortController>();
  readonly #busy = new Set<Promise<unknown>>();
  #stopLooking: (() => void) | undefined;
  /** True once `close` was called. */
  isClosed = false;

  constructor(options: JobRunnerOptions<J>) {
    const { keyValues, clock } = options;
    this.#options = options;
    this.#hold = {
      keyValues,
      clock,
      leased: (job, until) => {
        const isHeld = until > 0 && !options.isFinished(job);
        return { ...job, holder: isHeld ? { process: this.#process, until } : undefined };
      },
    };
  }

  /** Takes over jobs that other processes left unfinished, now and every 5 s. Resolves after the first look; never throws. */
  async start(): Promise<void> {
    this.#lookOften();
    await this.#inBackground(this.#look());
  }

  /** Resolves when the job is stored and so certain to be finished. `ended` resolves when this process stops working on it. */
  async begin(job: J, changes: readonly Change[] = []): Promise<{ readonly ended: Promise<void> }> {
    const { keyOf, carryOut } = this.#options;
    const taken = await this.take(undefined, job, carryOut, changes);
    if (taken === undefined) throw new Error(`There is a job ${keyOf(job)} already`);
    return { ended: this.#inBackground(taken.ended) };
  }

  /**
   * Takes a job that was read before and works on it. Returns undefined if the job has changed since, or if this process already
   * works on it. `ended` rejects with the error of the work, after which any process continues with `carryOut`.
   */
  async take<T>(
    found: FoundRecord<J> | undefined,
    job: J,
    work: Work<J, T>,
    changes: readonly Change[] = [],
  ): Promise<{ readonly ended: Promise<T> } | undefined> {
    const key = this.#options.keyOf(job);
    if (this.#running.has(key)) return undefined;
    const abort = new AbortController();
    // This is set before the job is stored, so that this process does not mistake it for an abandoned job.
    this.#running.set(key, abort);
    this.#lookOften();
    let held: HeldRecord<J> | undefined;
    try {
      held = await HeldRecord.take(this.#hold, key, found, job, changes);
    } finally {
      if (held === undefined) this.#running.delete(key);
    }
    return held && { ended: this.#tracked(this.#carryOut(key, held, abort, work)) };
  }

  /** Interrupts a job that this process carries out. */
  abort(key: string): void {
    this.#running.get(key)?.abort();
  }

  /** Returns true if the stored job says that this process carries it out. */
  isHeldHere(job: J): boolean {
    return job.holder?.process === this.#process;
  }

  /** Interrupts all jobs, and frees them for other processes. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.#stopLooking?.();
    for (const abort of this.#running.values()) abort.abort();
    await Promise.allSettled(this.#busy);
  }

  #lookOften(): void {
    const { clock, onError } = this.#options;
    if (!this.isClosed)
      this.#stopLooking ??= startInterval({ clock, everyMs: LOOK_MS, act: () => this.#tracked(this.#look()), onError });
  }

  #tracked<T>(work: Promise<T>): Promise<T> {
    this.#busy.add(work);
    // A failure is thrown where `work` is awaited.
    work.catch(() => {}).then(() => this.#busy.delete(work));
    return work;
  }

  #inBackground(work: Promise<unknown>): Promise<void> {
    return this.#tracked(
      work.then(
        () => {},
        (error: unknown) => {
          if (!(error instanceof JobLostError)) this.#options.onError(error);
        },
      ),
    );
  }

  async #look(): Promise<void> {
    for await (const found of this.#options.unfinished()) {
      if (this.isClosed) return;
      const { record } = found;
      if (!this.#isFree(record)) continue;
      const taken = await this.take(found, record, this.#options.carryOut);
      const ended = taken && this.#inBackground(taken.ended);
      if (this.#options.inTurn) await ended;
    }
  }

  #isFree(job: J): boolean {
    const { holder } = job;
    if (this.#running.has(this.#options.keyOf(job))) return false;
    return holder === undefined || this.isHeldHere(job) || holder.until <= this.#options.clock.wall();
  }

  async #carryOut<T>(key: string, job: HeldRecord<J>, abort: AbortController, work: Work<J, T>): Promise<T> {
    if (this.isClosed) abort.abort();
    try {
      return await work(job, abort.signal);
    } finally {
      this.#running.delete(key);
      job.stop();
      // A job that cannot be freed now becomes free when its lease ends.
      if (!this.#options.isFinished(job.record)) await job.release().catch(() => undefined);
    }
  }
}
