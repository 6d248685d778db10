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

/** What all stores of a storage are reached by. */
export interface SharedConnection {
  readonly link: RedisClient;
  readonly intervals: Intervals;
  /** The time that queue keys are in. */
  readonly clock: Clock;
  readonly notices: Notices;
  readonly lookout: Lookout;
}

/** What a store has in one partition. */
export interface StorePart extends ReceivingStore, Pick<EventStore, 'event'> {
  readonly connection: SharedConnection & { readonly claims: Claims };
  /**
   * The event was claimed at the URL, and is thought to stay as it is until `lookAway`; undefined when it is gone.
   *
   * @throws StoreRecordError when it cannot be read.
   */
  noteClaimed(url: string, claimed: Claimed): { event: StoredEvent; body: Uint8Array } | undefined;
  /** The event is not about to be changed any more. */
  lookAway(id: string): void;
}

/** What a line needs of a store in Redis, be it in one place or in partitions. */
export interface SharedStore extends StoreWithLines {
  readonly connection: SharedConnection;
  /** Of what each endpoint has once. */
  readonly keys: RedisKeys;
  readonly counts: Pick<RedisCounts, 'of'>;
  /** A store that is in one place is its only part. */
  readonly parts: readonly StorePart[];
}

/** Whether the store is one of a storage in Redis. */
export const isShared = (store: EventStore): store is SharedStore => 'parts' in store;
