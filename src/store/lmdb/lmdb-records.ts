import type { Database } from 'lmdb';
import type { StoredEvent } from '../../delivery/completion-rule.js';
import { isWaiting } from '../../delivery/state.js';
import type { Backlog, DeadTotals, KnownWebhook, Position, QueueKey, Ready, WebhookChange } from '../event-store.js';
import { Lanes } from '../lanes.js';
import { encodeQueueKey, Places } from '../queue-key.js';
import type { GroupCommit } from './group-commit.js';
import type { LmdbBodies } from './lmdb-bodies.js';
import { LmdbCounts } from './lmdb-counts.js';
import { decodeEvent, encodeEvent, type KeptEvent } from './lmdb-event-record.js';
import { listKeys } from './lmdb-index.js';
import type { LmdbLanes } from './lmdb-lanes.js';
import { LmdbLines, LmdbUrls } from './lmdb-lines.js';

/** Where in lmdb the records of all destinations are. */
export interface Tables {
  readonly events: Database<string, Uint8Array>;
  readonly bodies: LmdbBodies;
  readonly waiting: Database<Uint8Array, Uint8Array>;
  readonly lanes: LmdbLanes;
  readonly dead: Database<Uint8Array, Uint8Array>;
  readonly urls: Database<string, Uint8Array>;
  readonly counts: Database<number, Uint8Array>;
  /** By the numbers of destinations. */
  readonly webhooks: Database<readonly KnownWebhook[], number>;
}

const NOTHING = Buffer.alloc(0);

/** An event that was added, and where it is in line by that. */
interface AddedEvent {
  readonly kept: KeptEvent;
  readonly ready: readonly Ready[];
}

/** How many events that were just added are kept in memory, as about as many wait there to be sent. */
const MOST_RECENT = 1_024;

/** What waits for one destination and its dead letters, as they lie in lmdb. Whatever writes is called inside a transaction. */
export class LmdbRecords {
  readonly #tables: Tables;
  readonly #destination: number;
  /** Stands before every key. */
  readonly #prefix: Uint8Array;
  readonly #urls: LmdbUrls;
  /** Committed, and not changed since. Undefined until something is added. */
  #recent: Map<string, KeptEvent> | undefined;
  /** What the last transaction that added any has added, by id. */
  #adding: Map<string, AddedEvent> | undefined;
  #transaction: number | undefined;
  readonly #commits: GroupCommit;
  readonly #counts: LmdbCounts;
  readonly #places: Places;
  readonly #lines: LmdbLines;
  readonly #lanes: Lanes;
  onReady: ((ready: Ready) => void) | undefined;

  /** @param destination its number */
  constructor(tables: Tables, commits: GroupCommit, destination: number) {
    this.#tables = tables;
    this.#commits = commits;
    this.#destination = destination;
    this.#prefix = Buffer.allocUnsafe(4);
    new DataView(this.#prefix.buffer, this.#prefix.byteOffset).setUint32(0, destination);
    this.#urls = new LmdbUrls(tables.urls, this.#prefix);
    this.#counts = new LmdbCounts(tables.counts, commits, this.#prefix, this.#urls);
    this.#lines = new LmdbLines(tables, this.#prefix, this.#urls);
    this.#lanes = new Lanes(this.#lines);
    this.#places = new Places(this.#lines.lastPlace());
  }

  placeFor(now: number): number {
    return this.#places.next(now);
  }

  /** Says whether it was new. */
  add(event: StoredEvent, body: Uint8Array): boolean {
    const { events, bodies } = this.#tables;
    const key = this.#keyOf(event.id);
    this.#begin();
    if (this.#recent?.has(event.id) || events.doesExist(key)) return false;
    for (const url of Object.keys(event.urls)) this.#urls.register(url);
    const kept: KeptEvent = { event, body: bodies.hold(body) };
    this.#put(key, kept);
    this.#adding ??= new Map();
    this.#adding.set(event.id, { kept, ready: this.#enter(event) });
    return true;
  }

  /**
   * Puts what `change` makes of an event in its place; undefined forgets event and body. Called inside a transaction. Gives the deliveries of
   * ordered events that come in line by that, for `tell`.
   */
  update(id: string, change: (event: StoredEvent) => StoredEvent | undefined): readonly Ready[] {
    const kept = this.#kept(id);
    if (kept === undefined) return [];
    const next = change(kept.event);
    if (next === kept.event) return [];
    this.#recent?.delete(id);
    const ready = this.#leave(kept.event, next);
    if (next !== undefined) {
      this.#put(this.#keyOf(id), { event: next, body: kept.body });
      return [...ready, ...this.#enter(next)];
    }
    this.#tables.events.remove(this.#keyOf(id));
    this.#tables.bodies.release(kept.body);
    return ready;
  }

  /** To be called once what brought them in line is committed. */
  tell(ready: readonly Ready[]): void {
    for (const each of ready) this.onReady?.(each);
  }

  /** To be called once an event that was new is committed, and before anybody knows of it. */
  added(id: string): void {
    const added = this.#adding?.get(id);
    if (added === undefined) return;
    const { kept, ready } = added;
    if (Object.keys(kept.event.urls).some((url) => this.#urls.settledNumberOf(url) === undefined)) this.#urls.settle();
    this.#recent ??= new Map();
    this.#recent.set(id, kept);
    this.tell(ready);
    if (this.#recent.size <= MOST_RECENT) return;
    for (const oldest of this.#recent.keys()) {
      this.#recent.delete(oldest);
      break;
    }
  }

  event(id: string): StoredEvent | undefined {
    return this.#kept(id)?.event;
  }

  body(id: string): Uint8Array | undefined {
    const kept = this.#kept(id);
    return kept && this.#tables.bodies.get(kept.body);
  }

  waiting(url: string, stage: Position, after: QueueKey | undefined, limit: number): QueueKey[] {
    return this.#lines.list(url, stage, after, limit);
  }

  isBehind(url: string, id: string): boolean {
    const state = this.event(id)?.urls[url];
    return state !== undefined && isWaiting(state) && this.#lines.isBehind(url, { at: state.due, id });
  }

  dead(after: QueueKey | undefined, limit: number): QueueKey[] {
    return listKeys(this.#tables.dead, this.#prefix, after, limit);
  }

  backlog(): Backlog[] {
    return this.#counts.read().backlog();
  }

  deadTotals(): DeadTotals {
    return this.#counts.read().deadTotals();
  }

  webhooks(): readonly KnownWebhook[] | undefined {
    return this.#tables.webhooks.get(this.#destination);
  }

  updateWebhooks(change: WebhookChange): readonly KnownWebhook[] {
    const known = this.webhooks();
    const next = change(known);
    if (next === known) return next;
    void this.#tables.webhooks.put(this.#destination, next);
    for (const { key } of next) this.#urls.register(key);
    return next;
  }

  /** A transaction runs once those that were added before it are known, or have failed. */
  #begin(): void {
    if (this.#transaction === this.#commits.transaction) return;
    this.#transaction = this.#commits.transaction;
    this.#adding = undefined;
  }

  #kept(id: string): KeptEvent | undefined {
    const recent = this.#recent?.get(id);
    if (recent !== undefined) return recent;
    const text = this.#tables.events.get(this.#keyOf(id));
    return text === undefined ? undefined : decodeEvent(text, id, (number) => this.#urls.urlOf(number));
  }

  #put(key: Uint8Array, kept: KeptEvent): void {
    this.#tables.events.put(
      key,
      encodeEvent(kept, (url) => this.#urls.settledNumberOf(url)),
    );
  }

  #enter(event: StoredEvent): readonly Ready[] {
    this.#counts.add(event, 1);
    if (event.isDead) this.#tables.dead.put(this.#deadKey(event), NOTHING);
    return this.#lanes.enter(event);
  }

  #leave(event: StoredEvent, after: StoredEvent | undefined): readonly Ready[] {
    this.#counts.add(event, -1);
    if (event.isDead) this.#tables.dead.remove(this.#deadKey(event));
    return this.#lanes.leave(event, after);
  }

  #keyOf(id: string): Buffer {
    const prefix = this.#prefix;
    const key = Buffer.allocUnsafe(prefix.length + Buffer.byteLength(id));
    key.set(prefix);
    key.write(id, prefix.length);
    return key;
  }

  #deadKey({ acceptedAt, id }: StoredEvent): Buffer {
    return encodeQueueKey(this.#prefix, { at: acceptedAt, id });
  }
}
