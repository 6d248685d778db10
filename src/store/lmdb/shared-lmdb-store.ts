import type { StoredEvent } from '../../delivery/completion-rule.js';
import { isWaiting } from '../../delivery/state.js';
import { type Lease, NOBODY } from './lease.js';
import type { LmdbEnvironment } from './lmdb-environment.js';
import type { LmdbMailbox } from './lmdb-mailbox.js';
import type { LmdbRecords } from './lmdb-records.js';
import { LmdbStore } from './lmdb-store.js';
import type { Change, Membership } from './membership.js';

export interface SharedLmdbStoreOptions {
  /** The destination's. */
  readonly number: number;
  readonly environment: LmdbEnvironment;
  readonly records: LmdbRecords;
  readonly mailbox: LmdbMailbox;
  /** Without it nothing is handed out from here. */
  readonly membership: Membership | undefined;
}

/**
 * The deliveries of one destination, beside those of others in lmdb and shared by several processes: each may add, and the
 * one that has the destination's lease hands out. Who that is, is asked in the transaction in which something changes. So
 * everything added is either in what the leader counts when it takes the lease, or told to it afterwards.
 */
export class SharedLmdbStore extends LmdbStore {
  readonly sharedBy = 'lease';
  readonly #options: SharedLmdbStoreOptions;

  constructor(options: SharedLmdbStoreOptions) {
    super(options.environment, options.records);
    this.#options = options;
  }

  /** For the scheduler. */
  get shared(): SharedLmdbStoreOptions {
    return this.#options;
  }

  override async add(event: StoredEvent, body: Uint8Array): Promise<boolean> {
    const { environment, records } = this;
    const change = { id: event.id, at: event.acceptedAt, came: Object.keys(event.urls), went: [] };
    environment.room.take(body.length);
    const { result, flushed } = await environment.commits.run(() =>
      records.add(event, body) ? { lease: this.#tell(change) } : undefined,
    );
    if (result === undefined) return false;
    records.added(event);
    await flushed;
    this.#learn(result.lease, change, body);
    return true;
  }

  override async update(id: string, change: (event: StoredEvent) => StoredEvent | undefined): Promise<void> {
    const { environment, records } = this;
    const { result } = await environment.commits.run(() => {
      const event = records.event(id);
      if (event === undefined) return undefined;
      const next = change(event);
      const { at, came, went, hasMoved } = changeOf(event, next);
      // The leader knows the old queue key alone, so the change is left out: an attempt is made again, and none is lost.
      if (hasMoved && !this.#isOurs()) return undefined;
      records.replace(event, next);
      return { change: { id, at, came }, lease: this.#tell({ id, at, came, went }) };
    }, true);
    // The endpoint that made the attempt forgets what went.
    if (result !== undefined) this.#learn(result.lease, { ...result.change, went: [] });
  }

  /** Leaves the lease to others. The environment stays open. */
  override async close(): Promise<void> {
    await this.#options.membership?.resign(this.#options.number);
    await this.flush();
  }

  /** Tells the leader, if that is another process, and says who it is. Called inside a transaction. */
  #tell(change: Change): Lease | undefined {
    if (change.came.length + change.went.length === 0) return undefined;
    const { mailbox, number } = this.#options;
    const lease = mailbox.leaseNow(number);
    if (lease !== undefined && !this.#isOurs())
      mailbox.tell(lease.holder, { destination: number, term: lease.term, ...change });
    return lease;
  }

  #learn(lease: Lease | undefined, change: Change, body?: Uint8Array): void {
    const { membership, number } = this.#options;
    if (lease !== undefined) membership?.leader(number, lease)?.learn(change, body);
  }

  /** Whether no other process leads. Called inside a transaction. */
  #isOurs(): boolean {
    const { mailbox, number, membership } = this.#options;
    const holder = mailbox.leaseNow(number)?.holder ?? NOBODY;
    return holder === NOBODY || holder === membership?.me;
  }
}

/** What an update of an event means for what waits. */
interface WaitingChange {
  /** When what came is due. */
  readonly at: number;
  /** The URLs at which a delivery waits that did not wait before. */
  readonly came: readonly string[];
  /** The URLs at which one waits no longer. */
  readonly went: readonly string[];
  /** Whether one waits under another queue key than before. */
  readonly hasMoved: boolean;
}

function changeOf(before: StoredEvent, after: StoredEvent | undefined): WaitingChange {
  if (after === before) return { at: 0, came: [], went: [], hasMoved: false };
  const [old, due] = [duesOf(before), duesOf(after)];
  const came = [...due.keys()].filter((url) => !old.has(url));
  return {
    at: due.get(came[0] ?? '') ?? 0,
    came,
    went: [...old.keys()].filter((url) => !due.has(url)),
    hasMoved: [...old].some(([url, at]) => due.has(url) && due.get(url) !== at),
  };
}

function duesOf(event: StoredEvent | undefined): Map<string, number> {
  const dues = new Map<string, number>();
  for (const [url, state] of Object.entries(event?.urls ?? {})) if (isWaiting(state)) dues.set(url, state.due);
  return dues;
}
