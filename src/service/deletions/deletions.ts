import { createHash } from 'node:crypto';
import type { Clock } from '../../base/time/clock.js';
import type { EraseOptions } from '../../ledger/attempts/erase-users.js';
import type { ErasedUsers } from '../../ledger/attempts/erased-users.js';
import type { Ledger } from '../../ledger/ledger.js';
import type { Storage } from '../../store/storage.js';
import type { DeletionPreview, DeletionReport } from '../api/deletion-answers.js';
import type { Audiences } from '../audiences/audiences.js';
import type { Incoming, Ingest } from '../ingest/ingest.js';
import type { HeldRecord } from '../jobs/held-record.js';
import { JobRunner, jobIdAt } from '../jobs/job-runner.js';
import type { DeliveryJobs } from '../letters/delivery-jobs.js';
import type { ManagedDestinations } from '../routing/managed-destinations.js';
import { AUDIENCES } from '../routing/message-routes.js';
import type { Log } from '../service-log.js';
import { countErasable } from './count-erasable.js';
import {
  changesToBegin,
  changesToEnd,
  type DeletionRecord,
  deletedUsersOf,
  deletionAt,
  deletionKey,
  erasedKey,
  isDone,
  newestDeletions,
  notificationsOf,
  reportOf,
  undoneDeletions,
} from './deletion-records.js';

/** The parts of the service that hold data of users or send the notifications. */
export interface DeletionsOptions {
  readonly storage: Pick<Storage, 'keyValues' | 'settled'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly deletedUsers: ErasedUsers;
  readonly ledger: Ledger;
  readonly managedDestinations: ManagedDestinations;
  readonly audiences: Audiences;
  readonly ingest: Ingest;
  readonly deliveryJobs: Pick<DeliveryJobs, 'erase'>;
  /** Called with each failure, after which the deletion is tried again. */
  onError(error: unknown): void;
}

/** The maximum number of users in one request. */
export const MOST_USERS = 5_000;

/** The number of notifications that are stored between two writes of the progress. */
const STEP = 500;

/**
 * Removes users from the recent deliveries, takes them out of all audiences, and then sends `delete` notifications for them. A
 * request is stored with its users before it is answered. The id of a notification is derived from its content, so a step that is
 * repeated stores it only once.
 */
export class Deletions {
  readonly #options: DeletionsOptions;
  readonly #jobs: JobRunner<DeletionRecord>;

  constructor(options: DeletionsOptions) {
    this.#options = options;
    const { storage, clock, onError } = options;
    const { keyValues } = storage;
    this.#jobs = new JobRunner({
      ...{ keyValues, clock, onError },
      keyOf: ({ id }) => deletionKey(id),
      unfinished: () => undoneDeletions(keyValues),
      isFinished: isDone,
      carryOut: (job, signal) => this.#carryOut(job, signal),
    });
  }

  /** Finishes deletions that a process left unfinished, now and periodically. */
  start(): void {
    void this.#jobs.start();
  }

  /**
   * Counts what a request would erase, by source.
   *
   * @param only the sources that it is limited to; undefined means all sources and the audiences
   */
  async preview(userIds: readonly string[], only?: readonly string[]): Promise<DeletionPreview> {
    const { storage, ingest, ledger, managedDestinations, audiences } = this.#options;
    const users = [...new Set(userIds)];
    const isMeant = (source: string): boolean => only?.includes(source) ?? true;
    await ledger.flush();
    const { bySource: counted, hasMore } = await countErasable(storage.keyValues, managedDestinations, users);
    const told = new Set(ingest.routes.fedSources());
    const bySource = [...new Set([...told, ...counted.keys()])].filter(isMeant).map((source) => ({
      source,
      destinations: told.has(source) ? ingest.routes.enabledOf(source) : [],
      notifications: told.has(source) ? users.length : 0,
      ...(counted.get(source) ?? { waiting: 0, dead: 0, attempts: 0 }),
    }));
    return {
      users: users.length,
      notifications: bySource.reduce((sum, { notifications }) => sum + notifications, 0),
      memberships: isMeant(AUDIENCES) ? await audiences.memberships(users) : 0,
      bySource,
      ...(hasMore && { hasMore }),
    };
  }

  /** Stores a request. Once it resolves, the users will be deleted even if this process ends. It takes what `preview` takes. */
  async request(userIds: readonly string[], only?: readonly string[]): Promise<DeletionReport> {
    const { storage, clock, ingest, deletedUsers } = this.#options;
    const now = clock.wall();
    const users = [...new Set(userIds)];
    const number = await deletedUsers.count();
    const record: DeletionRecord = {
      id: jobIdAt(now),
      at: now,
      number,
      users: users.length,
      sources: ingest.routes.fedSources().filter((source) => only?.includes(source) ?? true),
      only,
      phase: 'attempts',
      erased: 0,
      done: 0,
    };
    await this.#jobs.begin(record, changesToBegin(record.id, users));
    await deletedUsers.mark(users, number, only);
    await storage.settled(() => ({ key: deletionKey(record.id) }));
    return reportOf(record);
  }

  async get(id: string): Promise<DeletionReport | undefined> {
    const found = await deletionAt(this.#options.storage.keyValues, id);
    return found && reportOf(found.record);
  }

  /** Lists at most `limit` deletions, newest first. */
  async list(limit = 100, before?: string): Promise<DeletionReport[]> {
    return (await newestDeletions(this.#options.storage.keyValues, limit, before)).map(reportOf);
  }

  /** Resolves when the current steps are done. */
  close(): Promise<void> {
    return this.#jobs.close();
  }

  async #carryOut(job: HeldRecord<DeletionRecord>, signal: AbortSignal): Promise<void> {
    const { id } = job.record;
    const users = await deletedUsersOf(this.#options.storage.keyValues, id);
    while (!signal.aborted) {
      const change = await this.#next(job, users, signal);
      if (change === undefined) return;
      const isEnd = isDone({ ...job.record, ...change });
      await job.update((record) => ({ ...record, ...change }), isEnd ? changesToEnd(id) : []);
      if (isEnd) return this.#tellDone(job.record);
    }
  }

  #tellDone(record: DeletionRecord): void {
    const { id, users, notifications, erased } = reportOf(record);
    this.#options.log.info({ deletion: id, users, notifications, erased }, 'a deletion is done');
  }

  /** Performs one step and returns the changed fields; undefined if it was interrupted, an audience is being changed, or a replay or discard for a user runs. */
  async #next(
    job: HeldRecord<DeletionRecord>,
    users: readonly string[],
    signal: AbortSignal,
  ): Promise<Partial<DeletionRecord> | undefined> {
    const { record } = job;
    const { number: deletion, only: sources } = record;
    if (record.phase === 'attempts') {
      const key = erasedKey(record.id);
      const [before = record.erased] = await this.#options.storage.keyValues.get([key]);
      job.note((noted) => ({ ...noted, erased: Number(before) }));
      const counted = (attempts: number) => ({ key, value: String(job.record.erased + attempts) });
      const onErased = (attempts: number): void => job.note((noted) => ({ ...noted, erased: noted.erased + attempts }));
      await this.#erase(users, { deletion, sources, signal, counted, onErased });
      return signal.aborted ? undefined : { phase: 'audiences' };
    }
    if (record.phase === 'audiences') {
      const isMeant = sources?.includes(AUDIENCES) ?? true;
      // This time is earlier than that of the notifications, so that a receiver can see the order.
      const isOut = !isMeant || (await this.#options.audiences.withdraw(users, record.at - 1));
      return isOut ? { phase: 'notifications' } : undefined;
    }
    if (record.phase === 'notifications') {
      const done = await this.#step(record, users);
      return { done, phase: done < notificationsOf(record) ? 'notifications' : 'deliveries' };
    }
    await this.#discard(users, signal);
    if (signal.aborted || !(await this.#options.deliveryJobs.erase(users))) return undefined;
    return { phase: 'done' };
  }

  /** Removes the users from the recent deliveries, and waits for requests of this process that are still running. */
  async #erase(users: readonly string[], options: EraseOptions): Promise<void> {
    const { ledger, managedDestinations } = this.#options;
    await ledger.attempts.erase(users, options);
    const destinations = [...managedDestinations.byName.values()];
    await Promise.all(destinations.map(({ destination }) => destination.attemptsBefore()));
  }

  /** Discards the waiting deliveries and dead letters of these users that are older than the deletion. */
  async #discard(users: readonly string[], signal: AbortSignal): Promise<void> {
    for (const { destination } of this.#options.managedDestinations.all()) await destination.forget(users, signal);
  }

  /** Stores the next notifications, and returns how many are stored in total. */
  async #step(record: DeletionRecord, users: readonly string[]): Promise<number> {
    const { ingest } = this.#options;
    const { sources, done } = record;
    const end = Math.min(done + STEP, notificationsOf(record));
    const bySource = new Map<string, Incoming[]>(sources.map((source) => [source, []]));
    for (let number = done; number < end; number++) {
      const source = sources[number % sources.length] ?? '';
      const userId = users[Math.floor(number / sources.length)];
      if (userId !== undefined) bySource.get(source)?.push(notificationOf(record, source, userId));
    }
    for (const [source, notifications] of bySource) {
      // A source that was removed has no destination that could delete anything.
      if (notifications.length > 0 && ingest.routes.of(source) !== undefined) await ingest.take(source, notifications);
    }
    return end;
  }
}

function notificationOf({ id, at }: DeletionRecord, source: string, userId: string): Incoming {
  const about = createHash('sha256')
    .update(JSON.stringify([id, source, userId]))
    .digest('hex');
  return { type: 'delete', messageId: `delete-${about.slice(0, 40)}`, userId, timestamp: new Date(at).toISOString() };
}
