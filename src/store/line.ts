import type { Backlog, EventKey, EventStore, QueueKey, Stage } from './event-store.js';

/** A waiting delivery. Fields of its event are present if they were already read, which they may be for a retry too. */
export interface DueItem extends QueueKey {
  readonly body?: Uint8Array | undefined;
  readonly source?: string | undefined;
  /** The count of user deletions when the event was accepted. */
  readonly epoch?: number | undefined;
}

/** A delivery that only its taker may attempt until it is settled or put back. */
export interface TakenDelivery {
  readonly item: DueItem;
  readonly stage: Stage;
}

/** A delivery that one of several processes has taken. */
export interface Leased extends TakenDelivery {
  /** Returns false once the lease has ended, by the clock of the engine, which renews it meanwhile. The attempt may not begin then. */
  isHeld(): boolean;
}

/** The deliveries of one line that have not ended, as the engine counts them. */
export interface LineCount extends Pick<Backlog, 'first' | 'retry' | 'bytes'> {
  /** When the earliest delivery that no process has taken was or is due, in ms since 1970. */
  readonly oldestDue: number | undefined;
}

/** The most deliveries that are asked for at a time. */
export const MOST_TAKEN = 125;

/** What the scheduler passes to the lines of one URL, with callbacks that are not called before `lines` has returned. */
export interface LineOptions {
  readonly url: string;
  /** How long after its first attempt a delivery is retried, in ms. */
  readonly windowMs: number;
  /**
   * Reserves room for up to `most` deliveries, which the engine may take while it stores them. Returns the number that fits.
   * The room is reserved until `accept` returns their leases, or until `free` is called.
   */
  reserve(partition: number, most: number): number;
  /** Gives back reserved room. */
  free(partition: number, count: number): void;
  /** Called when there may be something to take. */
  onDue(partition: number): void;
  /** Called every few seconds, with whether any delivery waits in any partition, because other processes change the counts. */
  onCount(isWaiting: boolean): void;
  /** Called with what cannot be read. Other failures reject. */
  onError(error: unknown): void;
}

/**
 * The deliveries that wait for one URL in one partition, in an engine that several processes share. Only one process holds a
 * delivery at a time.
 */
export interface Line {
  /**
   * Takes deliveries that may start now: first attempts in the order in which they were accepted, then retries that are due.
   * `most` returns how many, up to `MOST_TAKEN`; it is called once, just before the engine is asked. If fewer are taken, nothing
   * else is due until `onDue` is called.
   */
  take(most: () => number): Promise<readonly Leased[]>;
  /**
   * Called when a delivery was stored and is in line. If it was taken while it was stored, it returns `isHeld` of its
   * lease. Otherwise, if this process has no room, the engine tells the others about it.
   */
  accept(key: EventKey, hasRoom: boolean): Leased['isHeld'] | undefined;
  /** Ends the lease of a delivery whose outcome is recorded. If it still waits, its lease in the engine runs out. */
  settle(key: EventKey): void;
  /** Ends leases of deliveries that were not attempted, so that any process can take them at once. */
  putBack(keys: readonly EventKey[]): Promise<void>;
  /** Resolves to the counts of this partition. */
  count(): Promise<LineCount>;
  /**
   * Resolves to true if this process is to end deliveries that exceed the limits on age or number. One process at a time has that
   * task. Only the line of the first partition is asked.
   */
  hasTurn(): Promise<boolean>;
  /** Reserves no more room, and calls back no more. Leases that this process holds go on. */
  close(): void;
}

/** A store that several processes may have open. For any other store, the only process keeps its queues in memory. */
export interface StoreWithLines extends EventStore {
  /** Opens the lines of a URL, one for each partition. */
  lines(options: LineOptions): readonly [Line, ...Line[]];
  /** Calls `onWork` when a delivery waits for a URL that has no lines here yet, until the returned function is called. */
  watch(url: string, windowMs: number, onWork: () => void): () => void;
}

export const hasLines = (store: EventStore): store is StoreWithLines => 'lines' in store;
