import type { Database } from 'lmdb';
import { type Lease, type Mailbox, NOBODY, type ProcessRecord } from './lease.js';
import type { LmdbEnvironment } from './lmdb-environment.js';

/** What a process tells the one that hands out a destination's deliveries of a change that is in the store. */
export interface Notice {
  readonly destination: number;
  /** The term in which the receiver held the lease; in a later one it knows from the store. */
  readonly term: number;
  readonly id: string;
  readonly at: number;
  /** The URLs at which a first attempt is due since then. */
  readonly came: readonly string[];
  /** The URLs at which nothing waits any more. */
  readonly went: readonly string[];
}

/** A transaction runs while nothing else does, so that much is done in several. */
const MOST_NOTICES = 1_000;

/** The notes that processes leave for each other in lmdb. Whatever writes is called inside a transaction. */
export class LmdbMailbox {
  readonly #environment: LmdbEnvironment;
  readonly #processes: Database<ProcessRecord, number>;
  readonly #leases: Database<Lease, number>;
  readonly #reports: Database<string, number>;
  readonly #notices: Database<Notice, (number | string)[]>;
  readonly #counters: Database<number, string>;
  /** The leases read in the latest transaction: no other process changes them while it lasts. */
  readonly #read = { transaction: -1, leases: new Map<number, Lease | undefined>() };
  #sent = 0;

  constructor(environment: LmdbEnvironment) {
    const { db } = environment;
    this.#environment = environment;
    this.#processes = db.openDB({ name: 'service/processes', encoding: 'json' });
    this.#leases = db.openDB({ name: 'service/leases', encoding: 'json' });
    this.#reports = db.openDB({ name: 'service/reports', encoding: 'string' });
    this.#notices = db.openDB({ name: 'service/notices', encoding: 'json' });
    this.#counters = db.openDB({ name: 'service/counters', encoding: 'json' });
  }

  read(): Mailbox {
    return { processes: mapOf(this.#processes), leases: mapOf(this.#leases) };
  }

  process(number: number): ProcessRecord | undefined {
    return this.#processes.get(number);
  }

  lease(destination: number): Lease | undefined {
    return this.#leases.get(destination);
  }

  report(destination: number): string | undefined {
    return this.#reports.get(destination);
  }

  /** The same as `lease`, read once in a transaction. Called inside one. */
  leaseNow(destination: number): Lease | undefined {
    const { transaction } = this.#environment.commits;
    const { leases } = this.#read;
    if (this.#read.transaction !== transaction) {
      this.#read.transaction = transaction;
      leases.clear();
    }
    if (!leases.has(destination)) leases.set(destination, this.#leases.get(destination));
    return leases.get(destination);
  }

  /** A number that no process had before. */
  nextProcess(): number {
    const number = (this.#counters.get('processes') ?? 0) + 1;
    this.#counters.put('processes', number);
    return number;
  }

  putProcess(number: number, record: ProcessRecord): void {
    this.#processes.put(number, record);
  }

  putLease(destination: number, lease: Lease): void {
    this.#read.leases.delete(destination);
    this.#leases.put(destination, lease);
  }

  putReport(destination: number, report: string): void {
    this.#reports.put(destination, report);
  }

  /** Ends the lease, if it is that process's, and keeps its term, so that the next one is another. */
  release(destination: number, holder: number): void {
    const lease = this.#leases.get(destination);
    if (lease?.holder === holder) this.putLease(destination, { holder: NOBODY, term: lease.term });
  }

  tell(receiver: number, notices: Notice): void {
    this.#notices.put([receiver, this.#environment.id, this.#sent++], notices);
  }

  hasNotices(receiver: number): boolean {
    return this.#notices.getKeysCount({ ...noticesOf(receiver), limit: 1 }) > 0;
  }

  /** Takes the earliest away. */
  takeNotices(receiver: number): Notice[] {
    const entries = [...this.#notices.getRange({ ...noticesOf(receiver), limit: MOST_NOTICES })];
    for (const { key } of entries) this.#notices.remove(key);
    return entries.map(({ value }) => value);
  }

  /** Removes a process, and what is left for it; where that is much, a part of it, and the process when asked again. */
  bury(number: number): void {
    if (this.takeNotices(number).length < MOST_NOTICES) this.#processes.remove(number);
  }
}

const noticesOf = (receiver: number) => ({ start: [receiver], end: [receiver + 1] });

const mapOf = <T>(table: Database<T, number>): Map<number, T> =>
  new Map([...table.getRange()].map(({ key, value }) => [key, value]));
