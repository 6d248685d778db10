import { CLAIM_MS, type Claim, KEEP_MS, type MessageIdStore } from '../message-id-store.js';

/** Times by key, in the order in which they were set, which is nearly that of the times. */
type Until = Map<string, number>;

/** Seen ids that are forgotten when the process ends. */
export class MemoryMessageIdStore implements MessageIdStore {
  readonly #claimed: Until = new Map();
  readonly #kept: Until = new Map();

  async claim(source: string, ids: readonly string[], nowMs: number): Promise<Claim[]> {
    dropPast(this.#claimed, nowMs);
    dropPast(this.#kept, nowMs);
    return ids.map((id) => this.#claim(keyOf(source, id), nowMs));
  }

  async keep(source: string, ids: readonly string[], nowMs: number): Promise<void> {
    for (const key of ids.map((id) => keyOf(source, id))) {
      this.#claimed.delete(key);
      set(this.#kept, key, nowMs + KEEP_MS);
    }
  }

  async release(source: string, ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#claimed.delete(keyOf(source, id));
  }

  #claim(key: string, nowMs: number): Claim {
    if ((this.#kept.get(key) ?? 0) > nowMs) return 'kept';
    if ((this.#claimed.get(key) ?? 0) > nowMs) return 'claimed';
    set(this.#claimed, key, nowMs + CLAIM_MS);
    return 'new';
  }
}

/** The length tells where the source ends and the id begins. */
const keyOf = (source: string, id: string): string => `${source.length}:${source}${id}`;

function set(map: Until, key: string, until: number): void {
  map.delete(key);
  map.set(key, until);
}

function dropPast(map: Until, nowMs: number): void {
  for (const [key, until] of map) {
    if (until > nowMs) return;
    map.delete(key);
  }
}
