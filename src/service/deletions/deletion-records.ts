import type { Clock } from '../../clock.js';
import { entriesOf } from '../../store/entries.js';
import type { Change, KeyValueStore } from '../../store/key-value-store.js';
import { type Found, foundIn } from '../jobs/held-record.js';
import { jobIdAt } from '../jobs/job-runner.js';
import { DELETIONS, type DeletionRecord, deletionKey, isDone, UNDONE, undoneKey, usersKey } from './record.js';

/** How long a deletion is kept after its end, in ms. */
const KEEP_MS = 365 * 24 * 60 * 60_000;

/** A search for the newest begins with the last minute, and goes back eight times as far each time. */
const FIRST_SPAN_MS = 60_000;
const SPAN_FACTOR = 8;

/** The deletions on the key-value store. No method reads more of them than it must. */
export class DeletionRecords {
  readonly #keyValues: KeyValueStore;
  readonly #clock: Clock;

  constructor(keyValues: KeyValueStore, clock: Clock) {
    this.#keyValues = keyValues;
    this.#clock = clock;
  }

  async get(id: string): Promise<Found<DeletionRecord>> {
    const [text] = await this.#keyValues.get([deletionKey(id)]);
    return foundIn(text);
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
      const from = isAll ? undefined : deletionKey(jobIdAt(Math.max(0, now - spanMs), ''));
      const found: DeletionRecord[] = [];
      for await (const { value } of entriesOf(this.#keyValues, DELETIONS, from)) {
        found.push(parse(value));
        if (found.length > limit) found.shift();
      }
      if (isAll || found.length === limit) return found.reverse();
    }
  }

  /** Those that are not done. */
  async *undone(): AsyncGenerator<Found<DeletionRecord>, void, undefined> {
    for await (const { key } of entriesOf(this.#keyValues, UNDONE)) {
      const found = await this.get(decodeURIComponent(key.slice(UNDONE.length)));
      if (found.record !== undefined && !isDone(found.record)) yield found;
    }
  }

  /** Marks those that are not done: 1.0.0 wrote no marks. Reads all deletions. */
  async markUndone(): Promise<void> {
    for await (const { key, value } of entriesOf(this.#keyValues, DELETIONS)) {
      const record = parse(value);
      if (!isDone(record)) await this.#keyValues.writeIf({ key, value }, [{ key: undoneKey(record.id), value: '' }]);
    }
  }

  /** Removes those that were done long ago. */
  async removeOld(): Promise<void> {
    const oldest = this.#clock.wall() - KEEP_MS;
    for await (const { key, value } of entriesOf(this.#keyValues, DELETIONS)) {
      const record = parse(value);
      // They are sorted by time.
      if (record.at >= oldest) return;
      if (isDone(record)) await this.#keyValues.write([{ key, value: undefined }]);
    }
  }
}

/** Written with a new deletion: the mark that it is not done, and its users. */
export const changesToBegin = (id: string, users: readonly string[]): Change[] => [
  { key: undoneKey(id), value: '' },
  { key: usersKey(id), value: JSON.stringify(users) },
];

/** Written with a deletion that is done. */
export const changesToEnd = (id: string): Change[] =>
  [undoneKey(id), usersKey(id)].map((key) => ({ key, value: undefined }));

// Only deletions write such values.
const parse = (text: string): DeletionRecord => JSON.parse(text);
