import type { StoredEvent } from '../../delivery/completion-rule.js';
import { isWriteRefused, StoreWriteError } from '../errors.js';
import type { Backlog, DeadTotals, KnownWebhook, QueueKey, Stage, WebhookChange } from '../event-store.js';
import type { BulkWriter } from './bulk-writer.js';
import type { Claimed, Claims } from './claims.js';
import { FirstAttempts } from './first-attempts.js';
import type { IntakeWriter } from './intake-writer.js';
import { type JobQueue, Jobs } from './jobs.js';
import type { Messages } from './messages.js';
import { RedisCounts } from './redis-counts.js';
import { RedisEvents } from './redis-events.js';
import { RedisIndex } from './redis-index.js';
import { RedisKeys } from './redis-keys.js';
import { RedisWebhooks } from './redis-webhooks.js';
import { replacementOf } from './replacement.js';
import type { SharedConnection, SharedStore } from './shared-store.js';
import { decodeRecord, type Read, readImplied, readText, refIn } from './stored-text.js';

export interface RedisStoreOptions extends SharedConnection {
  /** Stands before every key of the store. */
  readonly name: string;
  /** The partition of the storage in which it lies, where there are several. */
  readonly partition?: string | undefined;
  readonly messages: Messages;
  readonly intake: IntakeWriter;
  readonly claims: Claims;
  readonly writer: BulkWriter;
}

/** Says, among the counts, that everything is in them. */
const COUNTED = 'counted';

/** Written to see whether anything can be. */
const PROBE = 'probe';

const PAGE = 250;

/** How often a process writes down the same URL, in ms. */
const NAMED_MS = 60_000;

/** How many notices BullMQ keeps of what happened to jobs. Nothing listens to them here. */
const NOTICES = 1;

/**
 * A store in Redis, for any number of processes on any number of machines. What waits and where it stands is in hashes and
 * ordered sets, changed by scripts; BullMQ has a queue of jobs for each URL and hands them out.
 */
export class RedisStore implements SharedStore {
  readonly sharedBy = 'bullmq';
  readonly parts: readonly RedisStore[] = [this];
  readonly #options: RedisStoreOptions;
  readonly keys: RedisKeys;
  readonly counts: RedisCounts;
  readonly #events: RedisEvents;
  readonly #index: RedisIndex;
  readonly #webhooks: RedisWebhooks;
  readonly #jobs = new Map<string, Jobs>();
  readonly #firstAttempts = new Map<string, FirstAttempts>();
  /** What this process is about to change. */
  readonly #looked = new Map<string, Read>();
  /** When this process wrote down a URL last. */
  readonly #namedAt = new Map<string, number>();
  /** Whether Redis took no write when the last was asked of it. */
  #isStuck = false;
  #probing: Promise<void> | undefined;

  constructor(options: RedisStoreOptions) {
    this.#options = options;
    this.keys = new RedisKeys(options.name, options.partition);
    this.counts = new RedisCounts(options.link, this.keys, options.messages);
    this.#events = new RedisEvents(options.link, this.keys, options.messages);
    this.#index = new RedisIndex(options.link, this.keys, this.#events);
    this.#webhooks = new RedisWebhooks(options.link, this.keys);
  }

  /** For the scheduler. Not a property: a store that is inspected must not show the password of its connection. */
  get connection(): RedisStoreOptions {
    return this.#options;
  }

  partOf(): RedisStore {
    return this;
  }

  async add(event: StoredEvent, body: Uint8Array): Promise<boolean> {
    const deliveries = [{ store: this, event, isLoose: true }];
    const [outcome] = await this.#options.intake.take([{ seen: undefined, body, deliveries }]);
    return outcome?.[0] === true;
  }

  async update(id: string, change: (event: StoredEvent) => StoredEvent | undefined): Promise<void> {
    const looked = this.#looked.get(id);
    let last = looked?.event;
    // As it was looked at is most often as it is; where it is not, nothing is replaced.
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
    // The last call counts, and none of those before was of any effect: the event is gone, and waits nowhere.
    if (last !== undefined) change({ ...last, urls: {}, isDead: false });
  }

  /** Once Redis has taken no write, it is asked behind this question whether it does again. */
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

  waiting(url: string, stage: Stage, after: QueueKey | undefined, limit: number): Promise<QueueKey[]> {
    return this.#index.waiting(url, stage, after, limit);
  }

  dead(after: QueueKey | undefined, limit: number): Promise<QueueKey[]> {
    return this.#index.dead(after, limit);
  }

  backlog(): Promise<Backlog[]> {
    return this.counts.backlog();
  }

  deadTotals(): Promise<DeadTotals> {
    return this.counts.deadTotals();
  }

  /** Counts the dead letters of earlier versions, which kept no counts: once, and little by little. */
  async countOld(): Promise<void> {
    const { link } = this.#options;
    const { counts } = this.keys;
    if ((await link.ask((redis) => redis.hexists(counts, COUNTED))) === 1) return;
    for (let after: QueueKey | undefined, isMore = true; isMore; ) {
      const page = await this.dead(after, PAGE);
      await Promise.all(
        page.map(async ({ id }) => {
          const bytes = (await this.body(id))?.length ?? 0;
          await this.update(id, (event) => (event.bytes === undefined ? { ...event, bytes } : event));
        }),
      );
      after = page.at(-1);
      isMore = page.length === PAGE;
    }
    await link.ask((redis) => redis.hset(counts, COUNTED, '1'));
  }

  webhooks(): Promise<readonly KnownWebhook[] | undefined> {
    return this.#webhooks.read();
  }

  updateWebhooks(change: WebhookChange): Promise<readonly KnownWebhook[]> {
    return this.#webhooks.update(change);
  }

  /** What Redis confirmed it keeps as well as it keeps anything. */
  async flush(): Promise<void> {}

  /** Leaves the connections open; the store can be used again. */
  async close(): Promise<void> {
    await Promise.all([...this.#jobs.values()].map((jobs) => jobs.settled()));
  }

  async look(id: string): Promise<StoredEvent | undefined> {
    const read = await this.#events.read(id);
    if (read !== undefined) this.#looked.set(id, read);
    return read?.event;
  }

  lookAway(id: string): void {
    this.#looked.delete(id);
  }

  /** As `look`, for an event that is known as it is in the store. */
  note(read: Read): void {
    this.#looked.set(read.event.id, read);
  }

  noteClaimed(url: string, { id, text, record }: Claimed): { event: StoredEvent; body: Uint8Array } | undefined {
    if (record === undefined) return undefined;
    const isOld = text !== undefined && refIn(id, text) === undefined;
    const message = isOld ? undefined : decodeRecord(record);
    const read = text !== undefined ? readText(id, text, message) : message && readImplied(id, url, message);
    if (read === undefined) return undefined;
    this.note(read);
    return { event: read.event, body: message?.body ?? record };
  }

  /** Those of the event's URLs that this process has not written down for a while: `backlog` reads them. */
  unnamedUrls({ urls }: StoredEvent): string[] {
    const then = this.#options.clock.now() - NAMED_MS;
    return Object.keys(urls).filter((url) => (this.#namedAt.get(url) ?? 0) <= then);
  }

  /** Writes them down, for `backlog`. */
  async writeUrls(urls: readonly string[]): Promise<void> {
    if (urls.length === 0) return;
    await this.#options.link.askAll((batch) => {
      for (const url of urls) batch.hsetnx(this.keys.urls, this.keys.digest(url), url);
      return batch;
    });
    this.nameUrls(urls);
  }

  /** They are written down now. */
  nameUrls(urls: readonly string[]): void {
    for (const url of urls) this.#namedAt.set(url, this.#options.clock.now());
  }

  firstAttempts(url: string): FirstAttempts {
    let attempts = this.#firstAttempts.get(url);
    if (attempts === undefined) {
      const { link, claims, messages, clock, intervals } = this.#options;
      const leaseMs = intervals.lockMs;
      attempts = new FirstAttempts({ url, keys: this.keys, link, claims, messages, clock, leaseMs });
      this.#firstAttempts.set(url, attempts);
    }
    return attempts;
  }

  jobs(url: string): Jobs {
    let jobs = this.#jobs.get(url);
    if (jobs === undefined) {
      jobs = new Jobs(this.#openQueue(url), this.#options.link, () => this.#options.clock.now());
      this.#jobs.set(url, jobs);
    }
    return jobs;
  }

  #openQueue(url: string): JobQueue {
    const { bullmq, link } = this.#options;
    const queue: JobQueue = new bullmq.Queue(this.keys.digest(url), {
      connection: link.redis,
      prefix: this.keys.jobs,
      // A queue that asked for the version while Redis was gone would be of no use ever after.
      skipVersionCheck: true,
      streams: { events: { maxLen: NOTICES } },
    });
    // The call that failed rejects as well.
    queue.on('error', () => undefined);
    return queue;
  }

  /**
   * Says whether the event was still as it was read.
   *
   * @throws StoreWriteError when Redis takes no writes for now.
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

  #write(read: Read, next: StoredEvent | undefined): Promise<boolean> {
    const { event, text } = read;
    const { writer } = this.#options;
    if (next === undefined) {
      const way = this.keys.wayTo(Object.keys(event.urls));
      if (text === way.text) return writer.forget({ way, id: event.id });
    }
    return writer.replace(replacementOf(read, next, this));
  }
}
