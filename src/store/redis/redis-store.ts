import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { Backlog, DeadTotals, OfUser, QueueKey, QueuePosition, Ready } from '../event-store.js';
import { type UrlCount, UrlTally } from '../kept-tally.js';
import type { KeyValueStore } from '../key-value-store.js';
import type { Line, LineOptions, StoreWithLines } from '../line.js';
import { compareQueueKeys } from '../queue-key.js';
import { WebhookList } from '../webhook-list.js';
import type { WatchedLine } from './lookout.js';
import type { PlaceOf } from './partitions.js';
import { RedisLine } from './redis-line.js';
import type { StorePart } from './store-part.js';

type StoreParts = readonly [StorePart, ...StorePart[]];

/**
 * A store in Redis, for any number of processes on any number of machines. In a cluster it has several partitions and distributes
 * its events over them by user. On a single server it has one, whose number is in no key.
 */
export class RedisStore implements StoreWithLines {
  readonly parts: StoreParts;
  readonly #placeOf: PlaceOf;
  readonly webhooks: WebhookList;
  onReady: ((ready: Ready) => void) | undefined;

  constructor(
    parts: StoreParts,
    placeOf: PlaceOf,
    { keyValues, destination }: { readonly keyValues: KeyValueStore; readonly destination: string },
  ) {
    this.parts = parts;
    this.#placeOf = placeOf;
    // The URLs are written even if nothing changed: a process may have died before it had written them to all partitions.
    this.webhooks = new WebhookList(keyValues, destination, (known) => this.writeUrls(known.map(({ key }) => key)));
    for (const [place, part] of parts.entries()) {
      part.onReady = ({ url, key }) => this.onReady?.({ url, key: this.#inPartition(key, place) });
    }
  }

  /** The server puts first attempts in the order in which they come. */
  placeFor(now: number): number {
    return now;
  }

  partitionOf(event: OfUser): number | undefined {
    return this.parts.length > 1 ? this.#placeOf(event) : undefined;
  }

  add(event: StoredEvent, body: Uint8Array): Promise<boolean> {
    return this.#part(this.#placeOf(event)).add(event, body);
  }

  async update(id: string, change: (event: StoredEvent) => StoredEvent | undefined, partition?: number): Promise<void> {
    const place = partition ?? (await this.#placeWith(id));
    if (place !== -1) await this.#part(place).update(id, change);
  }

  /** Asks every partition, because asking one also makes it check again whether it can write. */
  canRecord(): boolean {
    return this.parts.map((part) => part.canRecord()).every(Boolean);
  }

  async event(id: string, partition?: number): Promise<StoredEvent | undefined> {
    if (partition !== undefined) return this.#part(partition).event(id);
    return (await this.#all((part) => part.event(id))).find((event) => event !== undefined);
  }

  async body(id: string, partition?: number): Promise<Uint8Array | undefined> {
    if (partition !== undefined) return this.#part(partition).body(id);
    return (await this.#all((part) => part.body(id))).find((body) => body !== undefined);
  }

  async isBehind(url: string, id: string): Promise<boolean> {
    return (await this.#all((part) => part.index.isBehind(url, id))).includes(true);
  }

  waiting(url: string, position: QueuePosition, after: QueueKey | undefined, limit: number): Promise<QueueKey[]> {
    return this.#firstOf((part) => part.index.waiting(url, position, after, limit), limit);
  }

  dead(after: QueueKey | undefined, limit: number, partitions?: ReadonlySet<number> | undefined): Promise<QueueKey[]> {
    return this.#firstOf((part) => part.index.dead(after, limit), limit, partitions);
  }

  async backlog(): Promise<Backlog[]> {
    return (await this.#tally(({ counts }) => counts.backlog())).backlog();
  }

  async deadTotals(): Promise<DeadTotals> {
    return (await this.#tally(({ counts }) => counts.dead())).deadTotals();
  }

  async #tally(count: (part: StorePart) => Promise<readonly UrlCount[]>): Promise<UrlTally> {
    const tally = new UrlTally();
    for (const counted of await this.#all(count)) tally.addAll(counted);
    return tally;
  }

  /** After Redis was emptied, writes the URLs and webhooks without which new deliveries could not be found. */
  async restore(): Promise<void> {
    await this.writeUrls();
    await this.webhooks.restore();
  }

  /** @param urls default to those that this process has used so far */
  async writeUrls(urls?: readonly string[]): Promise<void> {
    await this.#all((part) => part.writeUrls(urls));
  }

  /** Does nothing: Redis has already kept what it confirmed. */
  async flush(): Promise<void> {}

  lines(options: LineOptions): readonly [Line, ...Line[]] {
    const { url, windowMs, onDue, onCount } = options;
    const onClosed = this.#watch(url, { windowMs, onDue, recount: (places) => onCount(places.length > 0) });
    const [first, ...others] = this.parts;
    const openAt = (store: StorePart, place: number): Line => {
      const partition = this.parts.length > 1 ? place : undefined;
      return new RedisLine({ ...options, store, place, partition, onClosed });
    };
    return [openAt(first, 0), ...others.map((part, index) => openAt(part, index + 1))];
  }

  /** Costs one entry in a map. */
  watch(url: string, windowMs: number, onWork: () => void): () => void {
    const recount = (places: readonly number[]): void => {
      if (places.length > 0) onWork();
    };
    return this.#watch(url, { windowMs, onDue: onWork, recount });
  }

  #watch(url: string, line: Omit<WatchedLine, 'name'>): () => void {
    const { connection, keys } = this.parts[0];
    return connection.lookout.watch({ name: keys.line(url).name, ...line });
  }

  #inPartition(key: QueueKey, partition: number): QueueKey {
    return this.parts.length > 1 ? { ...key, partition } : key;
  }

  /** Returns the number of the partition that has the event, or -1. */
  async #placeWith(id: string): Promise<number> {
    if (this.parts.length === 1) return 0;
    return (await this.#all((part) => part.event(id))).findIndex((event) => event !== undefined);
  }

  #all<T>(ask: (part: StorePart) => Promise<T>): Promise<T[]> {
    return Promise.all(this.parts.map(ask));
  }

  #part(partition: number): StorePart {
    // There is one part per partition, so the index is valid.
    return this.parts[partition] as StorePart;
  }

  async #firstOf(
    list: (part: StorePart) => Promise<QueueKey[]>,
    limit: number,
    partitions?: ReadonlySet<number>,
  ): Promise<QueueKey[]> {
    const lists = await Promise.all(
      this.parts.map((part, place) => (partitions?.has(place) === false ? [] : list(part))),
    );
    const keys = lists.flatMap((each, place) => each.map((key) => this.#inPartition(key, place)));
    return keys.sort(compareQueueKeys).slice(0, limit);
  }
}
