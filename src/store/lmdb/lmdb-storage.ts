import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { callback, checkOptions, internal, type Rules } from '../../base/options/check-options.js';
import { type Clock, systemClock } from '../../base/time/clock.js';
import type { EventStore } from '../event-store.js';
import { takeInAll } from '../local-store.js';
import type { brand, Intake, Storage, TakenIn } from '../storage.js';
import { SharedStore, type Store } from '../store.js';
import { describeProcess } from '../store-errors.js';
import { type Holder, isThisProcess } from './holder.js';
import { LmdbDestinations } from './lmdb-destinations.js';
import { FOLDER_RULES, LmdbEnvironment } from './lmdb-environment.js';
import type { LmdbKeyValueStore } from './lmdb-key-value-store.js';
import { LmdbMessageIds } from './lmdb-message-ids.js';
import { LmdbStore } from './lmdb-store.js';

export interface LmdbStorageOptions {
  /** A folder on a local disk, created if necessary. Only one process can have it open at a time. */
  readonly path: string;
  /**
   * The longest time to wait for another process to close the folder or to end, in milliseconds. The default is longer than a
   * service takes to end. @default 20_000
   */
  readonly lockTimeout?: number | undefined;
  /** Called immediately when the storage has to wait for another process. @default emits a process warning */
  readonly onWarning?: ((text: string) => void) | undefined;
  /** Aborting it ends the waiting. @internal */
  readonly signal?: AbortSignal | undefined;
  /** @default the machine's clock @internal */
  readonly clock?: Clock | undefined;
}

/** A service takes up to 5 s to store what it has received, and 10 s to end its requests. */
const LOCK_TIMEOUT_MS = 20_000;

/** How often old ids are forgotten, in ms. */
const FORGET_MS = 60_000;

const RULES: Rules<LmdbStorageOptions> = {
  ...FOLDER_RULES,
  onWarning: callback,
  signal: internal,
  clock: internal,
};

/**
 * Opens a storage on the local disk: one lmdb environment for everything, so that all writes of one turn of the event loop are
 * one transaction. The folder is locked until the storage is closed or the process ends. Needs the package `lmdb`.
 *
 * @throws LmdbMissingError when the package `lmdb` is not installed.
 * @throws StoreInUseError when another process, or another storage of this one, still has the folder open after `lockTimeout`.
 * @throws StoreFormatError when another version has written the folder in another format.
 * @throws StoreDamagedError when its file is damaged; StoreOpenError when it cannot be opened for another reason.
 * @throws OptionError when an option is wrong.
 */
export async function lmdbStorage(given: LmdbStorageOptions): Promise<Storage> {
  const options = checkOptions(given, RULES, { door: 'store', example: "lmdbStorage({ path: './data' })" });
  const { path, lockTimeout = LOCK_TIMEOUT_MS, signal, clock = systemClock() } = options;
  const { onWarning = (text: string): void => process.emitWarning(text) } = options;
  const environment = await LmdbEnvironment.open({
    path,
    lock: 'alone',
    lockTimeoutMs: lockTimeout,
    onWait: (holder) => onWarning(describeWait(path, holder, lockTimeout)),
    signal,
  });
  return environment.build(() => new LmdbStorage(path, clock, environment));
}

export interface LmdbStoreOptions {
  /** A folder, created if necessary. Only one process can use it at a time. */
  path: string;
  /** The longest time to wait for another process to close the folder or to end, in milliseconds. @default 0 */
  lockTimeout?: number | undefined;
}

/**
 * Opens a store on the local disk. Accepted events survive `kill -9` and, if the disk works as promised, power failures. The
 * folder is locked until the last destination that uses the store is closed, or the process ends. Needs the package `lmdb`.
 *
 * @throws LmdbMissingError when the package `lmdb` is not installed.
 * @throws StoreInUseError when another store has the folder open, after `lockTimeout`.
 * @throws StoreFormatError when another version has written the folder in another format.
 * @throws StoreDamagedError when its file is damaged; StoreOpenError when it cannot be opened for another reason.
 * @throws OptionError when an option is wrong.
 *
 * @example
 * const store = await lmdbStore({ path: './deliveries' });
 * const destination = await Destination.open({ webhooks: [{ url }], store });
 */
export async function lmdbStore(options: LmdbStoreOptions): Promise<Store> {
  checkOptions<LmdbStoreOptions>(options, FOLDER_RULES, {
    door: 'store',
    example: "lmdbStore({ path: './deliveries' })",
  });
  const { path, lockTimeout = 0 } = options;
  const open = () => lmdbStorage({ path, lockTimeout, onWarning: () => {} });
  return new SharedStore(open, await open());
}

const describeWait = (path: string, holder: Holder, lockTimeoutMs: number): string =>
  `${describeProcess({ ...holder, isOurs: isThisProcess(holder) })} has the folder ${path} open; the storage waits for up to ${lockTimeoutMs / 1_000} s until that is over`;

class LmdbStorage implements Storage {
  declare readonly [brand]: true;
  readonly historyBytes = 1_000_000_000;
  readonly isShared = false;
  readonly isNew = false;
  readonly clock: Clock;
  readonly keyValues: LmdbKeyValueStore;
  readonly #path: string;
  readonly #environment: LmdbEnvironment;
  readonly #messageIds: LmdbMessageIds;
  readonly #destinations: LmdbDestinations;
  readonly #stores = new Map<string, Promise<EventStore>>();
  #forgetting: Promise<void> | undefined;
  #cancelForgetting: () => void = () => {};
  #closing: Promise<void> | undefined;

  constructor(path: string, clock: Clock, environment: LmdbEnvironment) {
    this.#path = path;
    this.clock = clock;
    this.#environment = environment;
    this.#messageIds = new LmdbMessageIds(environment);
    this.#destinations = new LmdbDestinations(environment);
    this.keyValues = this.#destinations.keyValues;
    this.#forgetLater();
  }

  /** A commit is durable before it is reported. */
  async settled(): Promise<void> {}

  /** Only this process can empty it. */
  onEmptied(): void {}

  deliveries(destination: string): Promise<EventStore> {
    let store = this.#stores.get(destination);
    if (store === undefined) {
      store = this.#destinations.open(destination);
      this.#stores.set(destination, store);
      store.catch(() => this.#stores.delete(destination));
    }
    return store;
  }

  /** Runs as one transaction, so an id that an earlier call, even in the same transaction, has remembered is known here. */
  async takeIn(source: string, intakes: readonly Intake[], nowMs: number): Promise<readonly TakenIn[]> {
    const { room, commits } = this.#environment;
    room.take(intakes.reduce((bytes, { body }) => bytes + body.length, 0));
    return commits.runDurably(() => takeInAll(intakes, LmdbStore, (id) => this.#messageIds.keep(source, id, nowMs)));
  }

  async sendersOf(id: string, sources: readonly string[], nowMs: number): Promise<readonly string[]> {
    return sources.filter((source) => this.#messageIds.has(source, id, nowMs));
  }

  async size(): Promise<number> {
    return (await stat(join(this.#path, 'data.mdb'))).size;
  }

  assertRoom(): void {
    this.#environment.room.take(0);
  }

  spareBytes(): number {
    return this.#environment.room.spare();
  }

  async check(): Promise<void> {
    this.assertRoom();
    await this.#environment.commits.probe();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #forgetLater(): void {
    this.#cancelForgetting = this.clock.after(FORGET_MS, () => {
      this.#forgetLater();
      // Ids that cannot be forgotten now are forgotten later. Other writes report a disk that fails.
      this.#forgetting ??= this.#messageIds
        .forget(this.clock.wall())
        .catch(() => {})
        .finally(() => {
          this.#forgetting = undefined;
        });
    });
  }

  async #close(): Promise<void> {
    this.#cancelForgetting();
    await this.#forgetting;
    await this.#environment.close();
  }
}
