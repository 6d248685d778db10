import type { StoredEvent } from '../delivery/completion-rule.js';
import type { DeathReason } from '../delivery/state.js';

/** A delivery waits for its first attempt or for a retry. */
export type Stage = 'first' | 'retry';

/** A delivery waits in line, or behind another one of its user, which has no end yet. */
export type Position = Stage | 'behind';

/** Queues and dead letters are in order of the time, and of the id at the same time. */
export interface QueueKey {
  /** The time in ms since 1970. For a first attempt it has a fraction, because no two have the same place in line. */
  readonly at: number;
  readonly id: string;
  /** The number of the event's partition, where the store has several. */
  readonly partition?: number | undefined;
}

/** The partition of an event follows from these. */
export interface OfUser extends Pick<StoredEvent, 'id'> {
  readonly user?: StoredEvent['user'] | undefined;
}

/** Names an event. Without its partition it is found in any of them, by asking all. */
export type EventKey = Pick<QueueKey, 'id' | 'partition'>;

/** A webhook as a store remembers it. */
export interface KnownWebhook {
  /**
   * Stands for the webhook in events and queues, for good: the URL under which the store first knew it, with `#2` and so on
   * behind it where another webhook has that already.
   */
  readonly key: string;
  /** The `id` of its settings, where it has one. */
  readonly id?: string;
  /** The URL of the webhook, or the last one that it had. */
  readonly url: string;
  /** It is configured no more. */
  readonly isGone?: true;
  /**
   * It belonged to an earlier destination of this name, which was removed from the configuration. What it left goes nowhere by
   * itself: the destination that has the name now may be somebody else's.
   */
  readonly isOfEarlier?: true;
}

/** A delivery that has come in line for its first attempt. */
export interface Ready {
  readonly url: string;
  readonly key: QueueKey;
}

/** The deliveries that wait for one URL, counted. */
export interface Backlog {
  readonly url: string;
  /** The number that wait for their first attempt, also behind others. */
  readonly first: number;
  readonly retry: number;
  /** The size of the bodies. An event that waits for several URLs counts for each. */
  readonly bytes: number;
}

/** The dead letters, counted. */
export interface DeadTotals {
  readonly events: number;
  /** The size of their bodies and of the answers kept with them. */
  readonly bytes: number;
  /** The deliveries that ended so, by where, what and why. */
  readonly deliveries: readonly {
    readonly url: string;
    readonly type: StoredEvent['type'];
    readonly reason: DeathReason;
    readonly count: number;
  }[];
}

/**
 * Where events wait. To a store, a webhook's URL is the `key` by which it knows the webhook. The interface is all that a destination knows of a store; `test/store/event-store-conformance.ts`
 * is what it has to keep.
 */
export interface EventStore {
  /**
   * Keeps the event, which waits for its first attempt at each of its URLs, those of `webhooks`, and its body. Resolves once both would survive the machine losing power, or, with false, when an event
   * of that id is already there and nothing was changed. Rejects with a StoreFullError while there is no room for more.
   */
  add(event: StoredEvent, body: Uint8Array): Promise<boolean>;
  /**
   * When a delivery is due that is accepted at `now`, in ms since 1970: behind everything that was accepted before, whatever became of
   * the clock. First attempts begin in this order. A store that itself puts what it is given in the order in which it comes returns `now`.
   */
  placeFor(now: number): number;
  /**
   * Called for each delivery of an ordered event that comes in line for its first attempt: as it is added, or once the one before it of its
   * user has ended. It is not called for other events.
   */
  onReady: ((ready: Ready) => void) | undefined;
  /** Resolves to true if the delivery waits behind another one of its user. */
  isBehind(url: string, id: string): Promise<boolean>;
  /** Returns the partition in which the store has the event, or would have it; undefined in a store without partitions. */
  partitionOf(event: OfUser): number | undefined;
  /**
   * Puts what `change` makes of the event in its place, or forgets event and body when that is undefined. A URL that the event
   * had not before is that of one of the `webhooks`. Nothing comes between the reading and the writing; `change` may be called
   * more than once, and the last call counts. Not called for an event that is not there. Resolves once every other method
   * sees it. What is asked for in one turn is written together.
   */
  update(
    id: string,
    change: (event: StoredEvent) => StoredEvent | undefined,
    partition?: number | undefined,
  ): Promise<void>;
  /** Returns false while the store cannot write the outcome of a delivery; then nothing is sent. */
  canRecord(): boolean;
  event(id: string, partition?: number | undefined): Promise<StoredEvent | undefined>;
  body(id: string, partition?: number | undefined): Promise<Uint8Array | undefined>;
  /**
   * The queue keys of what waits for the URL, the earliest due first, from the one after `after`. They are in order of `at`,
   * then of the id's UTF-8 bytes.
   */
  waiting(url: string, position: Position, after: QueueKey | undefined, limit: number): Promise<QueueKey[]>;
  /** The queue keys of the dead letters, in order of the time they were accepted, from the one after `after`. */
  dead(after: QueueKey | undefined, limit: number, partitions?: ReadonlySet<number> | undefined): Promise<QueueKey[]>;
  /** Resolves to every URL for which something waits. The numbers are kept, so that this is as cheap when a million wait. */
  backlog(): Promise<Backlog[]>;
  /** These counts are kept as well. */
  deadTotals(): Promise<DeadTotals>;
  /** The destination's webhooks as they were put down last; undefined before the first time. */
  webhooks(): Promise<readonly KnownWebhook[] | undefined>;
  /**
   * Puts what `change` makes of the webhooks in their place, and gives that. Nothing comes between the reading and the writing;
   * `change` may be called more than once, and the last call counts. Resolves once it would survive the machine losing power.
   */
  updateWebhooks(change: WebhookChange): Promise<readonly KnownWebhook[]>;
  /** Resolves once everything before it would survive the machine losing power. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Returns the list that it was given where nothing is to be changed. */
export type WebhookChange = (known: readonly KnownWebhook[] | undefined) => readonly KnownWebhook[];
