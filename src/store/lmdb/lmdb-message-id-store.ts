import { hash } from 'node:crypto';
import type { Database } from 'lmdb';
import { isWellFormed } from '../../delivery/event-id.js';
import { CLAIM_MS, type Claim, KEEP_MS, type MessageIdStore } from '../message-id-store.js';
import type { LmdbEnvironment } from './lmdb-environment.js';

type Table = Database<Uint8Array, Uint8Array>;

/**
 * The bytes of an id's hash. Of a billion ids, two share their hash with a chance of one in 10^21; and an attacker who made
 * two that do, with 2^64 hashes, could only have one message of their own source taken for another.
 */
const HASH_BYTES = 16;
const GENERATION_BYTES = 4;
const TIME_BYTES = 6;
const PROCESS_BYTES = 4;

/** A transaction runs while nothing else does, so that much is forgotten in several. */
const MOST_FORGOTTEN = 1_000;

/** Who claims, among the processes that have the storage open. */
export interface Claimants {
  /** This process's number. */
  me(): number;
  /** Whether that process is there still. Called inside a transaction. */
  isPresent(number: number): boolean;
}

/**
 * Seen ids in lmdb: what is kept in generations of a day, of which the oldest is forgotten whole; and claims, of which
 * there are as many as are being stored. The claims of a process that died are free: otherwise a client would be
 * refused for half a minute after a crash, and some give up sooner.
 */
export class LmdbMessageIdStore implements MessageIdStore {
  readonly #environment: LmdbEnvironment;
  readonly #kept: Table;
  readonly #claims: Table;
  readonly #claimants: Claimants;

  constructor(environment: LmdbEnvironment, claimants: Claimants) {
    const { db } = environment;
    this.#environment = environment;
    this.#claimants = claimants;
    this.#kept = db.openDB({ name: 'service/seen', encoding: 'binary', keyEncoding: 'binary' });
    this.#claims = db.openDB({ name: 'service/claims', encoding: 'binary', keyEncoding: 'binary' });
  }

  async claim(source: string, ids: readonly string[], nowMs: number): Promise<Claim[]> {
    const hashes = ids.map((id) => hashOf(source, id));
    const { result } = await this.#environment.commits.run(() => hashes.map((each) => this.#claim(each, nowMs)));
    return result;
  }

  async keep(source: string, ids: readonly string[], nowMs: number): Promise<void> {
    const hashes = ids.map((id) => hashOf(source, id));
    const at = timeOf(nowMs);
    await this.#environment.commits.runDurably(() => {
      for (const each of hashes) {
        this.#kept.put(inGeneration(generationOf(nowMs), each), at);
        this.#claims.remove(each);
      }
    });
  }

  async release(source: string, ids: readonly string[]): Promise<void> {
    const hashes = ids.map((id) => hashOf(source, id));
    await this.#environment.commits.run(() => {
      for (const each of hashes) if (this.#isMine(each)) this.#claims.remove(each);
    }, true);
  }

  /** Forgets what is past: generations too old to count, and claims that were never ended. */
  async forget(nowMs: number): Promise<void> {
    const end = inGeneration(generationOf(nowMs) - 1);
    await this.#removeAll(
      () => [...this.#kept.getKeys({ start: Buffer.of(0), end, limit: MOST_FORGOTTEN })],
      this.#kept,
    );
    const isPast = (key: Uint8Array): boolean => readTime(this.#claims.get(key)) <= nowMs;
    await this.#removeAll(() => [...this.#claims.getKeys()].filter(isPast).slice(0, MOST_FORGOTTEN), this.#claims);
  }

  #claim(each: Buffer, nowMs: number): Claim {
    if (this.#isKept(each, nowMs)) return 'kept';
    if (this.#isClaimed(each, nowMs)) return 'claimed';
    this.#claims.put(each, claimOf(nowMs + CLAIM_MS, this.#claimants.me()));
    return 'new';
  }

  #isClaimed(each: Buffer, nowMs: number): boolean {
    const claim = this.#claims.get(each);
    return claim !== undefined && readTime(claim) > nowMs && this.#claimants.isPresent(claimantOf(claim));
  }

  /** A claim that has ended may belong to another process by now. */
  #isMine(each: Buffer): boolean {
    const claim = this.#claims.get(each);
    return claim !== undefined && claimantOf(claim) === this.#claimants.me();
  }

  #isKept(each: Buffer, nowMs: number): boolean {
    const current = generationOf(nowMs);
    // The next one too: a process whose `nowMs` is a little later may have kept it.
    return [current, current - 1, current + 1].some(
      (generation) => readTime(this.#kept.get(inGeneration(generation, each))) + KEEP_MS > nowMs,
    );
  }

  async #removeAll(find: () => Uint8Array[], table: Table): Promise<void> {
    for (let removed = MOST_FORGOTTEN; removed === MOST_FORGOTTEN; ) {
      if (find().length === 0) return;
      const { result } = await this.#environment.commits.run(() => {
        const keys = find();
        for (const key of keys) table.remove(key);
        return keys.length;
      }, true);
      removed = result;
    }
  }
}

/** The length tells where the source ends and the id begins. Halves of surrogate pairs, which have no UTF-8, are told apart by JSON. */
function hashOf(source: string, id: string): Buffer {
  const isText = isWellFormed(source) && isWellFormed(id);
  const pair = isText ? `${source.length}:${source}${id}` : JSON.stringify([source, id]);
  return hash('sha256', pair, 'buffer').subarray(0, HASH_BYTES);
}

// From 1, so that there is one before the first.
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

/** Until when, and whose. */
function claimOf(untilMs: number, claimant: number): Buffer {
  const bytes = Buffer.allocUnsafe(TIME_BYTES + PROCESS_BYTES);
  bytes.writeUIntBE(untilMs, 0, TIME_BYTES);
  bytes.writeUInt32BE(claimant, TIME_BYTES);
  return bytes;
}

const claimantOf = (claim: Uint8Array): number =>
  Buffer.from(claim.buffer, claim.byteOffset, claim.byteLength).readUInt32BE(TIME_BYTES);

/** Long ago when there is none. */
const readTime = (bytes: Uint8Array | undefined): number =>
  bytes === undefined
    ? Number.NEGATIVE_INFINITY
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).readUIntBE(0, TIME_BYTES);
