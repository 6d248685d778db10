import type { StoredEvent } from '../../delivery/completion-rule.js';
import { EventIndex, type EventRecords, type Lane, type LineTable } from '../event-index.js';
import type { Backlog, DeadTotals, EventStore, QueueKey, QueuePosition, Ready } from '../event-store.js';
import { UrlTally } from '../kept-tally.js';
import { compareQueueKeys, Places } from '../queue-key.js';
import { SortedList } from '../sorted-list.js';
import { WebhookList } from '../webhook-list.js';
import { MemoryKeyValueStore } from './memory-key-value-store.js';

type Queues = Record<QueuePosition, SortedList<QueueKey>>;

/** A lane, which is in the map of all lanes while it has a head. */
class MemoryLane extends SortedList<QueueKey> implements Lane {
  readonly #lanes: Map<string, MemoryLane>;
  readonly #key: string;
  #head: string | undefined;

  constructor(lanes: Map<string, MemoryLane>, key: string) {
    super(compareQueueKeys);
    this.#lanes = lanes;
    this.#key = key;
  }

  get head(): string | undefined {
    return this.#head;
  }

  set head(id: string | undefined) {
    this.#head = id;
    if (id === undefined) this.#lanes.delete(this.#key);
    else this.#lanes.set(this.#key, this);
  }
}

/** Events in memory, which are lost when the process ends. */
export class MemoryStore implements EventStore {
  readonly #kept = new Map<string, { event: StoredEvent; readonly body: Uint8Array }>();
  readonly records: EventRecords = {
    event: (id) => this.#kept.get(id)?.event,
    add: (event, body) => this.#add(event, body),
  };
  readonly #queues = new Map<string, Queues>();
  readonly #lanes = new Map<string, MemoryLane>();
  readonly #lines: LineTable = {
    put: ({ url, stage, at, id }) => this.#queuesOf(url)[stage].add({ at, id }),
    remove: (entry) => void this.#queuesOf(entry.url)[entry.stage].delete(entry),
    lane: (url, user) => this.#lane(keyOf(url, user)),
  };
  readonly #dead = new SortedList(compareQueueKeys);
  readonly #tally = new UrlTally();
  readonly #index = new EventIndex({ lines: this.#lines, dead: this.#dead, counts: this.#tally });
  readonly #places = new Places();
  readonly webhooks: WebhookList;
  onReady: ((ready: Ready) => void) | undefined;

  constructor(webhooks = new WebhookList(new MemoryKeyValueStore(), '')) {
    this.webhooks = webhooks;
  }

  async add(event: StoredEvent, body: Uint8Array): Promise<boolean> {
    return this.#add(event, body);
  }

  async update(id: string, change: (event: StoredEvent) => StoredEvent | undefined): Promise<void> {
    const kept = this.#kept.get(id);
    if (kept === undefined) return;
    const next = change(kept.event);
    const ready = this.#index.move(kept.event, next);
    if (next === undefined) this.#kept.delete(id);
    else kept.event = next;
    this.#tell(ready);
  }

  partitionOf(): undefined {}

  canRecord(): boolean {
    return true;
  }

  placeFor(now: number): number {
    return this.#places.next(now);
  }

  async event(id: string): Promise<StoredEvent | undefined> {
    return this.#kept.get(id)?.event;
  }

  async body(id: string): Promise<Uint8Array | undefined> {
    return this.#kept.get(id)?.body;
  }

  async waiting(url: string, stage: QueuePosition, after: QueueKey | undefined, limit: number): Promise<QueueKey[]> {
    return takeFrom(this.#queuesOf(url)[stage].after(after), limit);
  }

  async isBehind(url: string, id: string): Promise<boolean> {
    const behind = await this.waiting(url, 'behind', undefined, Number.POSITIVE_INFINITY);
    return behind.some((key) => key.id === id);
  }

  async dead(after: QueueKey | undefined, limit: number): Promise<QueueKey[]> {
    return takeFrom(this.#dead.after(after), limit);
  }

  async backlog(): Promise<Backlog[]> {
    return this.#tally.backlog();
  }

  async deadTotals(): Promise<DeadTotals> {
    return this.#tally.deadTotals();
  }

  async flush(): Promise<void> {}

  #add(event: StoredEvent, body: Uint8Array): boolean {
    if (this.#kept.has(event.id)) return false;
    this.#kept.set(event.id, { event, body });
    this.#tell(this.#index.enter(event));
    return true;
  }

  #tell(ready: readonly Ready[]): void {
    for (const each of ready) this.onReady?.(each);
  }

  #lane(key: string): MemoryLane {
    return this.#lanes.get(key) ?? new MemoryLane(this.#lanes, key);
  }

  #queuesOf(url: string): Queues {
    let queues = this.#queues.get(url);
    if (queues === undefined) {
      queues = {
        first: new SortedList(compareQueueKeys),
        retry: new SortedList(compareQueueKeys),
        behind: new SortedList(compareQueueKeys),
      };
      this.#queues.set(url, queues);
    }
    return queues;
  }
}

function takeFrom(keys: Iterable<QueueKey>, limit: number): QueueKey[] {
  const taken: QueueKey[] = [];
  for (const key of keys) {
    if (taken.length >= limit) break;
    taken.push(key);
  }
  return taken;
}

/** A space separates the two, because user names contain none. */
const keyOf = (url: string, user: string): string => `${user} ${url}`;
