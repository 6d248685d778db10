import type { Database } from 'lmdb';
import type { StoredEvent } from '../../delivery/completion-rule.js';
import {
  type Backlog,
  type DeadTotals,
  type KnownWebhook,
  type QueueKey,
  type Stage,
  type WebhookChange,
  waitingEntries,
} from '../event-store.js';
import { decodeQueueKey, encodeQueueKey, endOf, successor } from '../queue-key.js';
import type { GroupCommit } from './group-commit.js';
import { LmdbCounts } from './lmdb-counts.js';

export type RecordKey = string | Uint8Array;

/** Where in lmdb the records of a destination are. */
export interface Tables {
  readonly events: Database<StoredEvent, RecordKey>;
  readonly bodies: Database<Uint8Array, RecordKey>;
  readonly waiting: Database<Uint8Array, Uint8Array>;
  readonly dead: Database<Uint8Array, Uint8Array>;
  readonly urls: UrlTable;
  readonly counts: Database<number, Uint8Array>;
  readonly webhooks: WebhookTable;
  /** The key of an event and its body. */
  keyOf(id: string): RecordKey;
  /** Stands before every key of the two indexes. */
  readonly prefix: Uint8Array;
}

/** URLs are long, so the index has their numbers, which begin with 0. */
export interface UrlTable {
  all(): Iterable<readonly [number: number, url: string]>;
  put(number: number, url: string): void;
}

export interface WebhookTable {
  get(): readonly KnownWebhook[] | undefined;
  put(known: readonly KnownWebhook[]): void;
}

const STAGES = ['first', 'retry'] as const satisfies Stage[];
const NOTHING = Buffer.alloc(0);

/** What waits for one destination and its dead letters, as they lie in lmdb. Whatever writes is called inside a transaction. */
export class LmdbRecords {
  readonly #tables: Tables;
  /** The numbers that are there for good: those of a running transaction may yet be undone. */
  readonly #numbers = new Map<string, number>();
  readonly #counts: LmdbCounts;

  constructor(tables: Tables, commits: GroupCommit) {
    this.#tables = tables;
    this.#counts = new LmdbCounts({
      table: tables.counts,
      commits,
      prefix: tables.prefix,
      urls: () => tables.urls.all(),
      numberOf: (url) => this.#numberOf(url),
    });
    this.#learn();
  }

  /** Counts anew where the counts are not those of the indexes, as after an earlier version, which kept none. Called inside a transaction. */
  checkCounts(): void {
    const { waiting, dead, prefix } = this.#tables;
    const range = { start: prefix, end: endOf(prefix) };
    const kept = this.#counts.read();
    const waits = kept.backlog().reduce((sum, { first, retry }) => sum + first + retry, 0);
    const isRight = waits === waiting.getKeysCount(range) && kept.deadTotals().events === dead.getKeysCount(range);
    if (!isRight) this.#counts.renew(this.#all());
  }

  /** Says whether it was new. */
  add(event: StoredEvent, body: Uint8Array): boolean {
    const { events, bodies, keyOf } = this.#tables;
    const key = keyOf(event.id);
    if (events.doesExist(key)) return false;
    for (const url of Object.keys(event.urls)) this.#numberOf(url) ?? this.#register(url);
    events.put(key, event);
    bodies.put(key, body);
    this.#enter(event);
    return true;
  }

  /** Puts one state of an event in the place of another; undefined forgets event and body. */
  replace(event: StoredEvent, next: StoredEvent | undefined): void {
    if (next === event) return;
    const { events, bodies, keyOf } = this.#tables;
    this.#leave(event);
    if (next === undefined) {
      events.remove(keyOf(event.id));
      bodies.remove(keyOf(event.id));
    } else {
      events.put(keyOf(event.id), next);
      this.#enter(next);
    }
  }

  /** To be called once an added event is committed. */
  added(event: StoredEvent): void {
    if (Object.keys(event.urls).some((url) => !this.#numbers.has(url))) this.#learn();
  }

  event(id: string): StoredEvent | undefined {
    return this.#tables.events.get(this.#tables.keyOf(id));
  }

  body(id: string): Uint8Array | undefined {
    return this.#tables.bodies.get(this.#tables.keyOf(id));
  }

  waiting(url: string, stage: Stage, after: QueueKey | undefined, limit: number): QueueKey[] {
    const number = this.#numberOf(url);
    return number === undefined ? [] : list(this.#tables.waiting, this.#queue(number, stage), after, limit);
  }

  dead(after: QueueKey | undefined, limit: number): QueueKey[] {
    return list(this.#tables.dead, this.#tables.prefix, after, limit);
  }

  backlog(): Backlog[] {
    return this.#counts.read().backlog();
  }

  deadTotals(): DeadTotals {
    return this.#counts.read().deadTotals();
  }

  webhooks(): readonly KnownWebhook[] | undefined {
    return this.#tables.webhooks.get();
  }

  updateWebhooks(change: WebhookChange): readonly KnownWebhook[] {
    const known = this.webhooks();
    const next = change(known);
    if (next === known) return next;
    this.#tables.webhooks.put(next);
    for (const { key } of next) this.#numberOf(key) ?? this.#register(key);
    return next;
  }

  #enter(event: StoredEvent): void {
    this.#counts.add(event, 1);
    for (const entry of waitingEntries(event)) {
      this.#tables.waiting.put(encodeQueueKey(this.#queueOf(entry.url, entry.stage), entry), NOTHING);
    }
    if (event.isDead) this.#tables.dead.put(this.#deadKey(event), NOTHING);
  }

  #leave(event: StoredEvent): void {
    this.#counts.add(event, -1);
    for (const entry of waitingEntries(event)) {
      this.#tables.waiting.remove(encodeQueueKey(this.#queueOf(entry.url, entry.stage), entry));
    }
    if (event.isDead) this.#tables.dead.remove(this.#deadKey(event));
  }

  *#all(): Generator<StoredEvent, void, undefined> {
    const { events, prefix } = this.#tables;
    const range = prefix.length === 0 ? {} : { start: prefix, end: endOf(prefix) };
    for (const { value } of events.getRange(range)) yield value;
  }

  #deadKey({ acceptedAt, id }: StoredEvent): Buffer {
    return encodeQueueKey(this.#tables.prefix, { at: acceptedAt, id });
  }

  #queueOf(url: string, stage: Stage): Buffer {
    const number = this.#numberOf(url);
    if (number === undefined) throw new Error(`No event for ${url} was ever added`);
    return this.#queue(number, stage);
  }

  #queue(number: number, stage: Stage): Buffer {
    const { prefix } = this.#tables;
    const queue = Buffer.allocUnsafe(prefix.length + 3);
    queue.set(prefix);
    queue.writeUInt16BE(number, prefix.length);
    queue.writeUInt8(STAGES.indexOf(stage), prefix.length + 2);
    return queue;
  }

  #numberOf(url: string): number | undefined {
    const number = this.#numbers.get(url);
    if (number !== undefined) return number;
    for (const [there, other] of this.#tables.urls.all()) if (other === url) return there;
    return undefined;
  }

  #register(url: string): void {
    this.#tables.urls.put([...this.#tables.urls.all()].length, url);
  }

  #learn(): void {
    for (const [number, url] of this.#tables.urls.all()) this.#numbers.set(url, number);
  }
}

function list(
  index: Database<Uint8Array, Uint8Array>,
  prefix: Uint8Array,
  after: QueueKey | undefined,
  limit: number,
): QueueKey[] {
  const start = after === undefined ? prefix : successor(encodeQueueKey(prefix, after));
  const found: QueueKey[] = [];
  for (const key of index.getKeys({ start, end: endOf(prefix), limit })) found.push(decodeQueueKey(prefix.length, key));
  return found;
}
