import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../clock.js';
import type { EventStore } from '../event-store.js';
import type { Storage } from '../storage.js';
import { LmdbDestinations } from './lmdb-destinations.js';
import { LmdbEnvironment } from './lmdb-environment.js';
import { LmdbKeyValueStore } from './lmdb-key-value-store.js';
import { LmdbMailbox } from './lmdb-mailbox.js';
import { LmdbMessageIdStore } from './lmdb-message-id-store.js';
import { Membership } from './membership.js';
import { SharedLmdbStore } from './shared-lmdb-store.js';

export interface LmdbStorageOptions {
  /** A folder on a local disk, made if need be. Several processes of one machine may have it open. */
  readonly path: string;
  /** @default the machine's @internal */
  readonly clock?: Clock | undefined;
}

/** How often what is past is forgotten. */
const FORGET_MS = 60_000;

/**
 * A storage on the local disk: one lmdb environment for everything, so that all that is issued in one turn of the event loop
 * is one transaction. A process opens it once. Needs the package `lmdb`.
 *
 * @throws LmdbMissingError when the package `lmdb` is not installed.
 * @throws StoreInUseError when a program has an `lmdbStore` open in the folder.
 * @throws StoreDamagedError when the file in it is damaged; StoreOpenError when it cannot be opened for another reason.
 */
export async function lmdbStorage(options: LmdbStorageOptions): Promise<Storage> {
  const { path, clock = systemClock() } = options;
  const environment = await LmdbEnvironment.open({ path, lock: 'shared' });
  return environment.build(() => storageIn(environment, path, clock));
}

async function storageIn(environment: LmdbEnvironment, path: string, clock: Clock): Promise<Storage> {
  const mailbox = new LmdbMailbox(environment);
  const messageIds = new LmdbMessageIdStore(environment, {
    me: () => membership.me,
    isPresent: (number) => mailbox.process(number) !== undefined,
  });
  const keyValues = new LmdbKeyValueStore(environment);
  const destinations = new LmdbDestinations(environment);
  // Only now, since others begin to write when they see this process, and databases are opened while everything else waits.
  const membership = await Membership.join({ environment, mailbox, clock });
  return new LmdbStorage({ path, clock, environment, mailbox, messageIds, keyValues, destinations, membership });
}

interface Parts {
  readonly path: string;
  readonly clock: Clock;
  readonly environment: LmdbEnvironment;
  readonly mailbox: LmdbMailbox;
  readonly messageIds: LmdbMessageIdStore;
  readonly keyValues: LmdbKeyValueStore;
  readonly destinations: LmdbDestinations;
  readonly membership: Membership;
}

class LmdbStorage implements Storage {
  readonly messageIds: LmdbMessageIdStore;
  readonly keyValues: LmdbKeyValueStore;
  readonly #parts: Parts;
  readonly #stores = new Map<string, Promise<EventStore>>();
  #forgetting: Promise<void> | undefined;
  #cancelForgetting: () => void = () => {};
  #closing: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.messageIds = parts.messageIds;
    this.keyValues = parts.keyValues;
    this.#forgetLater();
  }

  deliveries(destination: string): Promise<EventStore> {
    let store = this.#stores.get(destination);
    if (store === undefined) {
      store = this.#open(destination);
      this.#stores.set(destination, store);
      store.catch(() => this.#stores.delete(destination));
    }
    return store;
  }

  async size(): Promise<number> {
    return (await stat(join(this.#parts.path, 'data.mdb'))).size;
  }

  assertRoom(): void {
    this.#parts.environment.room.take(0);
  }

  async check(): Promise<void> {
    this.assertRoom();
    await this.#parts.destinations.touch(this.#parts.clock.wall());
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #open(destination: string): Promise<EventStore> {
    const { destinations } = this.#parts;
    const number = await destinations.register(destination);
    return new SharedLmdbStore({ ...this.#parts, number, records: await destinations.records(number) });
  }

  #forgetLater(): void {
    this.#cancelForgetting = this.#parts.clock.after(FORGET_MS, () => {
      this.#forgetLater();
      // What could not be forgotten now is forgotten later. Other writes report a disk that takes none.
      this.#forgetting ??= this.messageIds
        .forget(this.#parts.clock.wall())
        .catch(() => {})
        .finally(() => {
          this.#forgetting = undefined;
        });
    });
  }

  async #close(): Promise<void> {
    this.#cancelForgetting();
    await this.#forgetting;
    await this.#parts.membership.leave();
    await this.#parts.environment.close();
  }
}
