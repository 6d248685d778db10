import type { Clock } from '../../base/time/clock.js';
import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { EventStore } from '../event-store.js';
import type { StoreWithLines } from '../line.js';
import type { Claimed, Claims } from './claims.js';
import type { Intervals } from './intervals.js';
import type { Lookout } from './lookout.js';
import type { ReceivingStore } from './new-message.js';
import type { Notices } from './notices.js';
import type { RedisClient } from './redis-client.js';
import type { RedisCounts } from './redis-counts.js';
import type { RedisKeys } from './redis-keys.js';

/** The parts that all stores of a storage share. */
export interface SharedConnection {
  readonly link: RedisClient;
  readonly intervals: Intervals;
  /** The clock for the times in queue keys. */
  readonly clock: Clock;
  readonly notices: Notices;
  readonly lookout: Lookout;
}

/** A store's part in one partition. */
export interface StorePart extends ReceivingStore, Pick<EventStore, 'event'> {
  readonly connection: SharedConnection & { readonly claims: Claims };
  /**
   * Reads a claimed event and keeps it, because it probably stays so until `lookAway`. Returns undefined if the event
   * is gone.
   *
   * @throws StoreRecordError if it cannot be read
   */
  noteClaimed(url: string, claimed: Claimed): { event: StoredEvent; body: Uint8Array } | undefined;
  /** Forgets what was read of an event, because this process will not change it now. */
  lookAway(id: string): void;
}

/** The part of a store in Redis that a line needs, with one partition or several. */
export interface SharedStore extends StoreWithLines {
  readonly connection: SharedConnection;
  /** The keys of what each endpoint has only once. */
  readonly keys: RedisKeys;
  readonly counts: Pick<RedisCounts, 'of'>;
  /** The parts by partition. A store with one partition is its own only part. */
  readonly parts: readonly StorePart[];
}

/** Whether the store belongs to a storage in Redis. */
export const isShared = (store: EventStore): store is SharedStore => 'parts' in store;
