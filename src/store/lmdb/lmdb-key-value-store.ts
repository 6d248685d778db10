import type { Database } from 'lmdb';
import type { Change, KeyValue, KeyValueStore } from '../key-value-store.js';
import type { LmdbEnvironment } from './lmdb-environment.js';

/** A transaction blocks everything else, so many keys are removed in several transactions. */
const MOST_REMOVED = 1_000;

/** Keys and values in lmdb, which orders keys by their bytes. */
export class LmdbKeyValueStore implements KeyValueStore {
  readonly #environment: LmdbEnvironment;
  readonly #values: Database<string, Uint8Array>;

  constructor(environment: LmdbEnvironment) {
    this.#environment = environment;
    // The types of lmdb do not have this option.
    const untyped = { encoder: { encode: encodeValue, decode: decodeValue } };
    this.#values = environment.db.openDB({ name: 'service/shelf', keyEncoding: 'binary', ...untyped });
  }

  async get(keys: readonly string[]): Promise<(string | undefined)[]> {
    return keys.map((key) => this.#values.get(Buffer.from(key)));
  }

  async list(prefix: string, after: string | undefined, limit: number): Promise<KeyValue[]> {
    const end = endOf(prefix);
    const first = Buffer.from(prefix);
    // No key comes between these two.
    const next = after === undefined ? first : Buffer.from(`${after}\0`);
    const start = Buffer.compare(next, first) < 0 ? first : next;
    if (Buffer.compare(start, end) >= 0) return [];
    return [...this.#values.getRange({ start, end, limit })].map(({ key, value }) => ({ key: textOf(key), value }));
  }

  async write(changes: readonly Change[]): Promise<void> {
    await this.#environment.commits.runDurably(() => this.#apply(changes));
  }

  async writeIf(expected: Change, changes: readonly Change[]): Promise<boolean> {
    return this.#environment.commits.runDurably(() => {
      const holds = this.#values.get(Buffer.from(expected.key)) === expected.value;
      if (holds) this.#apply(changes);
      return holds;
    });
  }

  async removeAll(prefix: string): Promise<void> {
    const range = { start: Buffer.from(prefix), end: endOf(prefix), limit: MOST_REMOVED };
    for (let removed = MOST_REMOVED; removed === MOST_REMOVED; ) {
      removed = await this.#environment.commits.runDurably(() => {
        const keys = [...this.#values.getKeys(range)];
        for (const key of keys) this.#values.remove(key);
        return keys.length;
      });
    }
  }

  #apply(changes: readonly Change[]): void {
    for (const { key, value } of changes) {
      if (value === undefined) this.#values.remove(Buffer.from(key));
      else this.#values.put(Buffer.from(key), value);
    }
  }
}

/** Well-formed text never contains the byte 0xff. */
const endOf = (prefix: string): Buffer => Buffer.concat([Buffer.from(prefix), Buffer.of(0xff)]);

const textOf = (key: Uint8Array): string => Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString();

const BASE64 = /[A-Za-z\d+/=]/;

/** A shorter run of Base64 at the end of a value is stored as text. Compressed attempts are longer. */
const LEAST_BASE64 = 500;

/** Stands between a text and the bytes of the Base64 at its end. UTF-8 never has this byte. */
const BYTES_MARK = 0xff;

/** Stores Base64 as its bytes, which are a quarter fewer. */
function encodeValue(value: string): Buffer {
  // Searches backwards, because an expression for the whole run would overflow the stack for one of several megabytes.
  let start = value.length;
  while (start > 0 && BASE64.test(value.charAt(start - 1))) start--;
  if (value.length - start < LEAST_BASE64) return Buffer.from(value);
  const base64 = value.slice(start);
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('base64') !== base64) return Buffer.from(value);
  return Buffer.concat([Buffer.from(value.slice(0, start)), Buffer.of(BYTES_MARK), bytes]);
}

function decodeValue({ buffer, byteOffset, length }: Uint8Array): string {
  // lmdb passes a longer buffer, whose `length` alone is that of the value.
  const bytes = Buffer.from(buffer, byteOffset, length);
  const mark = bytes.indexOf(BYTES_MARK);
  return mark < 0 ? bytes.toString() : bytes.toString('utf8', 0, mark) + bytes.toString('base64', mark + 1);
}
