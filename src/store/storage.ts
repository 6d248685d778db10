import type { Clock } from '../base/time/clock.js';
import type { StoredEvent } from '../delivery/completion-rule.js';
import type { EventStore, OfUser } from './event-store.js';
import type { KeyValueStore } from './key-value-store.js';

/** A message from a source, with an event for each destination that stores it. */
export interface Intake {
  /** The id of the message, as its source gave it. */
  readonly id: string;
  /** The user of the message, in the form that `userKey` returns. It is set even if no destination gets the message. */
  readonly user?: string | undefined;
  /** The bytes that every destination sends. */
  readonly body: Uint8Array;
  /** One delivery for each destination. A message without any destination has none, but its id is still remembered. */
  readonly deliveries: readonly IntakeDelivery[];
}

export interface IntakeDelivery {
  /** The store of the destination in this storage. */
  readonly store: EventStore;
  readonly event: StoredEvent;
}

/**
 * The outcome of an intake. For a new message, the id of the event at each destination, in their order; undefined for a
 * destination that already has the message. `known`: the source has sent a message with that id within a day, and nothing was
 * changed. `claimed`: another process is storing it now, or the responsible part of the storage did not answer; ask again.
 */
export type TakenIn = readonly (string | undefined)[] | 'known' | 'claimed';

/** How long an id is remembered, in ms. */
export const KEEP_MS = 24 * 60 * 60_000;

/** What was stored: messages of a source, or a key. */
export type StoredThings = { readonly source: string; readonly messages: readonly OfUser[] } | { readonly key: string };

export declare const brand: unique symbol;

/**
 * Everything the service stores. In Redis, several processes may have the same storage open: each accepts events, and each
 * delivery is made by one of them.
 */
export interface Storage {
  // A brand that makes the type exclusive to the results of `lmdbStorage`, `redisStorage` and `memoryStorage`.
  readonly [brand]: true;
  /**
   * Opens the events of the destination of that name. Returns the same object for the same name; closing it leaves the storage
   * open.
   *
   * @internal
   */
  deliveries(destination: string): Promise<EventStore>;
  /**
   * Takes in messages of a source, each once: an id is remembered for a day, whichever process receives it. A message, its id and
   * all its deliveries are stored together or not at all. Resolves with the outcome of each message once it would survive a power
   * failure of the machine. When it rejects, the same call may be repeated. An id must occur only once within a call.
   *
   * @throws StoreFullError, or what else the storage throws.
   * @internal
   */
  takeIn(source: string, intakes: readonly Intake[], nowMs: number): Promise<readonly TakenIn[]>;
  /** Returns the sources that have sent a message with that id within the last day. @internal */
  sendersOf(id: string, sources: readonly string[], nowMs: number): Promise<readonly string[]>;
  /** Everything else: audiences, deletions, counts, what was paused. @internal */
  readonly keyValues: KeyValueStore;
  /**
   * Resolves when the stored data is as durable as configured. Calls `stored` only if it has to wait for that.
   *
   * @throws any error that prevents that. Then the data may or may not be stored, and may be stored again.
   * @internal
   */
  settled(stored: () => StoredThings): Promise<void>;
  /** True if several processes may have the storage open. @internal */
  readonly isShared: boolean;
  /** The clock of this process, or, in a shared storage, the one that all its processes share. @internal */
  readonly clock: Clock;
  /** True if it is known that the storage was empty when it was opened. @internal */
  readonly isNew: boolean;
  /**
   * Registers `tell`, which is called whenever all data is gone although no process of this service removed it. The storage then
   * starts as if it were new.
   *
   * @internal
   */
  onEmptied(tell: () => void): void;
  /** The default limit on the size of the history of attempts, in bytes. @internal */
  readonly historyBytes: number;
  /**
   * Returns how many more bytes of history the storage has room for: what is free beyond a reserve, which is larger than the room
   * below which it refuses new events. Negative when history takes some of the reserve; Infinity when there is no limit.
   *
   * @internal
   */
  spareBytes(): number;
  /** Returns how many bytes the storage takes on its disk or in Redis. */
  size(): Promise<number>;
  /**
   * Throws if there is no room for new events. All other writes are accepted until there is no room at all.
   *
   * @throws StoreFullError, RedisUnfitError
   * @internal
   */
  assertRoom(): void;
  /**
   * Resolves when the storage can be read and written, and has room.
   *
   * @throws any error that prevents that.
   */
  check(): Promise<void>;
  close(): Promise<void>;
}
