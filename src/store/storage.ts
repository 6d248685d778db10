import type { Clock } from '../base/time/clock.js';
import type { StoredEvent } from '../delivery/completion-rule.js';
import type { EventStore, OfUser } from './event-store.js';
import type { KeyValueStore } from './key-value-store.js';

/** A message that a source has sent, with an event for each destination that keeps it. */
export interface Intake {
  /** The message's, as its source gave it. */
  readonly id: string;
  /** The user of the message, as `userKey` names users. It is known even if the message goes nowhere. */
  readonly user?: string | undefined;
  /** The bytes that every destination gets. */
  readonly body: Uint8Array;
  /** One delivery for each destination. A message that goes nowhere has none, and its id is remembered all the same. */
  readonly deliveries: readonly IntakeDelivery[];
}

export interface IntakeDelivery {
  /** The store of the destination in this storage. */
  readonly store: EventStore;
  readonly event: StoredEvent;
}

/**
 * The outcome of an intake. A message that is new gives the id of the event that each destination now has, in their order; undefined
 * where the destination has had it already. `known`: the source has sent a message of that id within a day, and nothing was changed.
 * `claimed`: another process is storing it now, or the part of the storage that it belongs to did not answer; ask again.
 */
export type TakenIn = readonly (string | undefined)[] | 'known' | 'claimed';

/** An id is remembered this long, in ms. */
export const KEEP_MS = 24 * 60 * 60_000;

/** Messages of a source that were taken in, or a key that was written. */
export type StoredThings = { readonly source: string; readonly messages: readonly OfUser[] } | { readonly key: string };

/** An event that is looked for in a store. */
export interface EventLook {
  readonly store: EventStore;
  readonly id: string;
}

export declare const brand: unique symbol;

/**
 * Everything the service keeps. In Redis, several processes may have the same storage open: each takes events in, and each
 * delivery goes out from one of them.
 */
export interface Storage {
  // This is only a brand, so that nothing but what `lmdbStorage`, `redisStorage` and `memoryStorage` return is a storage.
  readonly [brand]: true;
  /**
   * Opens the events of the destination of that name. Returns the same object for the same name; closing it leaves
   * the storage open.
   *
   * @internal
   */
  deliveries(destination: string): Promise<EventStore>;
  /**
   * Takes in messages of a source, each once: an id is remembered for a day, whatever process it comes to. A message, its id and all
   * its deliveries are kept together or not at all. Resolves, with what became of each, once that would survive the machine losing
   * power; when it rejects, the same call may be made again. Within one call an id stands once.
   *
   * @throws StoreFullError, or what else the storage throws.
   * @internal
   */
  takeIn(source: string, intakes: readonly Intake[], nowMs: number): Promise<readonly TakenIn[]>;
  /** Returns the sources that have sent a message of that id within the last day. @internal */
  sendersOf(id: string, sources: readonly string[], nowMs: number): Promise<readonly string[]>;
  /**
   * Returns true for each event that may be in its store; the others are not in it. Where it costs little to read one event, the answer is true for all.
   *
   * @internal
   */
  mayHave(looks: readonly EventLook[]): Promise<readonly boolean[]>;
  /** Everything else: audiences, deletions, counts, what was switched off. @internal */
  readonly keyValues: KeyValueStore;
  /**
   * Resolves once what was stored is as durable as the configuration asks for. `stored` is called only where that needs a wait.
   *
   * @throws whatever keeps it from that. What was stored may be there or not then; it may be stored again.
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
   * Calls `tell` each time that everything is gone although no process of ours removed it. The storage then begins anew.
   *
   * @internal
   */
  onEmptied(tell: () => void): void;
  /** The most that the history of attempts takes of it, in bytes, unless the configuration says otherwise. @internal */
  readonly historyBytes: number;
  /** Returns how many bytes it takes where it is kept. */
  size(): Promise<number>;
  /**
   * Throws if there is no room for new events. Nothing else is refused for want of room before there is none.
   *
   * @throws StoreFullError, RedisUnfitError
   * @internal
   */
  assertRoom(): void;
  /**
   * Resolves when it can be read and written, and has room.
   *
   * @throws whatever keeps it from that.
   */
  check(): Promise<void>;
  close(): Promise<void>;
}
