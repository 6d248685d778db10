import type { Database } from 'lmdb';
import type { StoredEvent } from '../../delivery/completion-rule.js';
import { isWaiting } from '../../delivery/state.js';
import { EventIndex, type EventRecords } from '../event-index.js';
import type { Backlog, DeadTotals, EventStore, QueueKey, QueuePosition, Ready } from '../event-store.js';
import { Places } from '../queue-key.js';
import type { WebhookList } from '../webhook-list.js';
import type { LmdbBodies } from './lmdb-bodies.js';
import { LmdbCounts } from './lmdb-counts.js';
import type { LmdbEnvironment } from './lmdb-environment.js';
import { decodeEvent, encodeEvent, type KeptEvent } from './lmdb-event-record.js';
import { LmdbQueue, type QueueIndex } from './lmdb-index.js';
import { type LineTables, LmdbLines, LmdbUrls } from './lmdb-lines.js';

/** The tables with the records of all destinations. */
export interface Tables extends LineTables {
  readonly events: Database<string, Uint8Array>;
  readonly bodies: LmdbBodies;
  readonly dead: QueueIndex;
  readonly urls: Database<string, Uint8Array>;
  readonly counts: Database<number, Uint8Array>;
}

/** The events of one destination in an lmdb environment, which may contain other destinations too. */
export class LmdbStore implements EventStore {
  /** Reads and adds events inside a transaction of the caller. */
  readonly records: EventRecords = {
    event: (id) => this.#kept(id)?.event,
    add: (event, body) => this.#add(event, body),
  };
  readonly webhooks: WebhookList;
  onReady: ((ready: Ready) => void) | undefined;
  readonly #environment: LmdbEnvironment;
  readonly #tables: Tables;
  /** The bytes before every key. */
  readonly #prefix: Uint8Array;
  readonly #urls: LmdbUrls;
  readonly #counts: LmdbCounts;
  readonly #lines: LmdbLines;
  readonly #dead: LmdbQueue;
  readonly #index: EventIndex;
  readonly #places: Places;

  /** @param destination the number of the destination */
  constructor(environment: LmdbEnvironment, tables: Tables, destination: number, webhooks: WebhookList) {
    this.webhooks = webhooks;
    this.#environment = environment;
    this.#tables = tables;
    this.#prefix = Buffer.allocUnsafe(4);
    new DataView(this.#prefix.buffer, this.#prefix.byteOffset).setUint32(0, destination);
    this.#urls = new LmdbUrls(tables.urls, environment.commits, this.#prefix);
    this.#counts = new LmdbCounts(tables.counts, environment.commits, this.#prefix, this.#urls);
    this.#lines = new LmdbLines(tables, this.#prefix, this.#urls);
    this.#dead = new LmdbQueue(tables.dead, this.#prefix);
    this.#index = new EventIndex({ lines: this.#lines, dead: this.#dead, counts: this.#counts });
    this.#places = new Places(this.#lines.lastPlace());
  }

  async add(event: StoredEvent, body: Uint8Array): Promise<boolean> {
    const { commits, room } = this.#environment;
    room.take(body.length);
    const { result: isNew, flushed } = await commits.run(() => this.#add(event, body));
    if (isNew) await flushed;
    return isNew;
  }

  async update(id: string, change: (event: StoredEvent) => StoredEvent | undefined): Promise<void> {
    await this.#environment.commits.run(() => this.#update(id, change), true);
  }

  canRecord(): boolean {
    return this.#environment.commits.canRecord;
  }

  partitionOf(): undefined {}

  placeFor(now: number): number {
    return this.#places.next(now);
  }

  async event(id: string): Promise<StoredEvent | undefined> {
    return this.#kept(id)?.event;
  }

  async body(id: string): Promise<Uint8Array | undefined> {
    const kept = this.#kept(id);
    return kept && this.#tables.bodies.get(kept.body);
  }

  async waiting(url: string, stage: QueuePosition, after: QueueKey | undefined, limit: number): Promise<QueueKey[]> {
    return this.#lines.list(url, stage, after, limit);
  }

  async isBehind(url: string, id: string): Promise<boolean> {
    const state = this.#kept(id)?.event.urls[url];
    return state !== undefined && isWaiting(state) && this.#lines.isBehind(url, { at: state.due, id });
  }

  async dead(after: QueueKey | undefined, limit: number): Promise<QueueKey[]> {
    return this.#dead.list(after, limit);
  }

  async backlog(): Promise<Backlog[]> {
    return this.#counts.read().backlog();
  }

  async deadTotals(): Promise<DeadTotals> {
    return this.#counts.read().deadTotals();
  }

  flush(): Promise<void> {
    return this.#environment.commits.flush();
  }

  /** Collects the deliveries that enter the line. */
  begin(): Ready[] {
    return [];
  }

  committed(ready: Ready[]): void {
    for (const each of ready) this.onReady?.(each);
  }

  #add(event: StoredEvent, body: Uint8Array): boolean {
    const { events, bodies } = this.#tables;
    const key = this.#keyOf(event.id);
    if (events.doesExist(key)) return false;
    this.#put(key, { event, body: bodies.hold(body) });
    this.#announce(this.#index.enter(event));
    return true;
  }

  #update(id: string, change: (event: StoredEvent) => StoredEvent | undefined): void {
    const kept = this.#kept(id);
    if (kept === undefined) return;
    const next = change(kept.event);
    if (next === kept.event) return;
    const key = this.#keyOf(id);
    if (next !== undefined) this.#put(key, { event: next, body: kept.body });
    else {
      this.#tables.events.remove(key);
      this.#tables.bodies.release(kept.body);
    }
    this.#announce(this.#index.move(kept.event, next));
  }

  /** Announces the deliveries once the transaction is committed. */
  #announce(ready: readonly Ready[]): void {
    if (ready.length > 0) this.#environment.commits.gathered(this).push(...ready);
  }

  #kept(id: string): KeptEvent | undefined {
    const text = this.#tables.events.get(this.#keyOf(id));
    return text === undefined ? undefined : decodeEvent(text, id, this.#urls);
  }

  #put(key: Uint8Array, kept: KeptEvent): void {
    this.#tables.events.put(key, encodeEvent(kept, this.#urls));
  }

  #keyOf(id: string): Buffer {
    const prefix = this.#prefix;
    const key = Buffer.allocUnsafe(prefix.length + Buffer.byteLength(id));
    key.set(prefix);
    key.write(id, prefix.length);
    return key;
  }
}
