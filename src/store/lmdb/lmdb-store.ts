import type { StoredEvent } from '../../delivery/completion-rule.js';
import type {
  Backlog,
  DeadTotals,
  EventStore,
  KnownWebhook,
  Position,
  QueueKey,
  WebhookChange,
} from '../event-store.js';
import type { LmdbEnvironment } from './lmdb-environment.js';
import type { LmdbRecords } from './lmdb-records.js';

/** What waits for one destination, and its dead letters, in an lmdb environment, which may have those of others too. */
export class LmdbStore implements EventStore {
  readonly #environment: LmdbEnvironment;
  readonly records: LmdbRecords;

  constructor(environment: LmdbEnvironment, records: LmdbRecords) {
    this.#environment = environment;
    this.records = records;
  }

  async add(event: StoredEvent, body: Uint8Array): Promise<boolean> {
    this.#environment.room.take(body.length);
    const { result: isNew, flushed } = await this.#environment.commits.run(() => this.records.add(event, body));
    if (!isNew) return false;
    this.records.added(event.id);
    await flushed;
    return true;
  }

  async update(id: string, change: (event: StoredEvent) => StoredEvent | undefined): Promise<void> {
    const { result: ready } = await this.#environment.commits.run(() => this.records.update(id, change), true);
    this.records.tell(ready);
  }

  canRecord(): boolean {
    return this.#environment.canRecord;
  }

  placeFor(now: number): number {
    return this.records.placeFor(now);
  }

  async event(id: string): Promise<StoredEvent | undefined> {
    return this.records.event(id);
  }

  async body(id: string): Promise<Uint8Array | undefined> {
    return this.records.body(id);
  }

  async waiting(url: string, stage: Position, after: QueueKey | undefined, limit: number): Promise<QueueKey[]> {
    return this.records.waiting(url, stage, after, limit);
  }

  get onReady(): EventStore['onReady'] {
    return this.records.onReady;
  }

  set onReady(listener: EventStore['onReady']) {
    this.records.onReady = listener;
  }

  async isBehind(url: string, id: string): Promise<boolean> {
    return this.records.isBehind(url, id);
  }

  async dead(after: QueueKey | undefined, limit: number): Promise<QueueKey[]> {
    return this.records.dead(after, limit);
  }

  async backlog(): Promise<Backlog[]> {
    return this.records.backlog();
  }

  async deadTotals(): Promise<DeadTotals> {
    return this.records.deadTotals();
  }

  async webhooks(): Promise<readonly KnownWebhook[] | undefined> {
    return this.records.webhooks();
  }

  /** Nearly always nothing has changed since the last start, and then no write is waited for. */
  async updateWebhooks(change: WebhookChange): Promise<readonly KnownWebhook[]> {
    const known = this.records.webhooks();
    if (known !== undefined && change(known) === known) return known;
    return this.#environment.commits.runDurably(() => this.records.updateWebhooks(change), true);
  }

  flush(): Promise<void> {
    return this.#environment.flush();
  }

  /** The environment stays open. */
  close(): Promise<void> {
    return this.flush();
  }
}
