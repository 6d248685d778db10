import type { Clock } from '../../base/time/clock.js';
import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { Ready } from '../event-store.js';
import { KEEP_MS } from '../storage.js';
import { isWriteRefused, RedisFailedError, StoreRecordError, StoreWriteError } from '../store-errors.js';
import { BulkWriter } from './bulk-writer.js';
import { type Claimed, Claims } from './claims.js';
import { IntakeWriter } from './intake-writer.js';
import type { Intervals } from './intervals.js';
import { Leases } from './leases.js';
import type { Lookout } from './lookout.js';
import type { ReceivingStore } from './new-message.js';
import type { Partition } from './partition.js';
import { RedisCounts } from './redis-counts.js';
import { RedisEvents } from './redis-events.js';
import { RedisIndex } from './redis-index.js';
import { RedisKeys } from './redis-keys.js';
import { readUrls, writeUrls } from './redis-urls.js';
import { replacementOf } from './replacement.js';
import { type Read, readParts } from './stored-text.js';

/** What the stores of all destinations share in one partition. */
export interface SharedParts {
  readonly partition: Partition;
  readonly intake: IntakeWriter;
  readonly claims: Claims;
  readonly writer: BulkWriter;
  readonly events: RedisEvents;
}

export function openShared(partition: Partition, leaseMs: number, clock: Clock): SharedParts {
  return {
    partition,
    intake: new IntakeWriter(partition, { keepMs: KEEP_MS, leaseMs }),
    claims: new Claims(partition, leaseMs),
    writer: new BulkWriter(partition, () => clock.now()),
    events: new RedisEvents(partition),
  };
}

export interface StorePartOptions extends SharedParts {
  readonly intervals: Intervals;
  /** The clock for the times in queue keys. */
  readonly clock: Clock;
  readonly lookout: Lookout;
  /** The name of the store, in the prefix of each of its keys. */
  readonly name: string;
}

/** A field that is written to test whether Redis takes writes. */
const PROBE = 'probe';

/** One partition's part of a store in Redis: hashes and sorted sets with the events and the lines, which scripts change. */
export class StorePart implements ReceivingStore {
  readonly #options: StorePartOptions;
  readonly keys: RedisKeys;
  readonly counts: RedisCounts;
  readonly index: RedisIndex;
  readonly #leases = new Map<string, Leases>();
  /** Events that this process is about to change, as it read them. */
  readonly #looked = new Map<string, Read>();
  /** True after Redis has refused a write, until it takes one again. */
  #isStuck = false;
  #isProbing = false;
  onReady: ((ready: Ready) => void) | undefined;

  constructor(options: StorePartOptions) {
    this.#options = options;
    const { partition, events } = options;
    this.keys = new RedisKeys(options.name, partition.tag);
    this.counts = new RedisCounts(partition, this.keys);
    this.index = new RedisIndex(partition.link, this.keys, events);
  }

  /** The options, which lines need. This is a getter so that an inspection of a store does not show the password. */
  get connection(): StorePartOptions {
    return this.#options;
  }

  async add(event: StoredEvent, body: Uint8Array): Promise<boolean> {
    const [outcome] = await this.#options.intake.take([
      { seen: undefined, body, deliveries: [{ store: this, event }] },
    ]);
    if (outcome instanceof RedisFailedError) throw outcome;
    return outcome?.[0] !== undefined;
  }

  async update(id: string, change: (event: StoredEvent) => StoredEvent | undefined): Promise<void> {
    const looked = this.#looked.get(id);
    this.#looked.delete(id);
    let last: StoredEvent | undefined;
    // The event is usually still as it was read. If not, the write has no effect and we read again.
    for (let read = looked ?? (await this.#read(id)); read !== undefined; read = await this.#read(id)) {
      last = read.event;
      const next = change(read.event);
      if (next === read.event ? read !== looked : await this.#replace(read, next)) return;
    }
    // The event is gone and waits nowhere. The last call of `change` counts, so `change` has to be called with this state too.
    if (last !== undefined) change({ ...last, urls: {}, isDead: false });
  }

  /** After a refused write, returns false and tests in the background whether Redis accepts writes again. */
  canRecord(): boolean {
    if (this.#isStuck && !this.#isProbing) void this.#probe();
    return !this.#isStuck;
  }

  async #probe(): Promise<void> {
    this.#isProbing = true;
    const { link } = this.#options.partition;
    this.#isStuck = await link
      .ask((redis) => redis.hset(this.keys.counts, PROBE, '1'))
      .then(
        () => false,
        () => true,
      );
    this.#isProbing = false;
  }

  async event(id: string): Promise<StoredEvent | undefined> {
    return (await this.#read(id))?.event;
  }

  async body(id: string): Promise<Uint8Array | undefined> {
    return (await this.#options.events.read(this.keys, id))?.body;
  }

  async #read(id: string): Promise<Read | undefined> {
    return (await this.#options.events.read(this.keys, id))?.read;
  }

  tellReady(ready: readonly Ready[]): void {
    for (const each of ready) this.onReady?.(each);
  }

  /** Forgets what was read of an event, because this process will not change it now. */
  lookAway(id: string): void {
    this.#looked.delete(id);
  }

  /** Keeps an event as it was read, because it probably stays so until `lookAway`. */
  note(read: Read): void {
    this.#looked.set(read.event.id, read);
  }

  /**
   * Reads a claimed event and keeps it, because it probably stays so until `lookAway`. Returns undefined if the event
   * is gone.
   *
   * @throws StoreRecordError if it cannot be read
   */
  noteClaimed(url: string, { id, text, message }: Claimed): { event: StoredEvent; body: Uint8Array } | undefined {
    const found = readParts({ id, text, url, message, isClaimed: true });
    if (found === undefined && text === undefined) return undefined;
    if (found === undefined) throw new StoreRecordError(id, 'the message');
    this.note(found.read);
    return { event: found.read.event, body: found.body };
  }

  writeUrls(urls: readonly string[] = this.keys.lines.map(({ url }) => url)): Promise<void> {
    return writeUrls(this.#options.partition.link, this.keys, urls);
  }

  readUrls(): Promise<void> {
    return readUrls(this.#options.partition.link, this.keys);
  }

  leases(url: string): Leases {
    let leases = this.#leases.get(url);
    if (leases === undefined) {
      const { partition, clock, intervals } = this.#options;
      leases = new Leases({ line: this.keys.line(url), partition, clock, leaseMs: intervals.leaseMs });
      this.#leases.set(url, leases);
    }
    return leases;
  }

  /**
   * Returns false if the event has changed since it was read; nothing is written then.
   *
   * @throws StoreWriteError if Redis refuses writes for now
   */
  async #replace(read: Read, next: StoredEvent | undefined): Promise<boolean> {
    try {
      const ready = await this.#options.writer.replace(replacementOf(read, next, this));
      if (ready !== undefined) this.tellReady(ready);
      return ready !== undefined;
    } catch (error) {
      if (!isWriteRefused(error)) throw error;
      this.#isStuck = true;
      throw new StoreWriteError(error);
    }
  }
}
