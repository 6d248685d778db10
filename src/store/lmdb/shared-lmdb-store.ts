import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { Backlog, DeadTotals, EventStore, KnownWebhook, QueueKey, Stage, WebhookChange } from '../event-store.js';
import { type Lease, NOBODY } from './lease.js';
import type { LmdbEnvironment } from './lmdb-environment.js';
import type { LmdbMailbox } from './lmdb-mailbox.js';
import type { LmdbRecords } from './lmdb-records.js';
import type { Change, Membership } from './membership.js';
import { changeOf } from './waiting-change.js';

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
export class SharedLmdbStore implements EventStore {
  readonly sharedBy = 'lease';
  readonly #options: SharedLmdbStoreOptions;

  constructor(options: SharedLmdbStoreOptions) {
    this.#options = options;
  }

  /** For the scheduler. */
  get shared(): SharedLmdbStoreOptions {
    return this.#options;
  }

  async add(event: StoredEvent, body: Uint8Array): Promise<boolean> {
    const { environment, records } = this.#options;
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

  async update(id: string, change: (event: StoredEvent) => StoredEvent | undefined): Promise<void> {
    const { environment, records } = this.#options;
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
    // What went, whoever made the attempt forgets.
    if (result !== undefined) this.#learn(result.lease, { ...result.change, went: [] });
  }

  canRecord(): boolean {
    return this.#options.environment.canRecord;
  }

  async event(id: string): Promise<StoredEvent | undefined> {
    return this.#options.records.event(id);
  }

  async body(id: string): Promise<Uint8Array | undefined> {
    return this.#options.records.body(id);
  }

  async waiting(url: string, stage: Stage, after: QueueKey | undefined, limit: number): Promise<QueueKey[]> {
    return this.#options.records.waiting(url, stage, after, limit);
  }

  async dead(after: QueueKey | undefined, limit: number): Promise<QueueKey[]> {
    return this.#options.records.dead(after, limit);
  }

  async backlog(): Promise<Backlog[]> {
    return this.#options.records.backlog();
  }

  async deadTotals(): Promise<DeadTotals> {
    return this.#options.records.deadTotals();
  }

  async webhooks(): Promise<readonly KnownWebhook[] | undefined> {
    return this.#options.records.webhooks();
  }

  updateWebhooks(change: WebhookChange): Promise<readonly KnownWebhook[]> {
    const { environment, records } = this.#options;
    return environment.commits.runDurably(() => records.updateWebhooks(change), true);
  }

  flush(): Promise<void> {
    return this.#options.environment.flush();
  }

  /** Leaves the lease to others. The environment stays open. */
  async close(): Promise<void> {
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
    if (lease !== undefined) membership?.learn(number, lease, change, body);
  }

  /** Whether no other process leads. Called inside a transaction. */
  #isOurs(): boolean {
    const { mailbox, number, membership } = this.#options;
    const holder = mailbox.leaseNow(number)?.holder ?? NOBODY;
    return holder === NOBODY || holder === membership?.me;
  }
}
