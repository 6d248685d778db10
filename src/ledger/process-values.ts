import { randomBytes } from 'node:crypto';
import { type KeyValueStore, writeAll } from '../store/key-value-store.js';

/** How many values are kept while the store refuses writes. Those that were set last are kept. */
const MOST_UNWRITTEN = 50_000;

/**
 * The totals of this process, which are written under keys that no other process writes. Because they are totals, writing one
 * again changes nothing, and readers add up those of all processes.
 */
export class ProcessValues {
  /** Tells processes apart. It is the last part of each key. */
  readonly process = randomBytes(4).toString('hex');
  readonly #keyValues: KeyValueStore;
  #unwritten = new Map<string, () => string>();

  constructor(keyValues: KeyValueStore) {
    this.#keyValues = keyValues;
  }

  /** Lets the next write store a total. @param encode called only then, because the total may still change */
  set(prefix: string, encode: () => string): void {
    this.#unwritten.set(prefix + this.process, encode);
  }

  /**
   * Writes what was set. If the store has no room or does not accept it, the next write tries the latest values again.
   */
  async write(hasRoom = true): Promise<void> {
    const writing = Array.from(this.#unwritten, ([key, encode]) => ({ key, value: encode() }));
    this.#unwritten = new Map();
    let isWritten = false;
    try {
      if (hasRoom) await writeAll(this.#keyValues, writing);
      isWritten = hasRoom;
    } finally {
      // The text is kept, because it takes less memory than the total that it was made from.
      const older = isWritten ? [] : writing.filter(({ key }) => !this.#unwritten.has(key)).slice(-MOST_UNWRITTEN);
      this.#unwritten = new Map([...older.map(({ key, value }) => [key, () => value] as const), ...this.#unwritten]);
    }
  }
}
