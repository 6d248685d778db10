import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { QueueKey, QueuePosition, Ready } from '../event-store.js';
import { UrlTally } from '../kept-tally.js';
import { type Lane, LocalStore, type LocalTables } from '../local-store.js';
import { compareQueueKeys } from '../queue-key.js';
import { SortedList } from '../sorted-list.js';
import { WebhookList } from '../webhook-list.js';
import { MemoryKeyValueStore } from './memory-key-value-store.js';

class MemoryQueue extends SortedList<QueueKey> {
  constructor() {
    super(compareQueueKeys);
  }

  list(after: QueueKey | undefined, limit: number): QueueKey[] {
    const listed: QueueKey[] = [];
    for (const key of this.after(after)) {
      if (listed.length >= limit) break;
      listed.push(key);
    }
    return listed;
  }
}

/** A lane, which is in the map of all lanes while it has a head. */
class MemoryLane extends MemoryQueue implements Lane {
  readonly #lanes: Map<string, MemoryLane>;
  readonly #key: string;
  #head: string | undefined;

  constructor(lanes: Map<string, MemoryLane>, key: string) {
    super();
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
export class MemoryStore extends LocalStore {
  constructor(webhooks = new WebhookList(new MemoryKeyValueStore(), '')) {
    super(newTables(), webhooks, 0);
  }

  async add(event: StoredEvent, body: Uint8Array): Promise<boolean> {
    return this.addNow(event, body);
  }

  async update(id: string, change: (event: StoredEvent) => StoredEvent | undefined): Promise<void> {
    this.updateNow(id, change);
  }

  canRecord(): boolean {
    return true;
  }

  async flush(): Promise<void> {}

  protected override announce(ready: readonly Ready[]): void {
    for (const each of ready) this.onReady?.(each);
  }
}

/** An event with its body. */
interface Kept {
  event: StoredEvent;
  readonly body: Uint8Array;
}

function newTables(): LocalTables<Kept> {
  const events = new Map<string, Kept>();
  const lines = new Map<string, Record<QueuePosition, MemoryQueue>>();
  const lanes = new Map<string, MemoryLane>();
  const tally = new UrlTally();
  return {
    events: {
      get: (id) => events.get(id),
      body: ({ body }) => body,
      add(event, body) {
        if (events.has(event.id)) return false;
        events.set(event.id, { event, body });
        return true;
      },
      replace(kept, event) {
        kept.event = event;
      },
      remove: ({ event }) => void events.delete(event.id),
    },
    lines: {
      line(url, position) {
        let queues = lines.get(url);
        if (queues === undefined) {
          queues = { first: new MemoryQueue(), retry: new MemoryQueue(), behind: new MemoryQueue() };
          lines.set(url, queues);
        }
        return queues[position];
      },
      lane(url, user) {
        // A space separates the two, because user names contain none.
        const key = `${user} ${url}`;
        return lanes.get(key) ?? new MemoryLane(lanes, key);
      },
    },
    dead: new MemoryQueue(),
    counts: { add: (event, sign) => tally.add(event, sign), read: () => tally },
  };
}
