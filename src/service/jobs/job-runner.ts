import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/time/clock.js';
import { startInterval } from '../../base/time/interval.js';
import type { Change, KeyValueStore } from '../../store/key-value-store.js';
import { type Found, HeldRecord, type HoldOptions } from './held-record.js';

/** The fields that every job has on the key-value store. */
export interface Job {
  readonly id: string;
  /** The process that carries it out, and until when no other takes over, in ms since 1970. */
  readonly holder?: { readonly process: string; readonly until: number } | undefined;
}

export interface JobRunnerOptions<J extends Job> {
  readonly keyValues: KeyValueStore;
  readonly clock: Clock;
  keyOf(id: string): string;
  /** The jobs that may have to be carried out. */
  unfinished(): AsyncIterable<Found<J>>;
  isFinished(job: J): boolean;
  /** Goes on with a job from where it is. When the signal is aborted it returns early, and the runner frees the job. */
  carryOut(job: HeldRecord<J>, signal: AbortSignal): Promise<void>;
  /** Called with each failure, after which the job is tried again. */
  onError(error: unknown): void;
}

/** A process looks this often for jobs that no process carries out, in ms. */
const LOOK_MS = 5_000;

/** The id of a job: ids are in the order of their times. */
export const jobIdAt = (now: number, rest = randomUUID().slice(0, 13)): string =>
  `${now.toString(36).padStart(9, '0')}-${rest}`;

/** When a job of that id began, in ms since 1970; 0 for a text that is no such id. */
export const jobTime = (id: string): number => Number.parseInt(id.slice(0, 9), 36) || 0;

/**
 * Carries out jobs that survive a kill: each is on the key-value store, with how far it is, and when its process ends, any
 * other takes over, or the same one once it is back.
 */
export class JobRunner<J extends Job> {
  readonly #options: JobRunnerOptions<J>;
  readonly #hold: HoldOptions<J>;
  readonly #process = randomUUID();
  readonly #running = new Map<string, AbortController>();
  readonly #busy = new Set<Promise<void>>();
  #stopLooking: (() => void) | undefined;
  #isClosed = false;

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
      lost: () => new JobLostError(),
    };
  }

  /** Takes over what other processes left unfinished, now and every 5 s. */
  start(): void {
    const { clock, onError } = this.#options;
    this.#inBackground(this.#look());
    this.#stopLooking ??= startInterval({ clock, everyMs: LOOK_MS, act: () => this.#look(), onError });
  }

  /** Resolves once the job is on the key-value store; then it will be finished. Its `ended` resolves when this process is done with it. */
  async begin(job: J, changes: readonly Change[] = []): Promise<{ readonly ended: Promise<void> }> {
    const abort = this.#announce(job.id);
    try {
      const held = await HeldRecord.take(this.#hold, this.#options.keyOf(job.id), { text: undefined }, job, changes);
      if (held === undefined) throw new Error(`There is a job ${job.id} already`);
      return { ended: this.#inBackground(this.#carryOut(held, abort)) };
    } catch (error) {
      this.#running.delete(job.id);
      throw error;
    }
  }

  /** Interrupts a job that this process carries out. */
  abort(id: string): void {
    this.#running.get(id)?.abort();
  }

  /** Interrupts all jobs, and frees them for other processes. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopLooking?.();
    for (const abort of this.#running.values()) abort.abort();
    await Promise.all(this.#busy);
  }

  /** Called before the job is on the store, so that this process does not take it for one that was left. */
  #announce(id: string): AbortController {
    const abort = new AbortController();
    this.#running.set(id, abort);
    return abort;
  }

  #inBackground(work: Promise<void>): Promise<void> {
    const ended = work
      .catch((error: unknown) => this.#options.onError(error))
      .then(() => void this.#busy.delete(ended));
    this.#busy.add(ended);
    return ended;
  }

  async #look(): Promise<void> {
    for await (const found of this.#options.unfinished()) {
      const { record } = found;
      if (record !== undefined && this.#isFree(record)) await this.#takeOver(found, record);
    }
  }

  #isFree({ id, holder }: J): boolean {
    if (this.#isClosed || this.#running.has(id)) return false;
    return holder === undefined || holder.process === this.#process || holder.until <= this.#options.clock.wall();
  }

  async #takeOver(found: Found<J>, job: J): Promise<void> {
    const held = await HeldRecord.take(this.#hold, this.#options.keyOf(job.id), found, job);
    if (held !== undefined) this.#inBackground(this.#carryOut(held, this.#announce(job.id)));
  }

  async #carryOut(job: HeldRecord<J>, abort: AbortController): Promise<void> {
    if (this.#isClosed) abort.abort();
    try {
      await this.#options.carryOut(job, abort.signal);
    } catch (error) {
      if (!(error instanceof JobLostError)) throw error;
    } finally {
      this.#running.delete(job.record.id);
      job.stop();
      // A job that cannot be freed now is free once its lease is over.
      if (!this.#options.isFinished(job.record)) await job.release().catch(() => undefined);
    }
  }
}

/** Another process carries the job out, or the API stopped it. */
class JobLostError extends Error {}
