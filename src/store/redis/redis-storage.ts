import { systemClock } from '../../clock.js';
import { startInterval } from '../../interval.js';
import { type RedisUnfitError, StoreFullError } from '../errors.js';
import type { EventStore } from '../event-store.js';
import { type Intake, KEEP_MS, type TakenIn } from '../intake.js';
import type { Storage } from '../storage.js';
import { BulkWriter } from './bulk-writer.js';
import { Claims } from './claims.js';
import { IntakeWriter } from './intake-writer.js';
import { INTERVALS, type Intervals } from './intervals.js';
import { Messages } from './messages.js';
import { Notices } from './notices.js';
import { type Connections, connect, loadPackages, type Packages } from './redis-connections.js';
import { RedisDiskWait } from './redis-disk-wait.js';
import { checkFitness, problemIn, valueIn } from './redis-fitness.js';
import { takeIn } from './redis-intake.js';
import { RedisKeyValueStore } from './redis-key-value-store.js';
import { digestOf } from './redis-keys.js';
import { RedisStore, type RedisStoreOptions } from './redis-store.js';

export interface RedisStorageOptions {
  /** `redis://` or `rediss://`, with user and password if need be. */
  url: string;
  /** Stands before every key, so that several services can share a server. @default 'eventferry' */
  prefix?: string | undefined;
  /**
   * Messages are taken once the server has them on its disk, by WAITAOF: for one with `appendfsync everysec`, 7.2 or later. It takes
   * up to about a second. @default false
   */
  waitForDisk?: boolean | undefined;
  /** Told, once each time, of what is not as it should be, and when it is again. @default a warning of the process */
  onWarning?: ((text: string) => void) | undefined;
}

/**
 * Storage in Redis or Valkey, for any number of processes on any number of machines. Needs the packages `bullmq` and
 * `ioredis`, and a server with `appendonly yes` and `maxmemory-policy noeviction`; with `appendfsync always` what was
 * accepted survives the server's machine losing power. While Redis is gone every call rejects within five seconds.
 *
 * @throws RedisMissingError, RedisTooOldError, RedisUnfitError, RedisFailedError, OptionError
 */
export async function redisStorage(options: RedisStorageOptions): Promise<Storage> {
  return openRedisStorage(options, INTERVALS);
}

/** @internal */
export async function openRedisStorage(options: RedisStorageOptions, intervals: Intervals): Promise<RedisStorage> {
  const { url, prefix = 'eventferry', waitForDisk = false, onWarning = (text) => process.emitWarning(text) } = options;
  const packages = await loadPackages();
  const connections = await connect(packages, url);
  try {
    for (const warning of await checkFitness(connections.link, waitForDisk)) onWarning(warning);
  } catch (error) {
    disconnect(connections);
    throw error;
  }
  return new RedisStorage({ ...connections, packages, prefix, intervals, waitForDisk, onWarning });
}

interface RedisStorageParts extends Connections {
  readonly packages: Packages;
  readonly prefix: string;
  readonly intervals: Intervals;
  readonly waitForDisk: boolean;
  onWarning(text: string): void;
}

/** How often it is looked how much memory Redis has left, and how it is set up, in ms. */
const MEASURE_MS = 1_000;

/** Less of its memory than this, and nothing new is taken: what is left is for delivering, which takes some too. */
const LEAST_FREE = 0.1;
const LEAST_FREE_AGAIN = 0.125;

/** How long `check()` leaves its mark, in ms. */
const MARK_MS = 60_000;

export class RedisStorage implements Storage {
  readonly keyValues: RedisKeyValueStore;
  readonly #diskWait: RedisDiskWait | undefined;
  readonly #parts: RedisStorageParts;
  readonly #stores = new Map<string, RedisStore>();
  readonly #clock = systemClock();
  /** What the stores of all destinations share. */
  readonly #shared: Pick<RedisStoreOptions, 'clock' | 'messages' | 'intake' | 'claims' | 'writer' | 'notices'>;
  readonly #stopMeasuring: () => void;
  /** How much memory there is, when that is too little. */
  #freeBytes: number | undefined;
  /** Why it would lose what it confirms, as it is set up now. */
  #problem: RedisUnfitError | undefined;

  constructor(parts: RedisStorageParts) {
    const { link, prefix, listening, waiting, waitForDisk, intervals } = parts;
    this.#parts = parts;
    const messages = new Messages(link, `{${prefix}}:`);
    const settings = { keepMs: KEEP_MS, leaseMs: intervals.lockMs, presence: `{${prefix}}:seen:present:` };
    this.#shared = {
      clock: this.#clock,
      messages,
      intake: new IntakeWriter(link, messages, settings),
      claims: new Claims(link, messages, intervals.lockMs),
      writer: new BulkWriter(link, messages),
      notices: new Notices(link, listening, `{${prefix}}:notices`, this.#clock),
    };
    this.#diskWait = waitForDisk ? new RedisDiskWait(waiting, `{${prefix}}:written`) : undefined;
    this.#stopMeasuring = startInterval({
      clock: this.#clock,
      everyMs: MEASURE_MS,
      act: () => this.#measure(),
      // A write rejects when Redis is gone.
      onError: () => undefined,
    });
    this.keyValues = new RedisKeyValueStore(link, `{${prefix}}:shelf:`);
  }

  async deliveries(destination: string): Promise<EventStore> {
    let store = this.#stores.get(destination);
    if (store === undefined) {
      const { link, patient, packages, prefix, intervals } = this.#parts;
      const name = `${prefix}:${encodeURIComponent(destination)}`;
      store = new RedisStore({ ...this.#shared, name, link, patient, bullmq: packages.bullmq, intervals });
      this.#stores.set(destination, store);
      // What fails now is done when a process next opens the store.
      store.countOld().catch(() => undefined);
    }
    return store;
  }

  takeIn(source: string, intakes: readonly Intake[]): Promise<readonly TakenIn[]> {
    const seenKeyOf = (id: string): string => `{${this.#parts.prefix}}:seen:${digestOf(JSON.stringify([source, id]))}`;
    return takeIn(this.#shared.intake, intakes, seenKeyOf);
  }

  /** Once there was too little room, there has to be a little more of it than before. */
  async #measure(): Promise<void> {
    const { link } = this.#parts;
    const [memory, persistence] = await link.askAll((batch) => batch.info('memory').info('persistence'));
    this.#note(problemIn(`${memory}\n${persistence}`));
    const room = freePart(String(memory));
    const least = this.#freeBytes === undefined ? LEAST_FREE : LEAST_FREE_AGAIN;
    this.#freeBytes = room !== undefined && room.free < room.limit * least ? Math.max(0, room.free) : undefined;
  }

  /** Its settings can be changed while it runs, and another server can take its place. */
  #note(problem: RedisUnfitError | undefined): void {
    const before = this.#problem;
    this.#problem = problem;
    if (before?.message === problem?.message) return;
    const text =
      problem === undefined ? 'Redis is set up again as it has to be' : `${problem.message}. New events are refused`;
    this.#parts.onWarning(text);
  }

  /** The memory that the whole server uses, other people's keys included: it is what has a limit. */
  async size(): Promise<number> {
    const info = await this.#parts.link.ask((redis) => redis.info('memory'));
    return Number(valueIn(info, 'used_memory'));
  }

  async settled(): Promise<void> {
    await this.#diskWait?.settled();
  }

  assertRoom(): void {
    if (this.#problem !== undefined) throw this.#problem;
    if (this.#freeBytes !== undefined) throw new StoreFullError('Redis', this.#freeBytes);
  }

  async check(): Promise<void> {
    await this.#measure();
    this.assertRoom();
    const { link, prefix } = this.#parts;
    await link.ask((redis) => redis.set(`{${prefix}}:check`, '1', 'PX', MARK_MS));
  }

  async close(): Promise<void> {
    this.#stopMeasuring();
    await Promise.all([...this.#stores.values()].map((store) => store.close()));
    disconnect(this.#parts);
  }
}

/** How much of its memory Redis has in use, where it has a limit. */
function freePart(info: string): { readonly free: number; readonly limit: number } | undefined {
  const [limit, used] = ['maxmemory', 'used_memory'].map((name) => Number(valueIn(info, name) ?? 0)) as [
    number,
    number,
  ];
  return limit > 0 ? { free: limit - used, limit } : undefined;
}

function disconnect({ link, patient, listening, waiting }: Connections): void {
  for (const redis of [link.redis, patient, listening, waiting.redis]) redis.disconnect();
}
