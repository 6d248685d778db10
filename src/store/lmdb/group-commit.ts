import type { RootDatabase } from 'lmdb';
import { StoreWriteError } from '../store-errors.js';

interface CommitWork {
  work(): unknown;
  /** True if deliveries cannot end without this job. */
  readonly isVital: boolean;
  /** True after the job was part of a commit that found no room. */
  wasTried: boolean;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Collects what the jobs of a transaction change, and writes it once after all jobs. */
interface Gatherer<T> {
  /** Creates an empty collection for each transaction, so that nothing of a failed transaction is written. */
  begin(): T;
  /** Writes what was collected. */
  end?(gathered: T): void;
  /** Called once the collection is committed, before the callers of the jobs hear of it. */
  committed?(gathered: T): void;
}

/** The jobs that a transaction has run, with their results. */
interface Ran {
  jobs: readonly CommitWork[];
  readonly results: unknown[];
  gathered: readonly (readonly [gatherer: Gatherer<unknown>, gathered: unknown])[];
}

/** The result of a job that is visible, and a promise for the moment when it is on the disk. */
interface Committed<T> {
  readonly result: T;
  readonly flushed: Promise<unknown>;
}

/** A transaction blocks everything else in the process, so it is kept short. */
const MOST_JOBS = 4_000;

/** With little room, small commits can reuse the pages that the commit before has freed. */
const MOST_JOBS_WITHOUT_ROOM = 8;

/**
 * Runs jobs inside lmdb transactions, one transaction at a time: while one is being committed, jobs for the next are collected,
 * so commits grow with the load. A job sees what every earlier job wrote. A job may be run again, and its last run counts.
 */
export class GroupCommit {
  readonly #db: RootDatabase;
  readonly #onNoRoom: () => void;
  #jobs: CommitWork[] = [];
  #isCommitting = false;
  #isStuck = false;
  #probing: Promise<void> | undefined;
  #mostJobs = MOST_JOBS;
  /** What the gatherers have collected in the running transaction. */
  readonly #gathered = new Map<Gatherer<unknown>, unknown>();

  /** @param onNoRoom called when a commit found no room, before the vital jobs are tried once more */
  constructor(db: RootDatabase, onNoRoom: () => void) {
    this.#db = db;
    this.#onNoRoom = onNoRoom;
  }

  /** Returns the gatherer's collection in the running transaction, which is written when that ends. */
  gathered<T>(gatherer: Gatherer<T>): T {
    // Only the gatherer's own `begin` creates its value in the map, so the type is right.
    const found = this.#gathered.get(gatherer) as T | undefined;
    if (found !== undefined) return found;
    const begun = gatherer.begin();
    this.#gathered.set(gatherer, begun);
    return begun;
  }

  /** False once even vital jobs cannot be written. A write on which nothing depends is then retried in the background. */
  get canRecord(): boolean {
    if (!this.#isStuck) return true;
    this.#probing ??= this.probe()
      .catch(() => undefined)
      .then(() => {
        this.#probing = undefined;
      });
    return false;
  }

  /** Makes a small write on which nothing depends, and resolves once it is on the disk. */
  async probe(): Promise<void> {
    const table = this.#db.openDB<string, string>({ name: 'probe', encoding: 'string' });
    await this.runDurably(() => void table.put('now', String(performance.now())), true);
  }

  /** Resolves once all earlier writes would survive a power failure of the machine. */
  async flush(): Promise<void> {
    await this.#probing;
    await this.runDurably(() => undefined);
  }

  /** Resolves when the job's writes are visible; `flushed` when they are on the disk. A job that throws writes nothing. */
  run<T>(work: () => T, isVital = false): Promise<Committed<T>> {
    return new Promise((resolve, reject) => {
      // `resolve` is called with what `work` returned.
      this.#jobs.push({ work, isVital, wasTried: false, resolve: resolve as (result: unknown) => void, reject });
      if (!this.#isCommitting) void this.#commitAll();
    });
  }

  /** Resolves when the job's writes are on the disk. */
  async runDurably<T>(work: () => T, isVital = false): Promise<T> {
    const { result, flushed } = await this.run(work, isVital);
    await flushed;
    return result;
  }

  async #commitAll(): Promise<void> {
    this.#isCommitting = true;
    while (this.#jobs.length > 0) await this.#commit();
    this.#isCommitting = false;
  }

  async #commit(): Promise<void> {
    const ran: Ran = { jobs: [], results: [], gathered: [] };
    try {
      // lmdb can abort a child transaction with everything in it.
      const committed = this.#db.childTransaction(() => {
        ran.jobs = this.#jobs.splice(0, this.#mostJobs);
        this.#runAll(ran);
      });
      // Read now, while the property still belongs to this transaction and not to a later one.
      const flushed = this.#db.flushed.then(() => undefined);
      flushed.catch(() => undefined);
      await committed;
      this.#isStuck = false;
      for (const [index, job] of ran.jobs.entries()) job.resolve({ result: ran.results[index], flushed });
      for (const [gatherer, gathered] of ran.gathered) gatherer.committed?.(gathered);
      if (this.#mostJobs < MOST_JOBS) await this.#goOn(flushed);
    } catch (error) {
      await this.#failed(ran, error);
    }
  }

  #runAll(ran: Ran): void {
    try {
      for (const { work } of ran.jobs) ran.results.push(work());
      for (const [gatherer, gathered] of this.#gathered) gatherer.end?.(gathered);
      ran.gathered = [...this.#gathered];
    } finally {
      this.#gathered.clear();
    }
  }

  /** Allows larger commits once this one is on the disk, because lmdb can then reuse the pages that the previous commit freed. */
  async #goOn(flushed: Promise<unknown>): Promise<void> {
    await flushed.catch(() => undefined);
    this.#mostJobs = Math.min(MOST_JOBS, this.#mostJobs * 2);
  }

  /** Handles a failed transaction, which wrote nothing. A job that fails by itself is left out; the others are repeated. */
  async #failed({ jobs, results }: Ran, error: unknown): Promise<void> {
    const culprit = jobs[results.length];
    if (culprit !== undefined) {
      culprit.reject(error);
      this.#jobs = [...jobs.filter((job) => job !== culprit), ...this.#jobs];
      return;
    }
    // If the transaction did not even start, the jobs that wait for the next one would wait forever.
    const lost = jobs.length > 0 ? jobs : this.#jobs.splice(0);
    const reason = await reasonOf(error);
    const again = reason instanceof StoreWriteError ? this.#withoutRoom(lost) : [];
    // Jobs that would fail for the same reason are not tried.
    const failed = [...lost.filter((job) => !again.includes(job)), ...(this.#isStuck ? this.#jobs.splice(0) : [])];
    for (const job of failed) job.reject(reason);
    this.#jobs = [...again, ...this.#jobs];
  }

  /** Returns the vital jobs, which are tried once more, a few at a time. */
  #withoutRoom(jobs: readonly CommitWork[]): CommitWork[] {
    this.#onNoRoom();
    this.#mostJobs = MOST_JOBS_WITHOUT_ROOM;
    const vital = jobs.filter(({ isVital }) => isVital);
    this.#isStuck ||= vital.length > 0 && jobs.length <= MOST_JOBS_WITHOUT_ROOM && vital.every((job) => job.wasTried);
    if (this.#isStuck) return [];
    for (const job of vital) job.wasTried = true;
    return vital;
  }
}

/** Returns the reason of a failed commit. The error of lmdb has it in a promise. */
async function reasonOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  return new StoreWriteError(await Promise.resolve(error.commitError).catch((reason: unknown) => reason));
}
