import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { RedisFailedError } from '../errors.js';
import type { Ready } from '../event-store.js';
import type { Leases } from './leases.js';
import type { RedisKeys } from './redis-keys.js';
import type { Read } from './stored-text.js';

/** A message to store. */
export interface NewMessage<S extends ReceivingStore = ReceivingStore> {
  /** The key that remembers its id; undefined if it is not remembered. */
  readonly seen: string | undefined;
  readonly body: Uint8Array;
  readonly deliveries: readonly NewDelivery<S>[];
}

/** The part of a destination's store that storing a message needs. */
export interface ReceivingStore {
  readonly keys: RedisKeys;
  leases(url: string): Leases;
  /** Notes how a claimed event is stored, so that it need not be read again. */
  note(read: Read): void;
  /** Returns the URLs of the event that still have to be written to Redis. */
  unnamedUrls(event: StoredEvent): readonly string[];
  /** Notes that the URLs are written to Redis. */
  nameUrls(urls: readonly string[]): void;
  /** Learns all URLs of the store that Redis knows. */
  readUrls(): Promise<void>;
  /** Reports deliveries of ordered events that are ready for their first attempt. */
  tellReady(ready: readonly Ready[]): void;
}

export interface NewDelivery<S extends ReceivingStore = ReceivingStore> {
  readonly store: S;
  /** An event that waits for its first attempt at all its URLs. */
  readonly event: StoredEvent;
  /**
   * Whether the delivery is left out if the destination already has an event of that id. Otherwise such an event makes
   * Redis refuse the whole message.
   */
  readonly mayBeKnown: boolean;
}

/**
 * The result for a message: whether each delivery is new, `known` if its id was seen before, or `meets` if another event has its id. An
 * error if it could not be stored.
 */
export type Outcome = readonly boolean[] | 'known' | 'meets' | RedisFailedError;
