import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/time/clock.js';
import { startInterval } from '../../base/time/interval.js';
import type { Change } from '../../store/key-value-store.js';
import type { Storage } from '../../store/storage.js';
import type { ServiceConfig } from '../config/service-config.js';
import { nextFlight, singleFlight } from '../turns.js';
import { Allowance } from './allowance.js';
import { eventsIn } from './chunk-index.js';
import { changesTo, type Kind, placeOf, weigh } from './chunks.js';
import { type EraseOptions, eraseUsers } from './erase-users.js';
import type { ErasedUsers } from './erased-users.js';
import { gapNow, lastGap } from './gaps.js';
import { type HistoryBounds, MAX_AGE_MS } from './history-bounds.js';
import { makeRoom } from './make-room.js';
import { type Encoded, encode } from './recent-attempt.js';
import { type Taken, UnwrittenAttempts } from './unwritten.js';

export interface RecentAttemptsOptions {
  /** Attempts are not kept while the storage has no room. */
  readonly storage: Pick<Storage, 'keyValues' | 'assertRoom' | 'historyBytes'>;
  readonly clock: Clock;
  readonly deletedUsers: ErasedUsers;
  onError(error: unknown): void;
}

/** The interval in ms at which attempts are written. A process that is killed loses up to this much. */
const WRITE_MS = 1_000;

/** The maximum size of a chunk. A search reads whole chunks, and a cleanup removes whole chunks. */
const CHUNK_ATTEMPTS = 50;
const CHUNK_BYTES = 128_000;

/** The maximum number of bytes in one write. */
const WRITE_BYTES = 1_000_000;

/** The maximum number of chunks in one write, which may have 1,000 changes. A chunk needs five, and one for each attempt. */
const MOST_CHUNKS = Math.floor(1_000 / (CHUNK_ATTEMPTS + 5));

/** Each time a process has written this share of the bytes, it removes what is beyond the limits. */
const LOOK_SHARE = 1 / 50;

/** A chunk of attempts of one kind, ready to be written. */
interface EncodedChunk {
  readonly destination: string;
  readonly kind: Kind;
  readonly place: string;
  readonly attempts: readonly Encoded[];
  /** When these attempts were taken, if others were left out; undefined otherwise. That may be after the write has begun. */
  readonly gapAt: number | undefined;
}

/** Since when all attempts at some destinations are kept, in ms since 1970. */
export interface WholeFrom {
  readonly all: number;
  readonly failures: number;
}

/**
 * Keeps the attempts at all destinations within the limits. Failures take precedence over successes, and each destination may use
 * the same amount. New attempts are written once a second, so that all processes see them and they survive this process.
 */
export class RecentAttempts {
  /** Holds each attempt until it is written. */
  readonly unwritten = new UnwrittenAttempts();
  readonly #options: RecentAttemptsOptions;
  readonly #process = randomBytes(4).toString('hex');
  #bounds: HistoryBounds;
  readonly #allowance = new Allowance();
  readonly #stop: () => void;
  readonly #makeRoom: () => Promise<void>;
  #making: Promise<void> = Promise.resolve();
  /** How many bytes were written since the last cleanup. The first cleanup is due at once, because earlier writes are unknown. */
  #grownBytes = Number.POSITIVE_INFINITY;
  #writtenAt = 0;
  /** Resolves when everything recorded so far is written, or the write has failed. */
  readonly flush: () => Promise<void>;

  constructor(options: RecentAttemptsOptions) {
    const { clock, onError, storage } = options;
    this.#options = options;
    this.#bounds = { bytes: storage.historyBytes, ageMs: MAX_AGE_MS };
    const keeps = (destination: string): boolean => this.unwritten.keeps(destination);
    this.#makeRoom = singleFlight(() =>
      makeRoom(storage.keyValues, { bounds: this.#bounds, now: clock.now(), keeps }).catch(onError),
    );
    this.flush = nextFlight(() => this.#writeAll().catch(onError));
    this.#stop = startInterval({ clock, everyMs: WRITE_MS, act: this.flush, onError });
  }

  /** Applies the limits of a configuration from now on. */
  configure({ history, destinations }: Pick<ServiceConfig, 'history' | 'destinations'>): void {
    this.#bounds = { bytes: history.maxBytes ?? this.#options.storage.historyBytes, ageMs: history.maxAge };
    const unkept = destinations.filter(({ keepAttempts }) => keepAttempts === false).map(({ name }) => name);
    this.unwritten.configure(this.#bounds.bytes > 0 ? new Set(unkept) : undefined);
  }

  /** Returns since when all attempts at these destinations are kept; undefined if none of them keeps any. */
  async wholeFrom(destinations: readonly string[]): Promise<WholeFrom | undefined> {
    const { storage, clock } = this.#options;
    const keeping = destinations.filter((name) => this.unwritten.keeps(name));
    if (keeping.length === 0) return undefined;
    const oldest = clock.now() - this.#bounds.ageMs;
    const failures = Math.max(oldest, await lastGap(storage.keyValues, keeping, ['failures']));
    return { all: Math.max(failures, await lastGap(storage.keyValues, keeping, ['successes'])), failures };
  }

  /** Removes attempts that are too old or beyond the size limit. */
  async sweep(): Promise<void> {
    await this.#makeRoom();
    await this.#options.deletedUsers.sweep();
  }

  /** Removes the attempts for earlier events of these users. Afterwards no process keeps attempts for such events. */
  async erase(users: readonly string[], options: EraseOptions): Promise<void> {
    await this.#options.deletedUsers.mark(users, options.deletion, options.sources);
    await eraseUsers(this.#options.storage.keyValues, users, options);
  }

  async close(): Promise<void> {
    this.#stop();
    await this.flush();
    await this.#making;
  }

  async #writeAll(): Promise<void> {
    const now = this.#nextMoment();
    const holding = this.unwritten.byDestination();
    const succeeded = holding.map(([, unwritten]) => unwritten.succeeded);
    const level = this.#allowance.levelOf(succeeded, this.#bounds.bytes, now);
    let [chunks, bytes]: [EncodedChunk[], number] = [[], 0];
    for (const [destination, unwritten] of holding) {
      const taken = unwritten.take(level).flatMap((each) => this.#encode(destination, each, now));
      chunks.push(...taken);
      for (const { attempts } of taken) bytes += attempts.reduce((sum, { text }) => sum + text.length, 0);
      if (bytes < WRITE_BYTES) continue;
      await this.#write(chunks);
      [chunks, bytes] = [[], 0];
    }
    await this.#write(chunks);
    if (this.#grownBytes <= this.#bounds.bytes * LOOK_SHARE) return;
    this.#grownBytes = 0;
    // This is not awaited, so that callers who wait for the write do not wait for the cleanup too.
    this.#making = this.#makeRoom();
  }

  /** Returns a time that was not used before, because two writes in the same millisecond would have the same places. */
  #nextMoment(): number {
    this.#writtenAt = Math.max(this.#options.clock.now(), this.#writtenAt + 1);
    return this.#writtenAt;
  }

  #encode(destination: string, { kind, attempts, hasGap }: Taken, now: number): EncodedChunk[] {
    const parts = partsOf(attempts.map(encode));
    const gapAt = hasGap ? Math.max(now, this.#options.clock.now()) : undefined;
    if (parts.length === 0 && hasGap) parts.push([]);
    return parts.map((part, index) => {
      const place = placeOf(kind, now, this.#process, parts.length - 1 - index);
      return { destination, kind, place, attempts: part, gapAt: index === 0 ? gapAt : undefined };
    });
  }

  async #write(chunks: readonly EncodedChunk[]): Promise<void> {
    for (let from = 0; from < chunks.length; from += MOST_CHUNKS) {
      const some = chunks.slice(from, from + MOST_CHUNKS);
      try {
        this.#options.storage.assertRoom();
        await this.#writeUnerased(some);
      } catch (error) {
        for (const { destination, kind } of some) this.unwritten.miss(destination, kind);
        this.#options.onError(error);
      }
    }
  }

  /** Writes chunks without the attempts that a deletion covers. If a deletion comes in between, it checks again. */
  async #writeUnerased(chunks: readonly EncodedChunk[]): Promise<void> {
    const { keyValues } = this.#options.storage;
    for (;;) {
      const { epoch, covered } = await this.#options.deletedUsers.among(chunks.flatMap(({ attempts }) => attempts));
      const changes = chunks.flatMap((chunk) => [
        ...changesOf(chunk, covered),
        ...(chunk.gapAt === undefined ? [] : [gapNow(chunk.destination, chunk.kind, chunk.gapAt)]),
      ]);
      if (!(await keyValues.writeIf(epoch, changes))) continue;
      this.#grownBytes += weigh(changes);
      return;
    }
  }
}

function changesOf({ destination, place, attempts }: EncodedChunk, covered: ReadonlySet<Encoded>): Change[] {
  const left = attempts.filter((attempt) => !covered.has(attempt));
  if (left.length === 0) return [];
  const text = `[${left.map((attempt) => attempt.text).join(',')}]`;
  const again = left.flatMap((attempt) => attempt.again ?? []);
  const attemptedFrom = Math.min(...left.map(({ at }) => at));
  const acceptedFrom = Math.min(...left.map(({ acceptedAt }) => acceptedAt));
  const chunk = { destination, place, attempts: left.length, attemptedFrom, acceptedFrom, again };
  const names = left.flatMap((attempt) => attempt.names());
  return changesTo(chunk, text, { events: eventsIn(left.map(({ id }) => id)), names });
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
