import { setTimeout as delay } from 'node:timers/promises';
import { checkOptions } from '../../base/options/check-options.js';
import { withCleanup } from '../../base/structures/cleanup.js';
import { type Clock, systemClock } from '../../base/time/clock.js';
import { startInterval } from '../../base/time/interval.js';
import { eventId, messageIn } from '../../delivery/event-names.js';
import type { EventStore } from '../event-store.js';
import type { brand, Intake, Storage, StoredThings, TakenIn } from '../storage.js';
import { RedisFailedError, RedisUnfitError } from '../store-errors.js';
import { Epoch } from './epoch.js';
import { INTERVALS, type Intervals } from './intervals.js';
import { type Durability, KeptWait, type Stored } from './kept-wait.js';
import { Lookout } from './lookout.js';
import { Partition } from './partition.js';
import { type PlaceOf, partitionCount, partitionOf, tagsOf } from './partitions.js';
import { markOf, probePermissions } from './permission-probe.js';
import { addressOf } from './redis-address.js';
import { isCluster, type RedisClient } from './redis-client.js';
import { type Connections, connect, loadPackages, type Packages } from './redis-connections.js';
import { checkFitness } from './redis-fitness.js';
import { takeIn } from './redis-intake.js';
import { RedisKeyValueStore } from './redis-key-value-store.js';
import { RedisRoom } from './redis-room.js';
import { REDIS_RULES, type RedisStorageOptions } from './redis-storage-options.js';
import { RedisStore } from './redis-store.js';
import { assertFormat } from './storage-format.js';
import { openShared, type SharedParts, StorePart } from './store-part.js';

/**
 * Opens a storage in Redis or Valkey, for any number of processes on any number of machines. It needs the package
 * `ioredis`, and a server with `appendonly yes` and `maxmemory-policy noeviction`. With `appendfsync always`, accepted
 * messages survive a power failure of the server's machine. While Redis is gone, every call rejects within five
 * seconds.
 *
 * @throws RedisMissingError, RedisTooOldError, RedisUnfitError, RedisFailedError, StoreFormatError, OptionError
 */
export async function redisStorage(options: RedisStorageOptions): Promise<Storage> {
  return openRedisStorage(options, INTERVALS);
}

/** @internal */
export async function openRedisStorage(given: RedisStorageOptions, intervals: Intervals): Promise<RedisStorage> {
  const example = "redisStorage({ url: 'redis://127.0.0.1:6379' })";
  const options = checkOptions(given, REDIS_RULES, { door: 'store', example });
  const { prefix = 'eventferry', waitForDisk = false, waitForReplicas = 0 } = options;
  const { onWarning = (text) => process.emitWarning(text) } = options;
  const durability = { disk: waitForDisk, replicas: waitForReplicas };
  const address = addressOf(options);
  const packages = await loadPackages();
  return withCleanup(async (cleanup) => {
    const connections = await connect(packages, address, options.ca);
    cleanup.defer(() => disconnect(connections));
    for (const warning of await checkFitness(connections.link, durability)) onWarning(warning);
    await assertFormat(connections.link, prefix);
    const tags = await tagsOf(connections.link, prefix, options.partitions, packages.slotOf);
    return RedisStorage.open({ ...connections, packages, prefix, tags, intervals, durability, onWarning });
  });
}

interface RedisStorageParts extends Connections {
  readonly packages: Packages;
  readonly prefix: string;
  readonly tags: readonly [string, ...string[]];
  readonly intervals: Intervals;
  readonly durability: Durability;
  onWarning(text: string): void;
}

const EMPTIED =
  'Redis has lost all data of this storage: it was emptied (FLUSHALL, FLUSHDB), or a server without the data took its place. Deliveries that waited, and dead letters, are lost. New messages are stored as before';

const DAMAGED =
  'in Redis is of another type, so nothing in its partition is delivered, and new messages for the partition are refused. Restore the key, or remove it: it is then created again';

/** How often the memory, the settings and the data of Redis are checked, in ms. */
const LOOK_MS = 1_000;

/** How long `check()` waits for replicas, in ms. */
const FOLLOWED_MS = 1_000;

export class RedisStorage implements Storage {
  declare readonly [brand]: true;
  readonly historyBytes = 128_000_000;
  readonly isShared = true;
  readonly clock: Clock;
  readonly keyValues: RedisKeyValueStore;
  /** Undefined if confirmed writes need no further wait. */
  readonly #keptWait: KeptWait | undefined;
  readonly #parts: RedisStorageParts;
  readonly #stores = new Map<string, RedisStore>();
  /** A single partition, except in a cluster. */
  readonly #partitions: readonly [SharedParts, ...SharedParts[]];
  readonly #lookout: Lookout;
  readonly #room: RedisRoom;
  readonly #epoch: Epoch;
  readonly #stopLooking: () => void;
  #tellEmptied: () => void;

  static async open(parts: RedisStorageParts): Promise<RedisStorage> {
    const { link, tags } = parts;
    const clock = systemClock(await behindMs(link));
    const storage = new RedisStorage(parts, clock, await Epoch.open(link, tags));
    // This warns of missing replicas. A failure is not important, because the check is repeated every second.
    await storage.#room.measure().catch(() => undefined);
    return storage;
  }

  private constructor(parts: RedisStorageParts, clock: Clock, epoch: Epoch) {
    const { link, prefix, tags, listening, intervals, packages, durability } = parts;
    this.#parts = parts;
    this.clock = clock;
    this.#epoch = epoch;
    this.#tellEmptied = () => parts.onWarning(EMPTIED);
    this.#stopLooking = startInterval({
      clock,
      everyMs: LOOK_MS,
      act: () => this.#look(),
      // Calls that read or write report it themselves when Redis is gone.
      onError: () => undefined,
    });
    const openAt = (tag: string): SharedParts => openShared(new Partition(link, tag), intervals.leaseMs, clock);
    const [first, ...others] = tags;
    this.#partitions = [openAt(first), ...others.map(openAt)];
    const due = this.#partitions.map(({ partition }) => partition.due);
    const channel = `{${prefix}}:notices`;
    const onDamaged = (key: string): void => parts.onWarning(`${key} ${DAMAGED}`);
    this.#lookout = new Lookout({ link, clock: this.clock, due, listening, channel, onDamaged, ...intervals });
    const mustWait = durability.disk || durability.replicas > 0;
    this.#keptWait = mustWait ? new KeptWait(link.redis, packages.slotOf, durability) : undefined;
    this.#room = new RedisRoom(link, durability, (text) => parts.onWarning(text));
    this.keyValues = new RedisKeyValueStore(link, `{${prefix}}:shelf:`);
  }

  async deliveries(destination: string): Promise<EventStore> {
    let store = this.#stores.get(destination);
    if (store === undefined) {
      store = this.#open(destination);
      this.#stores.set(destination, store);
    }
    return store;
  }

  takeIn(source: string, intakes: readonly Intake[]): Promise<readonly TakenIn[]> {
    return takeIn(this.#partitions, this.#placeOf, source, intakes);
  }

  /** Asks every partition: a message is in the partition of its user, and the id does not reveal the user. */
  async sendersOf(id: string, sources: readonly string[]): Promise<readonly string[]> {
    if (sources.length === 0) return [];
    const kept = await Promise.all(
      this.#partitions.map(({ partition }) =>
        this.#parts.link.ask((redis) => redis.mget(sources.map((source) => partition.seenKeyOf(source, id)))),
      ),
    );
    return sources.filter((_, index) => kept.some((values) => values[index] !== null));
  }

  /** Keeps each user's events in one partition, and therefore in one order. A message without a user is assigned by its id. */
  readonly #placeOf: PlaceOf = ({ id, user }) => partitionOf(user ?? messageIn(id), this.#partitions.length);

  #open(destination: string): RedisStore {
    const name = encodeURIComponent(destination);
    const { intervals } = this.#parts;
    const own = { lookout: this.#lookout, intervals, clock: this.clock, name };
    const openPart = (shared: SharedParts): StorePart => new StorePart({ ...shared, ...own });
    const [first, ...others] = this.#partitions;
    const parts = [openPart(first), ...others.map(openPart)] as const;
    return new RedisStore(parts, this.#placeOf, { keyValues: this.keyValues, destination });
  }

  async settled(stored: () => StoredThings): Promise<void> {
    if (this.#keptWait === undefined) return;
    const things = stored();
    await this.#keptWait.kept('key' in things ? [this.keyValues.placeOf(things.key)] : this.#seenKeysOf(things));
  }

  get isNew(): boolean {
    return this.#epoch.isNew;
  }

  onEmptied(tell: () => void): void {
    this.#tellEmptied = tell;
  }

  async #look(): Promise<void> {
    await Promise.all([this.#room.measure(), this.#lookAtEpoch()]);
  }

  async #lookAtEpoch(): Promise<void> {
    if (await this.#epoch.isOver(() => this.#restore())) this.#tellEmptied();
  }

  /** Restores the keys that each storage and each store writes only once. */
  async #restore(): Promise<void> {
    const { link, prefix, tags } = this.#parts;
    await assertFormat(link, prefix);
    if (isCluster(link.redis)) await partitionCount(link, prefix, tags.length);
    await Promise.all([...this.#stores.values()].map((store) => store.restore()));
  }

  size(): Promise<number> {
    return this.#room.used();
  }

  /** Returns the keys that remember the messages' ids, grouped by partition. */
  #seenKeysOf({ source, messages }: Extract<StoredThings, { source: string }>): Stored[] {
    const keys = this.#partitions.map((): string[] => []);
    for (const { id, user } of messages) {
      const place = this.#placeOf({ id: eventId(id, source), user });
      keys[place]?.push(this.#partitions[place]?.partition.seenKeyOf(source, id) ?? '');
    }
    return keys.filter((each) => each.length > 0).map((each) => ({ keys: each }));
  }

  assertRoom(): void {
    this.#room.assert();
  }

  spareBytes(): number {
    return this.#room.spareBytes;
  }

  async check(): Promise<void> {
    const { silentMs = 0 } = this.#lookout;
    if (silentMs > this.#parts.intervals.silentMs) {
      const seconds = Math.floor(silentMs / 1_000);
      throw new RedisFailedError(new Error(`for ${seconds} s it has not answered what has come up for delivery`));
    }
    await this.#look();
    this.#room.assert();
    await Promise.all(this.#partitions.map(({ partition }) => probePermissions(partition.link, partition.tag)));
    await this.#assertFollowed();
  }

  /**
   * Checks that the replicas still follow. A frozen replica stays connected for a minute, although it confirms nothing any more.
   */
  async #assertFollowed(): Promise<void> {
    const { replicas } = this.#parts.durability;
    if (this.#keptWait === undefined || replicas === 0) return;
    const marks = this.#partitions.map(({ partition }): Stored => ({ keys: [markOf(partition.tag)] }));
    // `tooFew` records a failure even if the wait takes longer than the caller of `check()` waits.
    const kept = this.#keptWait.kept(marks).catch(() => undefined);
    await Promise.race([kept, delay(FOLLOWED_MS, undefined, { ref: false })]);
    const { tooFew } = this.#keptWait;
    if (tooFew !== undefined) throw new RedisUnfitError('in_sync_replicas', String(replicas), String(tooFew));
  }

  async close(): Promise<void> {
    this.#stopLooking();
    this.#lookout.stop();
    this.#keptWait?.disconnect();
    disconnect(this.#parts);
  }
}

/** A smaller difference between two clocks may be caused by the network. */
const SAME_MS = 1_000;

/**
 * Returns how far this machine's clock is behind that of Redis. All processes follow the clock of Redis, because a process whose
 * clock is ahead would end retries early.
 */
async function behindMs(link: RedisClient): Promise<number> {
  const asked = Date.now();
  const [seconds, microseconds] = await link.ask((redis) => redis.time());
  const behind = Number(seconds) * 1_000 + Number(microseconds) / 1_000 - (asked + Date.now()) / 2;
  return Math.abs(behind) < SAME_MS ? 0 : Math.round(behind);
}

function disconnect({ link, listening }: Connections): void {
  for (const redis of [link.redis, listening]) redis.disconnect();
}
