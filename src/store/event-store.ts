import type { StoredEvent } from '../delivery/completion-rule.js';
import type { DeathReason } from '../delivery/state.js';
import type { WebhookList } from './webhook-list.js';

/** A delivery waits for its first attempt or for a retry. */
export type Stage = 'first' | 'retry';

/** Where a delivery waits: in line for a first attempt or a retry, or behind an unfinished delivery of the same user. */
export type QueuePosition = Stage | 'behind';

/** The sort key of queues and dead letters: ordered by time, then by id. */
export interface QueueKey {
  /** Milliseconds since 1970. For a first attempt it has a fraction, because no two first attempts share a place in line. */
  readonly at: number;
  readonly id: string;
  /** The number of the event's partition, if the store has several. */
  readonly partition?: number | undefined;
}

/** The fields of an event that determine its partition. */
export interface OfUser extends Pick<StoredEvent, 'id'> {
  readonly user?: StoredEvent['user'] | undefined;
}

/** Identifies an event. If the partition is missing, every partition is searched. */
export type EventKey = Pick<QueueKey, 'id' | 'partition'>;

/** A delivery that has just entered the line for its first attempt. */
export interface Ready {
  readonly url: string;
  readonly key: QueueKey;
}

/** The counts of the deliveries that wait for one URL. */
export interface Backlog {
  readonly url: string;
  /** The number of deliveries that wait for their first attempt, including those behind others. */
  readonly first: number;
  readonly retry: number;
  /** The total size of the bodies, in bytes. An event that waits for several URLs counts for each. */
  readonly bytes: number;
}

/** The counts of the dead letters. */
export interface DeadTotals {
  readonly events: number;
  /** The total size of their bodies and of the answers kept with them, in bytes. */
  readonly bytes: number;
  /** The dead deliveries, counted by URL, event type and reason. */
  readonly deliveries: readonly {
    readonly url: string;
    readonly type: StoredEvent['type'];
    readonly reason: DeathReason;
    readonly count: number;
  }[];
}

/**
 * Where events wait. A store knows a webhook only by its `key`, which is called its URL here. This interface is all that a
 * destination knows of a store; `test/store/event-store-conformance.ts` tests the contract.
 */
export interface EventStore {
  /**
   * Stores the event and its body. The event waits for its first attempt at each of its URLs, which are keys of `webhooks`.
   * Resolves with true once both would survive a power failure of the machine, or with false when an event with that id exists;
   * nothing is changed then. Rejects with a StoreFullError while there is no room for more.
   */
  add(event: StoredEvent, body: Uint8Array): Promise<boolean>;
  /**
   * Returns the due time of a delivery that is accepted at `now`, in ms since 1970. It is later than that of every delivery
   * accepted before, even if the clock was set back, so that first attempts begin in the order of acceptance. A store that orders
   * events itself as they arrive returns `now`.
   */
  placeFor(now: number): number;
  /**
   * Called for each delivery of an ordered event that enters the line for its first attempt: when it is added, or once the user's
   * delivery before it has ended. Not called for other events.
   */
  onReady: ((ready: Ready) => void) | undefined;
  /** Resolves to true if the delivery waits behind another one of its user. */
  isBehind(url: string, id: string): Promise<boolean>;
  /** Returns the partition that has the event or would get it; undefined in a store without partitions. */
  partitionOf(event: OfUser): number | undefined;
  /**
   * Replaces the event with what `change` returns, or forgets event and body when that is undefined. A URL that the event did not
   * have before must be the key of one of the `webhooks`. Reading and writing are atomic; `change` may be called more than once,
   * and the last call counts. It is not called for an event that does not exist. Resolves once every other method sees the
   * change. Updates requested in one turn of the event loop are written together.
   */
  update(
    id: string,
    change: (event: StoredEvent) => StoredEvent | undefined,
    partition?: number | undefined,
  ): Promise<void>;
  /** Returns false while no outcome of a delivery can be written, so nothing is sent. */
  canRecord(): boolean;
  event(id: string, partition?: number | undefined): Promise<StoredEvent | undefined>;
  body(id: string, partition?: number | undefined): Promise<Uint8Array | undefined>;
  /**
   * Lists the queue keys of the deliveries that wait for the URL, from the first one after `after`. They are ordered by `at`,
   * then by the UTF-8 bytes of the id.
   */
  waiting(url: string, position: QueuePosition, after: QueueKey | undefined, limit: number): Promise<QueueKey[]>;
  /** Lists the queue keys of the dead letters in the order in which they were accepted, from the first one after `after`. */
  dead(after: QueueKey | undefined, limit: number, partitions?: ReadonlySet<number> | undefined): Promise<QueueKey[]>;
  /** Resolves to the counts of every URL with waiting deliveries. They are maintained, so this is cheap even for a million. */
  backlog(): Promise<Backlog[]>;
  /** Resolves to the counts of the dead letters, which are maintained like those of `backlog`. */
  deadTotals(): Promise<DeadTotals>;
  /** The destination's webhooks, a record in the key-value store of the same engine. */
  readonly webhooks: WebhookList;
  /** Resolves once all earlier writes would survive a power failure of the machine. */
  flush(): Promise<void>;
}
