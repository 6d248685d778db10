import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { Ready } from '../event-store.js';
import type { RedisFailedError } from '../store-errors.js';
import type { Leases } from './leases.js';
import type { RedisKeys } from './redis-keys.js';
import type { Read } from './stored-text.js';

/** A message to store. */
export interface NewMessage {
  /** The key that remembers its id; undefined if it is not remembered. */
  readonly seen: string | undefined;
  readonly body: Uint8Array;
  /**
   * Its id prefixed with its source, for a destination that has another source's message with the same id. Without a `sourcedId`,
   * such a message counts as already known there.
   */
  readonly sourcedId?: string | undefined;
  readonly deliveries: readonly NewDelivery[];
}

/** The part of a destination's store that storing a message needs. */
export interface ReceivingStore {
  readonly keys: RedisKeys;
  leases(url: string): Leases;
  /** Notes the stored form of a claimed event, so that it need not be read again. */
  note(read: Read): void;
  /** Reads all URLs of the store that Redis knows. */
  readUrls(): Promise<void>;
  /** Reports deliveries of ordered events that are ready for their first attempt. */
  tellReady(ready: readonly Ready[]): void;
}

export interface NewDelivery {
  readonly store: ReceivingStore;
  /**
   * An event that waits for its first attempt at all its URLs. The events of one message differ only in their URLs, and in
   * whether they are ordered.
   */
  readonly event: StoredEvent;
}

/**
 * The result for a message: the id of each delivery's event, or undefined if the destination already has the message; `known` if
 * its id was already seen; an error if it could not be stored.
 */
export type IntakeOutcome = readonly (string | undefined)[] | 'known' | RedisFailedError;
