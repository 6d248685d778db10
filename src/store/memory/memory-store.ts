import type { StoredEvent } from '../../delivery/completion-rule.js';
import {
  type Backlog,
  compareQueueKeys,
  type DeadTotals,
  type EventStore,
  type KnownWebhook,
  type QueueKey,
  type Stage,
  type WebhookChange,
  waitingEntries,
} from '../event-store.js';
import type { EventRecords } from '../intake.js';
import { SortedList } from '../sorted-list.js';
import { type Store, seal } from '../store.js';
import { Tally } from '../tally.js';

/** A store that forgets everything when the process ends: for tests, and where losing what waits is no loss. */
export const memoryStore = (): Store => seal(new MemoryStore());

type Queues = Record<Stage, SortedList<QueueKey>>;

/** Events in this process, which forgets them when it ends. */
export class MemoryStore implements EventStore {
  readonly #kept = new Map<string, { event: StoredEvent; readonly body: Uint8Array }>();
  readonly records: EventRecords = {
    event: (id) => this.#kept.get(id)?.event,
    add: (event, body) => this.#add(event, body),
  };
  readonly #queues = new Map<string, Queues>();
  readonly #dead = new SortedList(compareQueueKeys);
  readonly #tally = new Tally();
  #webhooks: readonly KnownWebhook[] | undefined;

  async add(event: StoredEvent, body: Uint8Array): Promise<boolean> {
    return this.#add(event, body);
  }

  async update(id: string, change: (event: StoredEvent) => StoredEvent | undefined): Promise<void> {
    const kept = this.#kept.get(id);
    if (kept === undefined) return;
    const next = change(kept.event);
    this.#leave(kept.event);
    if (next === undefined) {
      this.#kept.delete(id);
    } else {
      kept.event = next;
      this.#enter(next);
    }
  }

  async event(id: string): Promise<StoredEvent | undefined> {
    return this.#kept.get(id)?.event;
  }

  async body(id: string): Promise<Uint8Array | undefined> {
    return this.#kept.get(id)?.body;
  }

  async waiting(url: string, stage: Stage, after: QueueKey | undefined, limit: number): Promise<QueueKey[]> {
    return takeFrom(this.#queuesOf(url)[stage].after(after), limit);
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

  async webhooks(): Promise<readonly KnownWebhook[] | undefined> {
    return this.#webhooks;
  }

  async updateWebhooks(change: WebhookChange): Promise<readonly KnownWebhook[]> {
    this.#webhooks = change(this.#webhooks);
    return this.#webhooks;
  }

  async flush(): Promise<void> {}

  async close(): Promise<void> {}

  #add(event: StoredEvent, body: Uint8Array): boolean {
    if (this.#kept.has(event.id)) return false;
    this.#kept.set(event.id, { event, body });
    this.#enter(event);
    return true;
  }

  #enter(event: StoredEvent): void {
    this.#tally.add(event, 1);
    for (const { url, stage, at, id } of waitingEntries(event)) this.#queuesOf(url)[stage].add({ at, id });
    if (event.isDead) this.#dead.add({ at: event.acceptedAt, id: event.id });
  }

  #leave(event: StoredEvent): void {
    this.#tally.add(event, -1);
    for (const entry of waitingEntries(event)) this.#queuesOf(entry.url)[entry.stage].delete(entry);
    if (event.isDead) this.#dead.delete({ at: event.acceptedAt, id: event.id });
  }

  #queuesOf(url: string): Queues {
    let queues = this.#queues.get(url);
    if (queues === undefined) {
      queues = { first: new SortedList(compareQueueKeys), retry: new SortedList(compareQueueKeys) };
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
