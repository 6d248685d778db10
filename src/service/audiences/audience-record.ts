import type { AudienceReport, SyncResult, TraitReport, TraitResult } from '../api/audience-answers.js';
import type { Job } from '../jobs/job-runner.js';
import type { Changed } from './difference.js';
import type { Named } from './named.js';

/** An audience or a computed trait on the key-value store, without its users. Times are milliseconds since 1970. */
export interface AudienceRecord extends Named, Job {
  /** The number of users who have a value. */
  readonly members: number;
  readonly createdAt: number;
  /** When the last change was done; undefined as long as none was. */
  readonly syncedAt?: number | undefined;
  /** The current change. */
  readonly sync?: Sync | undefined;
}

export interface Sync extends Changed {
  /** Never used twice. */
  readonly id: string;
  readonly kind: 'replace' | 'change' | 'remove';
  /** A change that is being received can be given up; one that is being applied will be finished. */
  readonly phase: 'receiving' | 'applying';
  /** The time in the messages about it. */
  readonly at: number;
  /** Ids given, repetitions included. */
  readonly received: number;
  /** Ids compared, each once. */
  readonly applied: number;
  /** The last place that was compared. */
  readonly cursor?: string | undefined;
}

/** False as long as its first list can still break off. */
export const isEstablished = ({ syncedAt, sync }: AudienceRecord): boolean =>
  syncedAt !== undefined || sync?.phase === 'applying';

export const reportOf = (record: AudienceRecord): AudienceReport => ({
  name: record.name,
  trait: record.trait,
  members: record.members,
  ...progressOf(record),
});

export const traitReportOf = (record: AudienceRecord): TraitReport => ({
  name: record.name,
  trait: record.trait,
  users: record.members,
  ...progressOf(record),
});

const progressOf = ({ createdAt, syncedAt, sync }: AudienceRecord) => ({
  createdAt: timeOf(createdAt),
  syncedAt: syncedAt === undefined ? null : timeOf(syncedAt),
  ...(sync === undefined ? {} : { sync: { phase: sync.phase, received: sync.received, applied: sync.applied } }),
});

export const resultOf = ({ name, trait, members }: AudienceRecord, { joined, left }: Changed): SyncResult => ({
  name,
  trait,
  members,
  joined,
  left,
});

export const traitResultOf = (
  { name, trait, members }: AudienceRecord,
  { joined, changed, left }: Changed,
): TraitResult => ({
  name,
  trait,
  users: members,
  added: joined,
  changed,
  removed: left,
});

const timeOf = (ms: number): string => new Date(ms).toISOString();
