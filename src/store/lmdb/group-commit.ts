import type { RootDatabase } from 'lmdb';
import { StoreWriteError } from '../store-errors.js';

interface Job {
  work(): unknown;
  /** True if deliveries cannot end without it. */
  readonly isVital: boolean;
  /** True after it was part of a commit that found no room. */
  wasTried: boolean;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** It gathers what a transaction changes, and writes that once, after all its jobs. */
interface Gatherer<T> {
  /** Makes what it gathers in, anew for each transaction: what a failed one has gathered must not be written. */
  begin(): T;
  /** Writes what it has gathered. */
  end?(gathered: T): void;
  /** Called once that is committed, before those who gave the jobs hear of it. */
  committed?(gathered: T): void;
}

/** One transaction, as far as it has come. */
interface Ran {
  jobs: readonly Job[];
  readonly results: unknown[];
  gathered: readonly (readonly [gatherer: Gatherer<unknown>, gathered: unknown])[];
}

/** A batch of jobs that became visible together, and the moment they are safe. */
interface Committed<T> {
  readonly result: T;
  readonly flushed: Promise<unknown>;
}

/** A transaction runs while nothing else does, so that it is kept short. */
const MOST_JOBS = 4_000;

/** If there is little room, each commit can make do with what the one before it has freed. */
const MOST_JOBS_WITHOUT_ROOM = 8;

/**
 * Runs jobs inside lmdb's transactions, one transaction at a time: while one is committed, the next gathers, so that
 * commits grow with load. A job sees what every job before it wrote. A job may be run again, and its last run counts.
 */
export class GroupCommit {
  readonly #db: RootDatabase;
  readonly #onNoRoom: () => void;
  #jobs: Job[] = [];
  #isCommitting = false;
  #isStuck = false;
  #probing: Promise<void> | undefined;
  #mostJobs = MOST_JOBS;
  /** What is gathered in the running transaction. */
  readonly #gathered = new Map<Gatherer<unknown>, unknown>();

  /** @param onNoRoom called when a commit found no room, before what is vital is tried once more */
  constructor(db: RootDatabase, onNoRoom: () => void) {
    this.#db = db;
    this.#onNoRoom = onNoRoom;
  }

  /** Returns what the gatherer has in the running transaction, at whose end it is written. Called inside one. */
  gathered<T>(gatherer: Gatherer<T>): T {
    // Only its own `begin` makes what the map has for a gatherer.
    const found = this.#gathered.get(gatherer) as T | undefined;
    if (found !== undefined) return found;
    const begun = gatherer.begin();
    this.#gathered.set(gatherer, begun);
    return begun;
  }

  /**
   * False after not even what is vital could be written. Then it is tried again in the background, with a write on which nothing
   * depends.
   */
  get canRecord(): boolean {
    if (!this.#isStuck) return true;
    this.#probing ??= this.probe()
      .catch(() => undefined)
      .then(() => {
        this.#probing = undefined;
      });
    return false;
  }

  /** Makes a small write, on which nothing depends, and resolves once it is on the disk. */
  async probe(): Promise<void> {
    const table = this.#db.openDB<string, string>({ name: 'probe', encoding: 'string' });
    await this.runDurably(() => void table.put('now', String(performance.now())), true);
  }

  /** Resolves once everything before it would survive the machine losing power. */
  async flush(): Promise<void> {
    await this.#probing;
    await this.runDurably(() => undefined);
  }

  /** Resolves when what the job wrote is visible; `flushed` when it is on the disk. A job that throws has written nothing. */
  run<T>(work: () => T, isVital = false): Promise<Committed<T>> {
    return new Promise((resolve, reject) => {
      // `resolve` is called with what `work` returned.
      this.#jobs.push({ work, isVital, wasTried: false, resolve: resolve as (result: unknown) => void, reject });
      if (!this.#isCommitting) void this.#commitAll();
    });
  }

  /** Resolves when what the job wrote is on the disk. */
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
      // A child is what lmdb can abort, with everything in it.
      const committed = this.#db.childTransaction(() => {
        ran.jobs = this.#jobs.splice(0, this.#mostJobs);
        this.#runAll(ran);
      });
      // Asked for now, while it still stands for this transaction and not for one after it.
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

  /** Pages that a transaction freed can be written again once the next is on the disk. */
  async #goOn(flushed: Promise<unknown>): Promise<void> {
    await flushed.catch(() => undefined);
    this.#mostJobs = Math.min(MOST_JOBS, this.#mostJobs * 2);
  }

  /** Nothing of the transaction was written. A job that fails by itself is left out; the others go to the next transaction. */
  async #failed({ jobs, results }: Ran, error: unknown): Promise<void> {
    const culprit = jobs[results.length];
    if (culprit !== undefined) {
      culprit.reject(error);
      this.#jobs = [...jobs.filter((job) => job !== culprit), ...this.#jobs];
      return;
    }
    // If it did not even begin, those who wait for the next transaction would wait forever.
    const lost = jobs.length > 0 ? jobs : this.#jobs.splice(0);
    const reason = await reasonOf(error);
    const again = reason instanceof StoreWriteError ? this.#withoutRoom(lost) : [];
    // Jobs that would fail as well are not tried.
    const failed = [...lost.filter((job) => !again.includes(job)), ...(this.#isStuck ? this.#jobs.splice(0) : [])];
    for (const job of failed) job.reject(reason);
    this.#jobs = [...again, ...this.#jobs];
  }

  /** Returns the vital jobs, which are tried once more, a few at a time. */
  #withoutRoom(jobs: readonly Job[]): Job[] {
    this.#onNoRoom();
    this.#mostJobs = MOST_JOBS_WITHOUT_ROOM;
    const vital = jobs.filter(({ isVital }) => isVital);
    this.#isStuck ||= vital.length > 0 && jobs.length <= MOST_JOBS_WITHOUT_ROOM && vital.every((job) => job.wasTried);
    if (this.#isStuck) return [];
    for (const job of vital) job.wasTried = true;
    return vital;
  }
}

/** lmdb says that a commit failed, and why in a promise beside. */
async function reasonOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  return new StoreWriteError(await Promise.resolve(error.commitError).catch((reason: unknown) => reason));
}
