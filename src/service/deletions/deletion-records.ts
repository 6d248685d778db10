import type { Clock } from '../../delivery/clock.js';
import { entriesOf } from '../../store/entries.js';
import type { KeyValueStore } from '../../store/key-value-store.js';
import { DELETIONS, type DeletionRecord, deletionKey, idAt, isDone, UNDONE, undoneKey, usersKey } from './record.js';

/** A record, and the text it was read from or written as. */
export interface Kept {
  readonly record: DeletionRecord;
  readonly text: string;
}

/** How long it is known that a deletion was done, in ms. */
const KEEP_MS = 365 * 24 * 60 * 60_000;

/** The newest are looked for among those of the last minute, then of eight times as long, and so on. */
const FIRST_SPAN_MS = 60_000;
const SPAN_FACTOR = 8;

/** The deletions on the key-value store: none of these looks at more of them than it must. */
export class DeletionRecords {
  readonly #keyValues: KeyValueStore;
  readonly #clock: Clock;

  constructor(keyValues: KeyValueStore, clock: Clock) {
    this.#keyValues = keyValues;
    this.#clock = clock;
  }

  async add(record: DeletionRecord, users: readonly string[]): Promise<Kept> {
    const text = JSON.stringify(record);
    const undone = [
      { key: undoneKey(record.id), value: '' },
      { key: usersKey(record.id), value: JSON.stringify(users) },
    ];
    await this.#keyValues.write([{ key: deletionKey(record.id), value: text }, ...(isDone(record) ? [] : undone)]);
    return { record, text };
  }

  async get(id: string): Promise<Kept | undefined> {
    const [text] = await this.#keyValues.get([deletionKey(id)]);
    return text === undefined ? undefined : keptIn(text);
  }

  async users(id: string): Promise<readonly string[]> {
    const [text] = await this.#keyValues.get([usersKey(id)]);
    return text === undefined ? [] : JSON.parse(text);
  }

  /** The newest first, up to so many. */
  async newest(limit: number): Promise<DeletionRecord[]> {
    const now = this.#clock.wall();
    for (let spanMs = FIRST_SPAN_MS; ; spanMs *= SPAN_FACTOR) {
      const isAll = spanMs > KEEP_MS * SPAN_FACTOR;
      const from = isAll ? undefined : deletionKey(idAt(Math.max(0, now - spanMs), ''));
      const found: DeletionRecord[] = [];
      for await (const { value } of entriesOf(this.#keyValues, DELETIONS, from)) {
        found.push(keptIn(value).record);
        if (found.length > limit) found.shift();
      }
      if (isAll || found.length === limit) return found.reverse();
    }
  }

  /** Those that are not done. */
  async *undone(): AsyncGenerator<Kept, void, undefined> {
    for await (const { key } of entriesOf(this.#keyValues, UNDONE)) {
      const kept = await this.get(decodeURIComponent(key.slice(UNDONE.length)));
      if (kept !== undefined && !isDone(kept.record)) yield kept;
    }
  }

  /** Marks those that are not done and have no mark, as they were written by 1.0.0. Reads all there are. */
  async markUndone(): Promise<void> {
    for await (const { key, value } of entriesOf(this.#keyValues, DELETIONS)) {
      const { record } = keptIn(value);
      if (!isDone(record)) await this.#keyValues.writeIf({ key, value }, [{ key: undoneKey(record.id), value: '' }]);
    }
  }

  /** Undefined when the record is no longer as it was. */
  async replace({ text }: Kept, next: DeletionRecord): Promise<Kept | undefined> {
    const { id } = next;
    const nextText = JSON.stringify(next);
    const over = [undoneKey(id), usersKey(id)].map((key) => ({ key, value: undefined }));
    const changes = [{ key: deletionKey(id), value: nextText }, ...(isDone(next) ? over : [])];
    const isReplaced = await this.#keyValues.writeIf({ key: deletionKey(id), value: text }, changes);
    return isReplaced ? { record: next, text: nextText } : undefined;
  }

  /** Forgets those that were done long ago. */
  async removeOld(): Promise<void> {
    const oldest = this.#clock.wall() - KEEP_MS;
    for await (const { key, value } of entriesOf(this.#keyValues, DELETIONS)) {
      const { record } = keptIn(value);
      // They are in the order of their times.
      if (record.at >= oldest) return;
      if (isDone(record)) await this.#keyValues.write([{ key, value: undefined }]);
    }
  }
}

// Only this file writes such values.
const keptIn = (text: string): Kept => ({ record: JSON.parse(text), text });
