import type { RootDatabase } from 'lmdb';

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

/**
 * Runs jobs inside lmdb's transactions, one transaction at a time: while one is committed, the next gathers, so that
 * commits grow with load. A job sees what every job before it wrote.
 */
export class GroupCommit {
  readonly #db: RootDatabase;
  #jobs: Job[] = [];
  #isCommitting = false;

  constructor(db: RootDatabase) {
    this.#db = db;
  }

  /** Resolves when what the job wrote is visible; `flushed` when it is on the disk. */
  run<T>(work: () => T): Promise<Committed<T>> {
    return new Promise((resolve, reject) => {
      // What comes back through `resolve` is what `work` returned.
      this.#jobs.push({ work, resolve: resolve as (result: unknown) => void, reject });
      if (!this.#isCommitting) void this.#commitAll();
    });
  }

  async #commitAll(): Promise<void> {
    this.#isCommitting = true;
    while (this.#jobs.length > 0) await this.#commit();
    this.#isCommitting = false;
  }

  async #commit(): Promise<void> {
    let jobs: Job[] = [];
    try {
      const committed = this.#db.transaction(() => {
        jobs = this.#jobs;
        this.#jobs = [];
        return jobs.map(attempt);
      });
      // Asked for now, while it still stands for this transaction and not for one after it.
      const flushed = this.#db.flushed.then(() => undefined);
      flushed.catch(() => undefined);
      const results = await committed;
      for (const [index, job] of jobs.entries()) settle(job, results[index], flushed);
    } catch (error) {
      // Nothing of a failed transaction is written, and those who came too late for it would wait for ever.
      for (const job of [...jobs, ...this.#jobs.splice(0)]) job.reject(error);
    }
  }
}

type Result = { value: unknown } | { error: unknown };

function attempt({ work }: Job): Result {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}

function settle(job: Job, result: Result | undefined, flushed: Promise<unknown>): void {
  if (result === undefined) job.reject(new Error('The transaction ended without running its jobs'));
  else if ('error' in result) job.reject(result.error);
  else job.resolve({ result: result.value, flushed });
}
