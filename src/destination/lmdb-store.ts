import type { Database, RootDatabase } from 'lmdb';
import { LmdbMissingError } from './errors.js';
import { GroupCommit } from './group-commit.js';
import { endOf, placeKey, readPlaceKey, successor } from './place-key.js';
import type { StoredEvent } from './settle.js';
import { type Backlog, type Place, type Stage, type Store, waitingEntries } from './store.js';

export interface LmdbStoreOptions {
  /** A folder, made if need be. One destination, in one process, uses it at a time. */
  path: string;
}

/**
 * A store on the local disk. What it accepted survives `kill -9` and, as far as the disk keeps its word, power loss. Needs
 * the package `lmdb`.
 *
 * @throws LmdbMissingError when the package `lmdb` is not installed.
 *
 * @example
 * const destination = await Destination.open({ webhooks: [{ url }], store: await lmdbStore({ path: './deliveries' }) });
 */
export async function lmdbStore({ path }: LmdbStoreOptions): Promise<Store> {
  const { open } = await import('lmdb').catch((error: unknown) => {
    throw new LmdbMissingError(error);
  });
  return new LmdbStore(open({ path, maxDbs: 8, noSubdir: false }));
}

const STAGES = ['first', 'retry'] as const satisfies Stage[];
const NOTHING = Buffer.alloc(0);
const NO_PREFIX = Buffer.alloc(0);

class LmdbStore implements Store {
  readonly #db: RootDatabase;
  readonly #events: Database<StoredEvent, string>;
  readonly #bodies: Database<Uint8Array, string>;
  readonly #waiting: Database<Uint8Array, Uint8Array>;
  readonly #dead: Database<Uint8Array, Uint8Array>;
  readonly #urls: Database<string, number>;
  readonly #commits: GroupCommit;
  /** URLs are long, so the index has their numbers. */
  readonly #numbers = new Map<string, number>();

  constructor(db: RootDatabase) {
    this.#db = db;
    this.#events = db.openDB({ name: 'events', encoding: 'json' });
    this.#bodies = db.openDB({ name: 'bodies', encoding: 'binary' });
    this.#waiting = db.openDB({ name: 'waiting', encoding: 'binary', keyEncoding: 'binary' });
    this.#dead = db.openDB({ name: 'dead', encoding: 'binary', keyEncoding: 'binary' });
    this.#urls = db.openDB({ name: 'urls', encoding: 'json' });
    this.#commits = new GroupCommit(db);
    for (const { key, value } of this.#urls.getRange()) this.#numbers.set(value, key);
  }

  async add(event: StoredEvent, body: Uint8Array): Promise<boolean> {
    for (const url of Object.keys(event.urls)) if (!this.#numbers.has(url)) await this.#register(url);
    const { result: isNew, flushed } = await this.#commits.run(() => {
      if (this.#events.doesExist(event.id)) return false;
      this.#events.put(event.id, event);
      this.#bodies.put(event.id, body);
      this.#enter(event);
      return true;
    });
    if (isNew) await flushed;
    return isNew;
  }

  async update(id: string, change: (event: StoredEvent) => StoredEvent | undefined): Promise<void> {
    await this.#commits.run(() => {
      const event = this.#events.get(id);
      if (event === undefined) return;
      const next = change(event);
      this.#leave(event);
      if (next === undefined) {
        this.#events.remove(id);
        this.#bodies.remove(id);
      } else {
        this.#events.put(id, next);
        this.#enter(next);
      }
    });
  }

  async event(id: string): Promise<StoredEvent | undefined> {
    return this.#events.get(id);
  }

  async body(id: string): Promise<Uint8Array | undefined> {
    return this.#bodies.get(id);
  }

  async waiting(url: string, stage: Stage, after: Place | undefined, limit: number): Promise<Place[]> {
    const number = this.#numbers.get(url);
    return number === undefined ? [] : list(this.#waiting, prefixOf(number, stage), after, limit);
  }

  async dead(after: Place | undefined, limit: number): Promise<Place[]> {
    return list(this.#dead, NO_PREFIX, after, limit);
  }

  async backlog(): Promise<Backlog[]> {
    const count = (number: number, stage: Stage): number => {
      const start = prefixOf(number, stage);
      return this.#waiting.getKeysCount({ start, end: endOf(start) });
    };
    return [...this.#numbers]
      .map(([url, number]) => ({ url, first: count(number, 'first'), retry: count(number, 'retry') }))
      .filter(({ first, retry }) => first + retry > 0);
  }

  async flush(): Promise<void> {
    const { flushed } = await this.#commits.run(() => undefined);
    await flushed;
  }

  async close(): Promise<void> {
    await this.flush();
    await this.#db.close();
  }

  #enter(event: StoredEvent): void {
    for (const entry of waitingEntries(event)) {
      this.#waiting.put(placeKey(prefixOf(this.#numberOf(entry.url), entry.stage), entry), NOTHING);
    }
    if (event.isDead) this.#dead.put(placeKey(NO_PREFIX, { at: event.acceptedAt, id: event.id }), NOTHING);
  }

  #leave(event: StoredEvent): void {
    for (const entry of waitingEntries(event)) {
      this.#waiting.remove(placeKey(prefixOf(this.#numberOf(entry.url), entry.stage), entry));
    }
    if (event.isDead) this.#dead.remove(placeKey(NO_PREFIX, { at: event.acceptedAt, id: event.id }));
  }

  #numberOf(url: string): number {
    const number = this.#numbers.get(url);
    if (number === undefined) throw new Error(`No event for ${url} was ever added`);
    return number;
  }

  /** Gives the URL the next number; known here only once it is known to the disk. */
  async #register(url: string): Promise<void> {
    const { result: number } = await this.#commits.run(() => {
      const urls = [...this.#urls.getRange()].map(({ value }) => value);
      const known = urls.indexOf(url);
      if (known >= 0) return known;
      this.#urls.put(urls.length, url);
      return urls.length;
    });
    this.#numbers.set(url, number);
  }
}

function list(
  index: Database<Uint8Array, Uint8Array>,
  prefix: Buffer,
  after: Place | undefined,
  limit: number,
): Place[] {
  const start = after === undefined ? prefix : successor(placeKey(prefix, after));
  const places: Place[] = [];
  for (const key of index.getKeys({ start, end: endOf(prefix), limit })) places.push(readPlaceKey(prefix.length, key));
  return places;
}

function prefixOf(number: number, stage: Stage): Buffer {
  const prefix = Buffer.allocUnsafe(3);
  prefix.writeUInt16BE(number);
  prefix.writeUInt8(STAGES.indexOf(stage), 2);
  return prefix;
}
