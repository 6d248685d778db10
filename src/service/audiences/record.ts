import type { AudienceReport, SyncResult } from '../api/answers.js';
import type { Named } from './name.js';

/** What the key-value store has of an audience beside its members. Times are milliseconds since 1970. */
export interface AudienceRecord extends Named {
  readonly members: number;
  readonly createdAt: number;
  /** When the last change was done; undefined as long as none was. */
  readonly syncedAt?: number | undefined;
  /** The change under way. */
  readonly sync?: Sync | undefined;
}

export interface Sync {
  /** Never used twice. */
  readonly id: string;
  readonly kind: 'replace' | 'change' | 'remove';
  /** Until all of it is on the key-value store it can be given up; from then on it will be done. */
  readonly phase: 'receiving' | 'applying';
  /** When it happened, for those who are told of it. */
  readonly at: number;
  /** Until then only its holder may go on with it. */
  readonly leaseUntil: number;
  /** Ids given, those given twice included. */
  readonly received: number;
  /** Ids looked at, each once. */
  readonly applied: number;
  readonly joined: number;
  readonly left: number;
  /** The place up to which it is done. */
  readonly cursor?: string | undefined;
}

export const encodeRecord = (record: AudienceRecord): string => JSON.stringify(record);

// Nobody but encodeRecord has written it.
export const decodeRecord = (text: string): AudienceRecord => JSON.parse(text) as AudienceRecord;

/** Whether it is more than a first list that breaks off, or has broken off. */
export const isEstablished = ({ syncedAt, sync }: AudienceRecord): boolean =>
  syncedAt !== undefined || sync?.phase === 'applying';

export const isHeld = ({ sync }: AudienceRecord, now: number): boolean => sync !== undefined && sync.leaseUntil > now;

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
