import type { Change, KeyValue, KeyValueStore } from '../key-value-store.js';
import { SortedList } from '../sorted-list.js';

/** Keys and values in memory, which are lost when the process ends. */
export class MemoryKeyValueStore implements KeyValueStore {
  readonly #values = new Map<string, string>();
  readonly #keys = new SortedList<string>((a, b) => (a < b ? -1 : Number(a > b)));

  async get(keys: readonly string[]): Promise<(string | undefined)[]> {
    return keys.map((key) => this.#values.get(key));
  }

  async list(prefix: string, after: string | undefined, limit: number): Promise<KeyValue[]> {
    const entries: KeyValue[] = [];
    for (const key of this.#keysWith(prefix, after)) {
      if (entries.length >= limit) break;
      entries.push({ key, value: this.#values.get(key) ?? '' });
    }
    return entries;
  }

  async write(changes: readonly Change[]): Promise<void> {
    for (const { key, value } of changes) this.#set(key, value);
  }

  async writeIf(expected: Change, changes: readonly Change[]): Promise<boolean> {
    const holds = this.#values.get(expected.key) === expected.value;
    if (holds) await this.write(changes);
    return holds;
  }

  async removeAll(prefix: string): Promise<void> {
    for (const key of [...this.#keysWith(prefix, undefined)]) this.#set(key, undefined);
  }

  *#keysWith(prefix: string, after: string | undefined): Generator<string, void, undefined> {
    const start = bytesOf(prefix);
    if (after === undefined && this.#values.has(prefix)) yield prefix;
    const from = after === undefined || bytesOf(after) < start ? start : bytesOf(after);
    for (const bytes of this.#keys.after(from)) {
      if (!bytes.startsWith(start)) return;
      yield Buffer.from(bytes, 'latin1').toString();
    }
  }

  #set(key: string, value: string | undefined): void {
    if (value === undefined) {
      this.#values.delete(key);
      this.#keys.delete(bytesOf(key));
    } else {
      this.#keys.add(bytesOf(key));
      this.#values.set(key, value);
    }
  }
}

/** One character per byte, because JavaScript compares strings by other units than bytes. */
const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');
