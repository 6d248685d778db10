import { hash } from 'node:crypto';
import type { Database } from 'lmdb';
import { isWellFormed } from '../../base/platform/node.js';
import { KEEP_MS } from '../storage.js';
import type { LmdbEnvironment } from './lmdb-environment.js';

type Table = Database<Uint8Array, Uint8Array>;

/**
 * The length of an id's hash in bytes. Among a billion ids, two have the same hash with a chance of one in 10^21. An attacker who
 * found such a pair with 2^64 hashes could only make one message of their own source look like another.
 */
const HASH_BYTES = 16;
const GENERATION_BYTES = 4;
const TIME_BYTES = 6;

/** A transaction blocks everything else, so many ids are forgotten in several transactions. */
const MOST_FORGOTTEN = 1_000;

/** Remembers message ids in generations of one day. The oldest generation is forgotten as a whole. */
export class LmdbMessageIds {
  readonly #environment: LmdbEnvironment;
  readonly #kept: Table;

  constructor(environment: LmdbEnvironment) {
    this.#environment = environment;
    this.#kept = environment.db.openDB({ name: 'service/seen', encoding: 'binary', keyEncoding: 'binary' });
  }

  /** Returns true if the id was new. Called inside a transaction. */
  keep(source: string, id: string, nowMs: number): boolean {
    const each = hashOf(source, id);
    if (this.#isKept(each, nowMs)) return false;
    this.#kept.put(inGeneration(generationOf(nowMs), each), timeOf(nowMs));
    return true;
  }

  has(source: string, id: string, nowMs: number): boolean {
    return this.#isKept(hashOf(source, id), nowMs);
  }

  /** Forgets generations that are older than the remembered time. */
  async forget(nowMs: number): Promise<void> {
    const end = inGeneration(generationOf(nowMs) - 1);
    const past = () => [...this.#kept.getKeys({ start: Buffer.of(0), end, limit: MOST_FORGOTTEN })];
    while (past().length > 0) {
      await this.#environment.commits.run(() => {
        for (const key of past()) this.#kept.remove(key);
      }, true);
    }
  }

  #isKept(each: Buffer, nowMs: number): boolean {
    const current = generationOf(nowMs);
    // The next generation is checked too, because the clock may have been set back.
    return [current, current - 1, current + 1].some(
      (generation) => readTime(this.#kept.get(inGeneration(generation, each))) + KEEP_MS > nowMs,
    );
  }
}

/** The length shows where the source ends and the id begins. JSON distinguishes lone surrogates, which have no UTF-8. */
function hashOf(source: string, id: string): Buffer {
  const isText = isWellFormed(source) && isWellFormed(id);
  const pair = isText ? `${source.length}:${source}${id}` : JSON.stringify([source, id]);
  return hash('sha256', pair, 'buffer').subarray(0, HASH_BYTES);
}

// Generations count from 1, so that even the first one has one before it.
const generationOf = (nowMs: number): number => 1 + Math.floor(nowMs / KEEP_MS);

function inGeneration(generation: number, each?: Buffer): Buffer {
  const key = Buffer.allocUnsafe(GENERATION_BYTES + (each?.length ?? 0));
  key.writeUInt32BE(generation);
  each?.copy(key, GENERATION_BYTES);
  return key;
}

function timeOf(ms: number): Buffer {
  const bytes = Buffer.allocUnsafe(TIME_BYTES);
  bytes.writeUIntBE(ms, 0, TIME_BYTES);
  return bytes;
}

/** Returns a time long ago when there is no value. */
const readTime = (bytes: Uint8Array | undefined): number =>
  bytes === undefined
    ? Number.NEGATIVE_INFINITY
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).readUIntBE(0, TIME_BYTES);
