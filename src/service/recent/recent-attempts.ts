import { randomBytes } from 'node:crypto';
import type { Clock } from '../../clock.js';
import type { Attempted, Recorder } from '../../destination/endpoints.js';
import { startInterval } from '../../interval.js';
import type { Change, KeyValueStore } from '../../store/key-value-store.js';
import { singleFlight } from '../single-flight.js';
import type { KeepBounds } from './bounds.js';
import { type Chunk, changesTo, chunksOf, keptDestinations, placeOf, trim, writtenAt } from './chunks.js';
import { type Exchanged, encode } from './recent-attempt.js';
import { Unwritten } from './unwritten.js';

export interface RecentAttemptsOptions {
  readonly keyValues: KeyValueStore;
  readonly clock: Clock;
  /** As they are configured now. */
  boundsOf(destination: string): KeepBounds;
  /** @throws when there is no room: then nothing is kept */
  assertRoom(): void;
  onError(error: unknown): void;
}

/** How often they are written, in ms. A process that is killed loses as much of them. */
const WRITE_MS = 1_000;

/** How often a destination with new ones is trimmed at least, in ms. */
const TRIM_MS = 60_000;

/** The most bytes that all destinations together hold in memory, unwritten. */
const MOST_BYTES = 16_000_000;

/** The most in one chunk: a search reads whole chunks, and what is trimmed is one. */
const CHUNK_ATTEMPTS = 50;
const CHUNK_BYTES = 128_000;

/** So many bytes go into one write. */
const WRITE_BYTES = 1_000_000;

/** A destination is trimmed early once it has this share of its bounds in new ones. */
const EARLY_SHARE = 1 / 4;

interface Kept {
  readonly unwritten: Unwritten;
  /** Written since it was trimmed. */
  attempts: number;
  bytes: number;
}

/**
 * What was attempted lately, of each destination within its bounds. An attempt costs a reference here; what is left of them after
 * a second is written, so that all processes see it, and it outlives this one.
 */
export class RecentAttempts {
  readonly #options: RecentAttemptsOptions;
  readonly #process = randomBytes(4).toString('hex');
  readonly #kept = new Map<string, Kept>();
  readonly #stop: () => void;
  #trimmedAt: number;
  /** Resolves once all that was told so far is written, or could not be. */
  readonly flush: () => Promise<void>;

  constructor(options: RecentAttemptsOptions) {
    const { clock, onError } = options;
    this.#options = options;
    this.#trimmedAt = clock.now();
    const write = singleFlight(() => this.#writeAll().catch(onError));
    // What came while one runs may not be in it.
    this.flush = async () => {
      await write();
      if (this.#hasUnwritten()) await write();
    };
    this.#stop = startInterval({ clock, everyMs: WRITE_MS, act: this.flush, onError });
  }

  recorder(destination: string): Recorder {
    const { boundsOf } = this.#options;
    const kept = this.#kept.get(destination) ?? { unwritten: new Unwritten(), attempts: 0, bytes: 0 };
    this.#kept.set(destination, kept);
    return {
      wantsExchange: () => boundsOf(destination).attempts > 0,
      record: (attempted) => {
        if (!isExchanged(attempted)) return;
        const { attempts, bytes } = boundsOf(destination);
        kept.unwritten.add(attempted, { attempts, bytes: Math.min(bytes, MOST_BYTES / this.#kept.size) });
      },
    };
  }

  /** When the oldest of what is kept of these destinations was written, in ms since 1970. */
  async since(destinations: readonly string[]): Promise<number | undefined> {
    const all = await Promise.all(destinations.map((name) => chunksOf(this.#options.keyValues, name)));
    const oldest = all.flatMap((chunks) => chunks.at(-1) ?? []).map(writtenAt);
    return oldest.length === 0 ? undefined : Math.min(...oldest);
  }

  /** Removes what is too old, or of destinations that keep nothing any more. */
  async sweep(): Promise<void> {
    const { keyValues, boundsOf, clock } = this.#options;
    for await (const name of keptDestinations(keyValues)) await trim(keyValues, name, boundsOf(name), clock.now());
  }

  async close(): Promise<void> {
    this.#stop();
    await this.flush();
  }

  #hasUnwritten(): boolean {
    return [...this.#kept.values()].some(({ unwritten }) => !unwritten.isEmpty);
  }

  async #writeAll(): Promise<void> {
    const { clock } = this.#options;
    const now = clock.now();
    let [changes, bytes]: [Change[], number] = [[], 0];
    for (const [destination, kept] of this.#kept) {
      if (kept.unwritten.isEmpty) continue;
      const made = this.#changesOf(destination, kept, now);
      changes.push(...made.changes);
      bytes += made.bytes;
      if (bytes < WRITE_BYTES) continue;
      await this.#write(changes);
      [changes, bytes] = [[], 0];
    }
    await this.#write(changes);
    await this.#trim(now);
  }

  #changesOf(destination: string, kept: Kept, now: number): { changes: Change[]; bytes: number } {
    const { attempts } = this.#options.boundsOf(destination);
    const taken = kept.unwritten.take();
    const texts = attempts === 0 ? [] : taken.slice(-attempts).map(encode);
    const chunks = chunksIn(texts);
    let bytes = 0;
    const changes = chunks.flatMap((chunk, index) => {
      const text = `[${chunk.join(',')}]`;
      const place = placeOf(now, this.#process, chunks.length - 1 - index);
      bytes += text.length;
      return changesTo({ destination, place, attempts: chunk.length, bytes: text.length } satisfies Chunk, text);
    });
    kept.attempts += texts.length;
    kept.bytes += bytes;
    return { changes, bytes };
  }

  async #write(changes: readonly Change[]): Promise<void> {
    if (changes.length === 0) return;
    const { keyValues, assertRoom, onError } = this.#options;
    try {
      assertRoom();
      for (let from = 0; from < changes.length; from += 1_000) await keyValues.write(changes.slice(from, from + 1_000));
    } catch (error) {
      onError(error);
    }
  }

  async #trim(now: number): Promise<void> {
    const { keyValues, boundsOf } = this.#options;
    const isTime = now - this.#trimmedAt >= TRIM_MS;
    if (isTime) this.#trimmedAt = now;
    for (const [destination, kept] of this.#kept) {
      const bounds = boundsOf(destination);
      const isMuch = kept.attempts > bounds.attempts * EARLY_SHARE || kept.bytes > bounds.bytes * EARLY_SHARE;
      if (kept.attempts === 0 || !(isTime || isMuch)) continue;
      await trim(keyValues, destination, bounds, now);
      [kept.attempts, kept.bytes] = [0, 0];
    }
  }
}

const isExchanged = (attempted: Attempted): attempted is Exchanged => attempted.exchange !== undefined;

function chunksIn(texts: readonly string[]): string[][] {
  const chunks: string[][] = [];
  let [chunk, bytes]: [string[], number] = [[], 0];
  for (const text of texts) {
    if (chunk.length === CHUNK_ATTEMPTS || (bytes + text.length > CHUNK_BYTES && chunk.length > 0)) {
      chunks.push(chunk);
      [chunk, bytes] = [[], 0];
    }
    chunk.push(text);
    bytes += text.length;
  }
  if (chunk.length > 0) chunks.push(chunk);
  return chunks;
}
