import type { RootDatabase } from 'lmdb';
import { StoreWriteError } from './errors.js';

interface Job {
  work(): unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** A batch of jobs that became visible together, and the moment they are safe. */
interface Committed<T> {
  readonly result: T;
  readonly flushed: Promise<unknown>;
}

/** A transaction runs while nothing else does, so that it is kept short. */
const MOST_JOBS = 4_000;

/**
 * Runs jobs inside lmdb's transactions, one transaction at a time: while one is committed, the next gathers, so that
 * commits grow with load. A job sees what every job before it wrote. A job may be run again, and its last run counts.
 */
export class GroupCommit {
  readonly #db: RootDatabase;
  #jobs: Job[] = [];
  #isCommitting = false;
  #transactions = 0;

  constructor(db: RootDatabase) {
    this.#db = db;
  }

  /** Which transaction this is: what a job read in it holds until it ends. */
  get transaction(): number {
    return this.#transactions;
  }

  /** Resolves when what the job wrote is visible; `flushed` when it is on the disk. A job that throws has written nothing. */
  run<T>(work: () => T): Promise<Committed<T>> {
    return new Promise((resolve, reject) => {
      // What comes back through `resolve` is what `work` returned.
      this.#jobs.push({ work, resolve: resolve as (result: unknown) => void, reject });
      if (!this.#isCommitting) void this.#commitAll();
    });
  }

  /** Resolves when what the job wrote is on the disk. */
  async runDurably<T>(work: () => T): Promise<T> {
    const { result, flushed } = await this.run(work);
    await flushed;
    return result;
  }

  async #commitAll(): Promise<void> {
    this.#isCommitting = true;
    while (this.#jobs.length > 0) await this.#commit();
    this.#isCommitting = false;
  }

  async #commit(): Promise<void> {
    const ran: { jobs: Job[]; results: unknown[] } = { jobs: [], results: [] };
    try {
      // A child is what lmdb can abort, with everything in it.
      const committed = this.#db.childTransaction(() => {
        this.#transactions++;
        ran.jobs = this.#jobs.splice(0, MOST_JOBS);
        for (const { work } of ran.jobs) ran.results.push(work());
      });
      // Asked for now, while it still stands for this transaction and not for one after it.
      const flushed = this.#db.flushed.then(() => undefined);
      flushed.catch(() => undefined);
      await committed;
      for (const [index, job] of ran.jobs.entries()) job.resolve({ result: ran.results[index], flushed });
    } catch (error) {
      this.#failed(ran, error);
    }
  }

  /** Nothing of the transaction was written. What fails by itself is left out of the next, to which the others go. */
  #failed({ jobs, results }: { jobs: Job[]; results: unknown[] }, error: unknown): void {
    const culprit = jobs[results.length];
    if (culprit !== undefined) {
      culprit.reject(error);
      this.#jobs = [...jobs.filter((job) => job !== culprit), ...this.#jobs];
      return;
    }
    // When it did not even begin, those who wait for the next would wait for ever.
    const lost = jobs.length > 0 ? jobs : this.#jobs.splice(0);
    void reasonOf(error).then((reason) => {
      for (const job of lost) job.reject(reason);
    });
  }
}

/** lmdb says that a commit failed, and why in a promise beside. */
async function reasonOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  return new StoreWriteError(await Promise.resolve(error.commitError).catch((reason: unknown) => reason));
}
