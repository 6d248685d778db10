import type { Clock } from '../../base/time/clock.js';
import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { Ready } from '../event-store.js';
import { isWriteRefused, RedisFailedError, StoreRecordError, StoreWriteError } from '../store-errors.js';
import type { BulkWriter } from './bulk-writer.js';
import type { Claimed, Claims } from './claims.js';
import type { IntakeWriter } from './intake-writer.js';
import type { Intervals } from './intervals.js';
import { Leases } from './leases.js';
import type { Lookout } from './lookout.js';
import type { Messages } from './messages.js';
import type { ReceivingStore } from './new-message.js';
import type { RedisClient } from './redis-client.js';
import { RedisCounts } from './redis-counts.js';
import { RedisEvents } from './redis-events.js';
import { RedisIndex } from './redis-index.js';
import { RedisKeys } from './redis-keys.js';
import { readUrls, writeUrls } from './redis-urls.js';
import { replacementOf } from './replacement.js';
import { type Read, readParts } from './stored-text.js';

/** The options of a part. All but `name` are shared with the other stores of its partition. */
export interface StorePartOptions {
  readonly link: RedisClient;
  readonly intervals: Intervals;
  /** The clock for the times in queue keys. */
  readonly clock: Clock;
  readonly lookout: Lookout;
  /** The name of the store, in the prefix of each of its keys. */
  readonly name: string;
  /** The hash tag of the partition. */
  readonly tag: string;
  readonly messages: Messages;
  readonly intake: IntakeWriter;
  readonly claims: Claims;
  readonly writer: BulkWriter;
}

/** A field that is written to test whether Redis takes writes. */
const PROBE = 'probe';

/** One partition's part of a store in Redis: hashes and sorted sets with the events and the lines, which scripts change. */
export class StorePart implements ReceivingStore {
  readonly #options: StorePartOptions;
  readonly keys: RedisKeys;
  readonly counts: RedisCounts;
  readonly #events: RedisEvents;
  readonly index: RedisIndex;
  readonly #leases = new Map<string, Leases>();
  /** Events that this process is about to change, as it read them. */
  readonly #looked = new Map<string, Read>();
  /** True after Redis has refused a write, until it takes one again. */
  #isStuck = false;
  onReady: ((ready: Ready) => void) | undefined;
  #probing: Promise<void> | undefined;

  constructor(options: StorePartOptions) {
    this.#options = options;
    this.keys = new RedisKeys(options.name, options.tag);
    this.counts = new RedisCounts(options.link, this.keys, options.messages);
    this.#events = new RedisEvents(options.link, this.keys, options.messages);
    this.index = new RedisIndex(options.link, this.keys, this.#events);
  }

  /** The options, which lines need. It is a getter because inspecting a store must not show the password of its connection. */
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
    let last = looked?.event;
    // The event is usually still as it was read. If not, the write has no effect and we read again.
    if (looked !== undefined) {
      this.#looked.delete(id);
      const next = change(looked.event);
      if (next !== looked.event && (await this.#replace(looked, next))) return;
    }
    for (;;) {
      const read = await this.#events.read(id);
      if (read === undefined) break;
      last = read.event;
      const next = change(read.event);
      if (next === read.event || (await this.#replace(read, next))) return;
    }
    // The event is gone and waits nowhere. The last call of `change` counts, so `change` has to be called with this state too.
    if (last !== undefined) change({ ...last, urls: {}, isDead: false });
  }

  /** After a refused write, returns false and tests in the background whether Redis accepts writes again. */
  canRecord(): boolean {
    if (!this.#isStuck) return true;
    this.#probing ??= this.#options.link
      .ask((redis) => redis.hset(this.keys.counts, PROBE, '1'))
      .then(
        () => {
          this.#isStuck = false;
        },
        () => undefined,
      )
      .then(() => {
        this.#probing = undefined;
      });
    return false;
  }

  async event(id: string): Promise<StoredEvent | undefined> {
    return (await this.#events.read(id))?.event;
  }

  body(id: string): Promise<Uint8Array | undefined> {
    return this.#events.body(id);
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
    const found = readParts({ id, text, url, message });
    if (found === undefined && text === undefined) return undefined;
    if (found === undefined) throw new StoreRecordError(id, 'the message');
    this.note(found.read);
    return { event: found.read.event, body: found.body };
  }

  writeUrls(urls: readonly string[] = this.keys.known): Promise<void> {
    return writeUrls(this.#options.link, this.keys, urls);
  }

  readUrls(): Promise<void> {
    return readUrls(this.#options.link, this.keys);
  }

  leases(url: string): Leases {
    let leases = this.#leases.get(url);
    if (leases === undefined) {
      const { link, messages, clock, intervals } = this.#options;
      leases = new Leases({ line: this.keys.line(url), link, messages, clock, leaseMs: intervals.leaseMs });
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
      return await this.#write(read, next);
    } catch (error) {
      if (!isWriteRefused(error)) throw error;
      this.#isStuck = true;
      throw new StoreWriteError(error);
    }
  }

  async #write(read: Read, next: StoredEvent | undefined): Promise<boolean> {
    const ready = await this.#options.writer.replace(replacementOf(read, next, this));
    if (ready !== undefined) this.tellReady(ready);
    return ready !== undefined;
  }
}
