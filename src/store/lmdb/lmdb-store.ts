import type { Database } from 'lmdb';
import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { Ready } from '../event-store.js';
import { LocalStore } from '../local-store.js';
import type { WebhookList } from '../webhook-list.js';
import type { LmdbBodies } from './lmdb-bodies.js';
import { LmdbCounts } from './lmdb-counts.js';
import type { LmdbEnvironment } from './lmdb-environment.js';
import { decodeEvent, encodeEvent, encodeId, type KeptEvent } from './lmdb-event-record.js';
import { type LineTables, LmdbLines, LmdbQueue, LmdbUrls, type QueueIndex } from './lmdb-lines.js';

/** The tables with the records of all destinations. */
export interface Tables extends LineTables {
  readonly events: Database<string, Uint8Array>;
  readonly bodies: LmdbBodies;
  readonly dead: QueueIndex;
  readonly urls: Database<string, Uint8Array>;
  readonly counts: Database<number, Uint8Array>;
}

/** The events of one destination in an lmdb environment, which may contain other destinations too. */
export class LmdbStore extends LocalStore<KeptEvent> {
  readonly #environment: LmdbEnvironment;

  /** @param destination the number of the destination */
  constructor(environment: LmdbEnvironment, tables: Tables, destination: number, webhooks: WebhookList) {
    const { commits } = environment;
    const prefix = Buffer.allocUnsafe(4);
    prefix.writeUInt32BE(destination);
    const urls = new LmdbUrls(tables.urls, commits, prefix);
    const lines = new LmdbLines(tables, prefix, urls);
    const events = new LmdbEvents(tables, prefix, urls);
    const counts = new LmdbCounts(tables.counts, commits, prefix, urls);
    super({ events, lines, counts, dead: new LmdbQueue(tables.dead, prefix) }, webhooks, lines.lastPlace());
    this.#environment = environment;
  }

  async add(event: StoredEvent, body: Uint8Array): Promise<boolean> {
    const { commits, room } = this.#environment;
    room.take(body.length);
    return commits.runDurably(() => this.addNow(event, body));
  }

  async update(id: string, change: (event: StoredEvent) => StoredEvent | undefined): Promise<void> {
    await this.#environment.commits.run(() => this.updateNow(id, change), true);
  }

  canRecord(): boolean {
    return this.#environment.commits.canRecord;
  }

  flush(): Promise<void> {
    return this.#environment.commits.flush();
  }

  protected override announce(ready: readonly Ready[]): void {
    if (ready.length > 0) this.#environment.commits.gathered(this).push(...ready);
  }

  /** Collects the deliveries that enter the line. */
  begin(): Ready[] {
    return [];
  }

  committed(ready: Ready[]): void {
    for (const each of ready) this.onReady?.(each);
  }
}

/** The events and bodies of one destination. Methods that write are called inside a transaction. */
class LmdbEvents {
  readonly #tables: Tables;
  /** The bytes that stand for the destination. */
  readonly #prefix: Uint8Array;
  readonly #urls: LmdbUrls;

  constructor(tables: Tables, prefix: Uint8Array, urls: LmdbUrls) {
    this.#tables = tables;
    this.#prefix = prefix;
    this.#urls = urls;
  }

  get(id: string): KeptEvent | undefined {
    const text = this.#tables.events.get(this.#keyOf(id));
    return text === undefined ? undefined : decodeEvent(text, id, this.#urls);
  }

  body({ body }: KeptEvent): Uint8Array | undefined {
    return this.#tables.bodies.get(body);
  }

  add(event: StoredEvent, body: Uint8Array): boolean {
    const { events, bodies } = this.#tables;
    const key = this.#keyOf(event.id);
    if (events.doesExist(key)) return false;
    events.put(key, encodeEvent({ event, body: bodies.hold(body) }, this.#urls));
    return true;
  }

  replace({ body }: KeptEvent, event: StoredEvent): void {
    this.#tables.events.put(this.#keyOf(event.id), encodeEvent({ event, body }, this.#urls));
  }

  remove({ event, body }: KeptEvent): void {
    this.#tables.events.remove(this.#keyOf(event.id));
    this.#tables.bodies.release(body);
  }

  /** The id comes first, because ids that were made one after the other then fill the pages in order, for all destinations. */
  #keyOf(id: string): Buffer {
    const bytes = encodeId(id);
    const key = Buffer.allocUnsafe(bytes.length + this.#prefix.length);
    key.set(bytes);
    key.set(this.#prefix, bytes.length);
    return key;
  }
}
