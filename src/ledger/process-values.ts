import { randomBytes } from 'node:crypto';
import { type KeyValueStore, writeAll } from '../store/key-value-store.js';

/**
 * The totals of this process, which are written under keys that no other process writes. Because they are totals, writing one
 * again changes nothing, and readers add up those of all processes.
 */
export class ProcessValues {
  /** The last part of each key. It tells processes apart. */
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

  /** Writes what was set. If the store does not accept it, the next write tries it again. */
  async write(): Promise<void> {
    const writing = this.#unwritten;
    this.#unwritten = new Map();
    try {
      await writeAll(
        this.#keyValues,
        Array.from(writing, ([key, encode]) => ({ key, value: encode() })),
      );
    } catch (error) {
      this.#unwritten = new Map([...writing, ...this.#unwritten]);
      throw error;
    }
  }
}
