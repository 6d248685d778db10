import type { Database } from 'lmdb';
import type { EventStore } from '../event-store.js';
import { WebhookList } from '../webhook-list.js';
import { FolderLock } from './folder-lock.js';
import { LmdbBodies } from './lmdb-bodies.js';
import { LmdbEnvironment, type LmdbEnvironmentOptions } from './lmdb-environment.js';
import { LmdbKeyValueStore } from './lmdb-key-value-store.js';
import { LmdbStore, type Tables } from './lmdb-store.js';

/** The destinations in one environment: their names and numbers, and the records under each number. */
export class LmdbDestinations {
  readonly keyValues: LmdbKeyValueStore;
  readonly #environment: LmdbEnvironment;
  readonly #names: Database<string, number>;
  readonly #tables: Tables;
  /** The numbers by name. Only this process has the folder, so no other process assigns numbers. */
  readonly #numbers: Map<string, number>;

  constructor(environment: LmdbEnvironment) {
    const { db } = environment;
    this.#environment = environment;
    this.keyValues = new LmdbKeyValueStore(environment);
    this.#names = db.openDB({ name: DESTINATIONS, encoding: 'json' });
    this.#tables = {
      events: db.openDB<string, Uint8Array>({ name: 'service/events', encoding: 'string', keyEncoding: 'binary' }),
      bodies: new LmdbBodies(environment),
      waiting: db.openDB({ name: 'service/waiting', ...BINARY }),
      lanes: db.openDB({ name: 'service/lanes', encoding: 'json', keyEncoding: 'binary' }),
      behind: db.openDB({ name: 'service/behind', ...BINARY }),
      dead: db.openDB({ name: 'service/dead', ...BINARY }),
      counts: db.openDB({ name: 'service/counts', encoding: 'json', keyEncoding: 'binary' }),
      urls: db.openDB({ name: 'service/urls', encoding: 'string', keyEncoding: 'binary' }),
    };
    this.#numbers = new Map(Array.from(this.names(), ([number, name]) => [name, number]));
  }

  /** Returns the names by number. */
  names(): Map<number, string> {
    return new Map([...this.#names.getRange()].map(({ key, value }) => [key, value]));
  }

  /** Returns the destination's number, which is assigned at the first call and never changes. */
  async register(name: string): Promise<number> {
    const number = this.#numbers.get(name) ?? Math.max(0, ...this.#numbers.values()) + 1;
    this.#numbers.set(name, number);
    const { commits } = this.#environment;
    if (!this.#names.doesExist(number)) await commits.runDurably(() => void this.#names.put(number, name));
    return number;
  }

  /** Opens the store of the destination of that name, creating it if necessary. Closing it leaves the environment open. */
  async open(name: string): Promise<LmdbStore> {
    return this.at(await this.register(name), name);
  }

  /** Opens the store for a number and its name from `names`. */
  at(destination: number, name: string): LmdbStore {
    return new LmdbStore(this.#environment, this.#tables, destination, new WebhookList(this.keyValues, name));
  }
}

const BINARY = { encoding: 'binary', keyEncoding: 'binary' } as const;

export const DESTINATIONS = 'service/destinations';

/** A destination in a folder, as seen by a program that delivers nothing. */
export interface StoredDestination {
  /** Undefined for the destination without a name. */
  readonly name: string | undefined;
  readonly store: EventStore;
}

export interface LmdbFolder {
  readonly destinations: readonly StoredDestination[];
  /** True if a process had the folder open when it was opened here. */
  readonly isInUse: boolean;
  close(): Promise<void>;
}

/**
 * Opens the folder of an `lmdbStore` or of a service: with `lock: 'none'` to read it, even while a process has it open; with
 * `lock: 'alone'` to change it while no process has it open.
 *
 * @throws LmdbMissingError when the package `lmdb` is not installed.
 * @throws StoreInUseError when the folder is to be changed, and a process has it open.
 */
export async function openLmdbFolder(options: LmdbEnvironmentOptions): Promise<LmdbFolder> {
  const isInUse = options.lock === 'none' && (await FolderLock.isHeld(options.path));
  const environment = await LmdbEnvironment.open(options);
  const destinations = await environment.build(() => {
    const all = new LmdbDestinations(environment);
    return Array.from(all.names(), ([number, name]) => ({
      name: name === '' ? undefined : name,
      store: all.at(number, name),
    }));
  });
  return { destinations, isInUse, close: () => environment.close() };
}
