import { randomUUID } from 'node:crypto';
import type { EndpointState, FeedEntry, NewEntry } from './entry.js';
import { Ring, type RingEntry } from './ring.js';

/** The number of messages that are kept, so that a page can request them after it reconnects. */
const MESSAGE_CAPACITY = 10_000;
const OTHER_CAPACITY = 2_000;
/** The maximum number of JSON characters in a ring, whatever its number of entries. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** Numbers entries and keeps the newest. A listener asks for those after the last number that it has. */
export class Feed {
  /** An id that changes after a restart, when entries are numbered from the beginning. */
  readonly epoch = randomUUID();
  readonly #rings: Readonly<Record<FeedEntry['kind'], Ring>>;
  readonly #listeners = new Set<() => void>();
  #seq = 0;
  #endpoints: string | undefined;

  constructor(messageCapacity = MESSAGE_CAPACITY) {
    const ring = (maxCount: number): Ring => new Ring({ maxCount, maxCharacters: MAX_CHARACTERS });
    this.#rings = {
      message: ring(messageCapacity),
      rejected: ring(OTHER_CAPACITY),
      batch: ring(OTHER_CAPACITY),
      delivery: ring(OTHER_CAPACITY),
    };
  }

  add(entry: NewEntry): void {
    const seq = ++this.#seq;
    const source = 'source' in entry ? entry.source : undefined;
    this.#rings[entry.kind].add({ seq, source, json: JSON.stringify({ seq, ...entry }) });
    this.#tell();
  }

  /** The state of the webhooks as JSON. Only the newest is kept, because no listener needs earlier ones. */
  get endpoints(): string | undefined {
    return this.#endpoints;
  }

  showEndpoints(endpoints: readonly EndpointState[]): void {
    const json = JSON.stringify(endpoints);
    if (json === this.#endpoints) return;
    this.#endpoints = json;
    this.#tell();
  }

  clear(): void {
    for (const ring of Object.values(this.#rings)) ring.clear();
  }

  /** Returns up to `limit` entries after the number `seq`, oldest first. */
  after(seq: number, limit: number): readonly RingEntry[] {
    return Object.values(this.#rings)
      .flatMap((ring) => ring.after(seq, limit))
      .sort((a, b) => a.seq - b.seq)
      .slice(0, limit);
  }

  /** True if an entry after the number `seq` is no longer kept. */
  hasGapAfter(seq: number): boolean {
    return Object.values(this.#rings).some(({ droppedSeq }) => droppedSeq > seq);
  }

  /** Calls `listener` for each entry, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
