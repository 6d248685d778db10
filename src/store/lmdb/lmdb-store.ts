import { checkOptions } from '../../check-options.js';
import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { Backlog, DeadTotals, EventStore, KnownWebhook, QueueKey, Stage, WebhookChange } from '../event-store.js';
import { type Store, seal } from '../store.js';
import { LmdbBodies } from './lmdb-bodies.js';
import { FOLDER_RULES, LmdbEnvironment, type LmdbEnvironmentOptions } from './lmdb-environment.js';
import { LmdbRecords, type Tables } from './lmdb-records.js';

export interface LmdbStoreOptions {
  /** A folder, made if need be. One destination, in one process, uses it at a time. */
  path: string;
  /** How long to wait for another process to close the folder, or to end, in milliseconds. @default 0 */
  lockTimeout?: number | undefined;
}

/**
 * A store on the local disk. What it accepted survives `kill -9` and, as far as the disk keeps its word, power loss. The
 * folder is locked until the store is closed or the process ends. Needs the package `lmdb`.
 *
 * @throws LmdbMissingError when the package `lmdb` is not installed.
 * @throws StoreInUseError when another store has the folder open, after `lockTimeout`.
 * @throws StoreDamagedError when the file in it is damaged; StoreOpenError when it cannot be opened for another reason.
 * @throws OptionError when an option is wrong.
 *
 * @example
 * const destination = await Destination.open({ webhooks: [{ url }], store: await lmdbStore({ path: './deliveries' }) });
 */
export async function lmdbStore(options: LmdbStoreOptions): Promise<Store> {
  checkOptions<LmdbStoreOptions>(options, FOLDER_RULES, {
    door: 'store',
    example: "lmdbStore({ path: './deliveries' })",
  });
  const { path, lockTimeout = 0 } = options;
  return seal(await openLmdbStore({ path, lock: 'alone', lockTimeoutMs: lockTimeout }));
}

/** The same, for those who only look into it, with or without a lock. */
export async function openLmdbStore(options: LmdbEnvironmentOptions): Promise<EventStore> {
  const environment = await LmdbEnvironment.open(options);
  return environment.build(async () => {
    const records = new LmdbRecords(tablesIn(environment), environment.commits);
    await environment.commits.run(() => records.checkCounts(), true);
    return new LmdbStore(environment, records, () => environment.close());
  });
}

/** What waits for one destination, and its dead letters, in an lmdb environment, which may have those of others too. */
export class LmdbStore implements EventStore {
  readonly #environment: LmdbEnvironment;
  readonly records: LmdbRecords;
  readonly #close: () => Promise<void>;

  constructor(environment: LmdbEnvironment, records: LmdbRecords, close: () => Promise<void>) {
    this.#environment = environment;
    this.records = records;
    this.#close = close;
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
    await this.#environment.commits.run(() => this.records.update(id, change), true);
  }

  canRecord(): boolean {
    return this.#environment.canRecord;
  }

  async event(id: string): Promise<StoredEvent | undefined> {
    return this.records.event(id);
  }

  async body(id: string): Promise<Uint8Array | undefined> {
    return this.records.body(id);
  }

  async waiting(url: string, stage: Stage, after: QueueKey | undefined, limit: number): Promise<QueueKey[]> {
    return this.records.waiting(url, stage, after, limit);
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

  updateWebhooks(change: WebhookChange): Promise<readonly KnownWebhook[]> {
    return this.#environment.commits.runDurably(() => this.records.updateWebhooks(change), true);
  }

  flush(): Promise<void> {
    return this.#environment.flush();
  }

  close(): Promise<void> {
    return this.#close();
  }
}

/** A folder with nothing else in it. */
function tablesIn(environment: LmdbEnvironment): Tables {
  const { db } = environment;
  const urls = db.openDB<string, number>({ name: 'urls', encoding: 'json' });
  const webhooks = db.openDB<readonly KnownWebhook[], number>({ name: 'webhooks', encoding: 'json' });
  return {
    events: db.openDB({ name: 'events', encoding: 'string' }),
    bodies: LmdbBodies.in(environment, ''),
    ownBodies: db.openDB({ name: 'bodies', encoding: 'binary' }),
    waiting: db.openDB({ name: 'waiting', encoding: 'binary', keyEncoding: 'binary' }),
    dead: db.openDB({ name: 'dead', encoding: 'binary', keyEncoding: 'binary' }),
    counts: db.openDB({ name: 'counts', encoding: 'json', keyEncoding: 'binary' }),
    urls: {
      all: () => urls.getRange().map(({ key, value }) => [key, value] as const),
      put: (number, url) => void urls.put(number, url),
    },
    webhooks: { get: () => webhooks.get(0), put: (known) => void webhooks.put(0, known) },
    keyOf: (id) => id,
    idOf: String,
    prefix: Buffer.alloc(0),
  };
}
