import type { Clock } from '../../clock.js';
import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { EventStore } from '../event-store.js';
import type { Claimed } from './claims.js';
import type { Intervals } from './intervals.js';
import type { Jobs } from './jobs.js';
import type { ReceivingStore } from './new-message.js';
import type { Notices } from './notices.js';
import type { Driver, RedisClient } from './redis-client.js';
import type { RedisCounts } from './redis-counts.js';
import type { RedisKeys } from './redis-keys.js';

/** What all stores of a storage are reached by. */
export interface SharedConnection {
  readonly link: RedisClient;
  /** A connection for the workers, which wait however long Redis is gone. */
  readonly patient: Driver;
  readonly bullmq: typeof import('bullmq');
  readonly intervals: Intervals;
  /** The time that queue keys are in. */
  readonly clock: Clock;
  readonly notices: Notices;
}

/** What a store has in one partition. */
export type StorePart = ReceivingStore & Pick<EventStore, 'event'>;

/** What the scheduler needs of a store in Redis, be it in one place or in partitions. */
export interface SharedStore extends EventStore {
  readonly connection: SharedConnection;
  /** Of what each endpoint has once: its retry jobs, and its sweeper's marks. */
  readonly keys: RedisKeys;
  readonly counts: Pick<RedisCounts, 'of'>;
  /** A store that is in one place is its only part. */
  readonly parts: readonly StorePart[];
  /** The one that has the event of that id. */
  partOf(id: string): StorePart;
  jobs(url: string): Jobs;
  /** Reads an event that is about to be changed: it is thought to stay like that until `lookAway`. */
  look(id: string): Promise<StoredEvent | undefined>;
  lookAway(id: string): void;
  /** As `look`, for an event that was claimed at the URL; undefined when it is gone. */
  noteClaimed(url: string, claimed: Claimed): { event: StoredEvent; body: Uint8Array } | undefined;
}
