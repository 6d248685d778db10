import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/time/clock.js';
import { startInterval } from '../../base/time/interval.js';
import type { Recorder } from '../../destination/recorder.js';
import type { Change } from '../../store/key-value-store.js';
import type { Storage } from '../../store/storage.js';
import type { DestinationConfig } from '../config/config.js';
import { singleFlight } from '../turns.js';
import { KEEP, type KeepBounds, keepBounds } from './bounds.js';
import { changesTo, chunksOf, keptDestinations, placeOf, trim, writtenAt } from './chunks.js';
import { type EraseOptions, eraseUsers } from './erase.js';
import { ErasedUsers } from './erased-users.js';
import { eventsIn } from './event-index.js';
import { type Encoded, encode } from './recent-attempt.js';
import { type Holders, Unwritten } from './unwritten.js';

export interface RecentAttemptsOptions {
  /** Nothing is kept while it has no room. */
  readonly storage: Pick<Storage, 'keyValues' | 'assertRoom'>;
  readonly clock: Clock;
  onError(error: unknown): void;
}

/** How often they are written, in ms. A process that is killed loses as much of them. */
const WRITE_MS = 1_000;

/** How often a destination with new ones is trimmed at least, in ms. */
const TRIM_MS = 60_000;

/** The most in one chunk: a search reads whole chunks, and what is trimmed is one. */
const CHUNK_ATTEMPTS = 50;
const CHUNK_BYTES = 128_000;

/** The most bytes of one write. */
const WRITE_BYTES = 1_000_000;

/** The most chunks in one write, which has at most 1,000 changes: a chunk is three of them, and one for each attempt. */
const MOST_CHUNKS = Math.floor(1_000 / (CHUNK_ATTEMPTS + 3));

/** A destination is trimmed early once it has this share of its bounds in new ones. */
const EARLY_SHARE = 1 / 4;

/** A chunk that is about to be written. */
interface EncodedChunk {
  readonly destination: string;
  readonly place: string;
  readonly attempts: readonly Encoded[];
}

interface Kept {
  readonly unwritten: Unwritten;
  /** Written since it was trimmed. */
  attempts: number;
  bytes: number;
}

/**
 * The newest attempts of each destination, within its bounds. Once a second, those that are still within the bounds are written, so that all processes see them and they outlive this one.
 */
export class RecentAttempts {
  readonly #options: RecentAttemptsOptions;
  readonly #process = randomBytes(4).toString('hex');
  #bounds: ReadonlyMap<string, KeepBounds> = new Map();
  readonly #holders: Holders = { count: 0 };
  readonly #kept = new Map<string, Kept>();
  readonly #stop: () => void;
  readonly #erasedUsers: ErasedUsers;
  #trimmedAt: number;
  #writtenAt = 0;
  /** Resolves once all that was told so far is written, or could not be. */
  readonly flush: () => Promise<void>;

  constructor(options: RecentAttemptsOptions) {
    const { clock, onError } = options;
    this.#options = options;
    this.#erasedUsers = new ErasedUsers(options.storage.keyValues, clock);
    this.#trimmedAt = clock.now();
    const write = singleFlight(() => this.#writeAll().catch(onError));
    // What came while one runs may not be in it.
    this.flush = async () => {
      await write();
      if (this.#hasUnwritten()) await write();
    };
    this.#stop = startInterval({ clock, everyMs: WRITE_MS, act: this.flush, onError });
  }

  /** From now on it keeps as many of each as its configuration says. */
  configure(destinations: readonly Pick<DestinationConfig, 'name' | 'keep'>[]): void {
    this.#bounds = new Map(destinations.map(({ name, keep }) => [name, keepBounds(keep)]));
    for (const [name, { unwritten }] of this.#kept) unwritten.bounds = this.#boundsOf(name);
  }

  /** Is told of the attempts of a destination. */
  recorder(destination: string): Recorder {
    const found = this.#kept.get(destination);
    if (found !== undefined) return found.unwritten;
    const unwritten = new Unwritten(this.#boundsOf(destination), this.#holders);
    this.#kept.set(destination, { unwritten, attempts: 0, bytes: 0 });
    return unwritten;
  }

  /** When the oldest chunk of these destinations was written, in ms since 1970. */
  async since(destinations: readonly string[]): Promise<number | undefined> {
    const all = await Promise.all(destinations.map((name) => chunksOf(this.#options.storage.keyValues, name)));
    const oldest = all.flatMap((chunks) => chunks.at(-1) ?? []).map(writtenAt);
    return oldest.length === 0 ? undefined : Math.min(...oldest);
  }

  /** Removes attempts that are too old, and those of destinations that no longer keep any. */
  async sweep(): Promise<void> {
    const { clock } = this.#options;
    const { keyValues } = this.#options.storage;
    for await (const name of keptDestinations(keyValues))
      await trim(keyValues, name, this.#boundsOf(name), clock.now());
    await this.#erasedUsers.sweep();
  }

  /** Removes the attempts at events of these users. No process keeps later attempts at events that were accepted before the deletion. */
  async erase(users: readonly string[], options: EraseOptions): Promise<void> {
    await this.#erasedUsers.mark(users, options.deletion);
    await eraseUsers(this.#options.storage.keyValues, users, options);
  }

  async close(): Promise<void> {
    this.#stop();
    await this.flush();
  }

  #boundsOf(destination: string): KeepBounds {
    return this.#bounds.get(destination) ?? KEEP;
  }

  #hasUnwritten(): boolean {
    return [...this.#kept.values()].some(({ unwritten }) => !unwritten.isEmpty);
  }

  async #writeAll(): Promise<void> {
    const now = this.#nextMoment();
    let [chunks, bytes]: [EncodedChunk[], number] = [[], 0];
    for (const [destination, kept] of this.#kept) {
      if (kept.unwritten.isEmpty) continue;
      const taken = this.#take(destination, kept, now);
      chunks.push(...taken.chunks);
      bytes += taken.bytes;
      if (bytes < WRITE_BYTES) continue;
      await this.#write(chunks);
      [chunks, bytes] = [[], 0];
    }
    await this.#write(chunks);
    await this.#trim(now);
  }

  /** Two writes of one millisecond would have the same places. */
  #nextMoment(): number {
    this.#writtenAt = Math.max(this.#options.clock.now(), this.#writtenAt + 1);
    return this.#writtenAt;
  }

  #take(destination: string, kept: Kept, now: number): { chunks: EncodedChunk[]; bytes: number } {
    const { attempts } = kept.unwritten.bounds;
    const taken = kept.unwritten.take();
    const encoded = attempts === 0 ? [] : taken.slice(-attempts).map(encode);
    const parts = partsOf(encoded);
    const chunks = parts.map((part, index) => ({
      destination,
      place: placeOf(now, this.#process, parts.length - 1 - index),
      attempts: part,
    }));
    const bytes = encoded.reduce((sum, { text }) => sum + text.length, 0);
    kept.attempts += encoded.length;
    kept.bytes += bytes;
    return { chunks, bytes };
  }

  async #write(chunks: readonly EncodedChunk[]): Promise<void> {
    if (chunks.length === 0) return;
    const { storage, onError } = this.#options;
    try {
      storage.assertRoom();
      for (let from = 0; from < chunks.length; from += MOST_CHUNKS)
        await this.#writeUnerased(chunks.slice(from, from + MOST_CHUNKS));
    } catch (error) {
      onError(error);
    }
  }

  /** Leaves out what a deletion has reached. When one comes between the look and the write, it looks again. */
  async #writeUnerased(chunks: readonly EncodedChunk[]): Promise<void> {
    const { keyValues } = this.#options.storage;
    for (let isWritten = false; !isWritten; ) {
      const { epoch, covered } = await this.#erasedUsers.among(chunks.flatMap(({ attempts }) => attempts));
      isWritten = await keyValues.writeIf(
        epoch,
        chunks.flatMap((chunk) => changesOf(chunk, covered)),
      );
    }
  }

  async #trim(now: number): Promise<void> {
    const { keyValues } = this.#options.storage;
    const isTime = now - this.#trimmedAt >= TRIM_MS;
    if (isTime) this.#trimmedAt = now;
    for (const [destination, kept] of this.#kept) {
      const { bounds } = kept.unwritten;
      const isMuch = kept.attempts > bounds.attempts * EARLY_SHARE || kept.bytes > bounds.bytes * EARLY_SHARE;
      if (!kept.unwritten.isHolder || !(isTime || isMuch)) continue;
      await trim(keyValues, destination, bounds, now);
      [kept.attempts, kept.bytes] = [0, 0];
      kept.unwritten.rest();
    }
  }
}

function changesOf({ destination, place, attempts }: EncodedChunk, covered: ReadonlySet<Encoded>): Change[] {
  const left = attempts.filter((attempt) => !covered.has(attempt));
  if (left.length === 0) return [];
  const text = `[${left.map((attempt) => attempt.text).join(',')}]`;
  const again = left.flatMap((attempt) => attempt.again ?? []);
  const events = eventsIn(left.map(({ id }) => id));
  return changesTo({ destination, place, attempts: left.length, bytes: text.length, again }, text, events);
}

function partsOf(encoded: readonly Encoded[]): Encoded[][] {
  const parts: Encoded[][] = [];
  let [part, bytes]: [Encoded[], number] = [[], 0];
  for (const each of encoded) {
    if (part.length === CHUNK_ATTEMPTS || (bytes + each.text.length > CHUNK_BYTES && part.length > 0)) {
      parts.push(part);
      [part, bytes] = [[], 0];
    }
    part.push(each);
    bytes += each.text.length;
  }
  if (part.length > 0) parts.push(part);
  return parts;
}
