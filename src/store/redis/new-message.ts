import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { Ready } from '../event-store.js';
import type { Leases } from './leases.js';
import type { RedisCounts } from './redis-counts.js';
import type { RedisKeys } from './redis-keys.js';
import type { Read } from './stored-text.js';

/** A message that comes in. */
export interface NewMessage<S extends ReceivingStore = ReceivingStore> {
  /** The key under which its id is remembered, where it has one. */
  readonly seen: string | undefined;
  readonly body: Uint8Array;
  readonly deliveries: readonly NewDelivery<S>[];
}

/** What is asked of the store of a destination. */
export interface ReceivingStore {
  readonly keys: RedisKeys;
  readonly counts: RedisCounts;
  leases(url: string): Leases;
  /** The event stands in the store like that, and this process has claimed it. */
  note(read: Read): void;
  /** Those of the event's URLs that are to be written down. */
  unnamedUrls(event: StoredEvent): readonly string[];
  /** Deliveries of ordered events have come in line for their first attempt. */
  tellReady(ready: readonly Ready[]): void;
  /** They are written down. */
  nameUrls(urls: readonly string[]): void;
}

export interface NewDelivery<S extends ReceivingStore = ReceivingStore> {
  readonly store: S;
  readonly event: StoredEvent;
  /** Whether it is left out where the destination has an event of that id; otherwise nothing of the message is taken in then. */
  readonly isLoose: boolean;
}

/**
 * What became of a message: for each delivery whether it is new; or the id was seen before, or meets other events.
 */
export type Outcome = readonly boolean[] | 'known' | 'meets';
