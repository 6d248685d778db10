import type { AudienceReport, SyncResult, TraitReport, TraitResult } from '../api/audience-answers.js';
import type { StoredJob } from '../jobs/job-runner.js';
import type { NamedList } from './named.js';

/** An audience or a computed trait on the key-value store, without its users. Times are milliseconds since 1970. */
export interface AudienceRecord extends NamedList, StoredJob {
  /** The number of users who have a value. */
  readonly members: number;
  readonly createdAt: number;
  /** When the last change was finished; undefined if none has been finished yet. */
  readonly syncedAt?: number | undefined;
  /** The current change. */
  readonly sync?: Sync | undefined;
}

export interface Sync {
  /** Unique to this change. */
  readonly id: string;
  readonly kind: 'replace' | 'change' | 'remove';
  /** A change that is being received can be given up; one that is being applied will be finished. */
  readonly phase: 'receiving' | 'applying';
  /** The time that its messages have. */
  readonly at: number;
  /** The number of ids received, including repeated ones. */
  readonly received: number;
  /** The number of ids compared so far; a repeated id counts once. */
  readonly applied: number;
  /** The last key that was compared. */
  readonly cursor?: string | undefined;
  /** The number of users who had no value and now have one. */
  readonly joined: number;
  /** The number of users whose value is now a different one. */
  readonly changed: number;
  /** The number of users who had a value and now have none. */
  readonly left: number;
}

export const reportOf = (record: AudienceRecord): AudienceReport => reportWith(record, { members: record.members });

export const traitReportOf = (record: AudienceRecord): TraitReport => reportWith(record, { users: record.members });

const reportWith = <Users extends object>(
  { name, trait, createdAt, syncedAt, sync }: AudienceRecord,
  users: Users,
) => ({
  name,
  trait,
  ...users,
  createdAt: timeOf(createdAt),
  syncedAt: syncedAt === undefined ? null : timeOf(syncedAt),
  ...(sync === undefined ? {} : { sync: { phase: sync.phase, received: sync.received, applied: sync.applied } }),
});

/** @param record the record as the last step of its change left it */
export const resultOf = ({ name, trait, members, sync }: AudienceRecord): SyncResult => ({
  name,
  trait,
  members,
  joined: sync?.joined ?? 0,
  left: sync?.left ?? 0,
});

export const traitResultOf = ({ name, trait, members, sync }: AudienceRecord): TraitResult => ({
  name,
  trait,
  users: members,
  added: sync?.joined ?? 0,
  changed: sync?.changed ?? 0,
  removed: sync?.left ?? 0,
});

const timeOf = (ms: number): string => new Date(ms).toISOString();
