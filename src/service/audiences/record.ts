import type { AudienceReport, SyncResult } from '../api/answers.js';
import type { Named } from './name.js';

/** An audience on the key-value store, without its members. Times are milliseconds since 1970. */
export interface AudienceRecord extends Named {
  readonly members: number;
  readonly createdAt: number;
  /** When the last change was done; undefined as long as none was. */
  readonly syncedAt?: number | undefined;
  /** The current change. */
  readonly sync?: Sync | undefined;
}

export interface Sync {
  /** Never used twice. */
  readonly id: string;
  readonly kind: 'replace' | 'change' | 'remove';
  /** While it is received it can be given up; once it is being applied it will be done. */
  readonly phase: 'receiving' | 'applying';
  /** The time in the messages about it. */
  readonly at: number;
  /** Before then only its holder may go on with it. */
  readonly leaseUntil: number;
  /** Ids given, repetitions included. */
  readonly received: number;
  /** Ids compared, each once. */
  readonly applied: number;
  readonly joined: number;
  readonly left: number;
  /** The last place that was compared. */
  readonly cursor?: string | undefined;
}

/** False as long as its first list can still break off. */
export const isEstablished = ({ syncedAt, sync }: AudienceRecord): boolean =>
  syncedAt !== undefined || sync?.phase === 'applying';

export const reportOf = ({ name, trait, members, createdAt, syncedAt, sync }: AudienceRecord): AudienceReport => ({
  name,
  trait,
  members,
  createdAt: timeOf(createdAt),
  syncedAt: syncedAt === undefined ? null : timeOf(syncedAt),
  ...(sync === undefined ? {} : { sync: { phase: sync.phase, received: sync.received, applied: sync.applied } }),
});

export const resultOf = ({ name, trait, members }: AudienceRecord, { joined, left }: Sync): SyncResult => ({
  name,
  trait,
  members,
  joined,
  left,
});

const timeOf = (ms: number): string => new Date(ms).toISOString();
