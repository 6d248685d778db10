import { singleFlight } from '../../base/structures/turns.js';
import type { Clock } from '../../base/time/clock.js';
import type { Change } from '../../store/key-value-store.js';
import type { Storage } from '../../store/storage.js';
import { Allowance } from './allowance.js';
import { changesTo, newestKept, placeOf, weigh } from './chunks.js';
import { type EraseOptions, eraseUsers } from './erase-users.js';
import type { ErasedUsers } from './erased-users.js';
import { type Encoded, encode } from './kept-attempt.js';
import { type HistoryBounds, makeRoom } from './make-room.js';
import { UnwrittenAttempts } from './unwritten.js';

export interface KeptAttemptsOptions {
  /** Attempts for which the storage has no room to spare are not kept. */
  readonly storage: Pick<Storage, 'keyValues' | 'spareBytes' | 'historyBytes'>;
  readonly clock: Clock;
  readonly deletedUsers: ErasedUsers;
  /** Tells processes apart in the places of chunks. */
  readonly process: string;
  onError(error: unknown): void;
}

export const MAX_AGE_MS = 7 * 24 * 60 * 60_000;

/** The maximum size of a chunk. A search reads whole chunks, and a cleanup removes whole chunks. */
const CHUNK_ATTEMPTS = 50;
const CHUNK_BYTES = 128_000;

/** About how many bytes are in one write. */
const WRITE_BYTES = 1_000_000;

/** The maximum number of chunks in one write, which may have 1,000 changes. A chunk needs three, and one for each attempt. */
const MOST_CHUNKS = Math.floor(1_000 / (CHUNK_ATTEMPTS + 3));

/** Each time a process has written this share of the bytes, or of the room to spare, it removes what is beyond the limits. */
const LOOK_SHARE = 1 / 50;

/** A chunk of attempts of one kind, ready to be written. */
interface EncodedChunk {
  readonly destination: string;
  readonly place: string;
  readonly attempts: readonly Encoded[];
}

/**
 * Keeps the newest failures and the newest successes of each destination, up to its share of the limits. Failures take precedence
 * over successes, and each destination may use the same amount.
 */
export class KeptAttempts {
  /** Holds each attempt until it is written. */
  readonly unwritten = new UnwrittenAttempts();
  readonly #options: KeptAttemptsOptions;
  #bounds: HistoryBounds;
  readonly #allowance = new Allowance();
  /** Removes attempts that are too old or beyond the size limit. */
  readonly sweep: () => Promise<void>;
  #making: Promise<void> = Promise.resolve();
  /**
   * How many bytes were written since the last cleanup. Infinity makes a cleanup due at the next write, because earlier writes are
   * unknown or the limits are new.
   */
  #grownBytes = Number.POSITIVE_INFINITY;
  /** Undefined before the first write. */
  #writtenAt: number | undefined;

  constructor(options: KeptAttemptsOptions) {
    const { clock, onError, storage } = options;
    this.#options = options;
    this.#bounds = { bytes: storage.historyBytes, ageMs: MAX_AGE_MS };
    const keeps = (destination: string): boolean => this.unwritten.wantsExchange(destination);
    this.sweep = singleFlight(() =>
      makeRoom(storage.keyValues, {
        bounds: this.#bounds,
        spareBytes: storage.spareBytes(),
        now: clock.now(),
        keeps,
      }).catch(onError),
    );
  }

  /**
   * Applies limits from now on.
   *
   * @param unkept the destinations whose attempts are not kept
   */
  configure(
    { maxBytes, maxAge }: { readonly maxBytes?: number | undefined; readonly maxAge: number },
    unkept: ReadonlySet<string>,
  ): void {
    this.#bounds = { bytes: maxBytes ?? this.#options.storage.historyBytes, ageMs: maxAge };
    this.#grownBytes = Number.POSITIVE_INFINITY;
    this.unwritten.configure(this.#bounds.bytes > 0 ? unkept : undefined);
  }

  /** Removes the attempts for earlier events of these users. Afterwards no process keeps attempts for such events. */
  async erase(users: readonly string[], options: EraseOptions): Promise<void> {
    await this.#options.deletedUsers.mark(users, options.deletion, options.sources);
    await eraseUsers(this.#options.storage.keyValues, users, options);
  }

  /** Writes the attempts so far. Those that the store does not accept, or has no room for, are not kept. */
  async write(): Promise<void> {
    // If the clock was set back since the last process wrote, later attempts must still have later places.
    if (!this.unwritten.isEmpty) this.#writtenAt ??= await newestKept(this.#options.storage.keyValues);
    let [chunks, bytes]: [EncodedChunk[], number] = [[], 0];
    for (const chunk of this.#chunks()) {
      chunks.push(chunk);
      bytes += chunk.attempts.reduce((sum, { text }) => sum + text.length, 0);
      if (chunks.length < MOST_CHUNKS && bytes < WRITE_BYTES) continue;
      await this.#write(chunks);
      [chunks, bytes] = [[], 0];
    }
    if (chunks.length > 0) await this.#write(chunks);
    const room = Math.min(this.#bounds.bytes, this.#options.storage.spareBytes());
    if (this.#grownBytes <= room * LOOK_SHARE) return;
    this.#grownBytes = 0;
    // This is not awaited, so that callers who wait for the write do not wait for the cleanup too.
    this.#making = this.sweep();
  }

  /** Takes what is unwritten, and encodes one part after the other. */
  *#chunks(): Generator<EncodedChunk, void, undefined> {
    const taken = this.unwritten.takeAll();
    if (taken.length === 0) return;
    // Two writes in the same millisecond would have the same places.
    const now = Math.max(this.#options.clock.now(), (this.#writtenAt ?? 0) + 1);
    this.#writtenAt = now;
    const succeeded = taken.map(([, unwritten]) => unwritten.succeeded);
    const level = this.#allowance.levelOf(succeeded, this.#bounds.bytes, now);
    let number = 0;
    for (const [destination, unwritten] of taken) {
      for (const { kind, attempts } of unwritten.attempts(level)) {
        for (const part of partsOf(attempts.map(encode)))
          yield { destination, place: placeOf(kind, now, this.#options.process, number++), attempts: part };
      }
    }
  }

  /** Resolves when no cleanup is running. */
  async close(): Promise<void> {
    await this.#making;
  }

  /** Writes chunks without the attempts that a deletion covers. If a deletion comes in between, it checks again. */
  async #write(chunks: readonly EncodedChunk[]): Promise<void> {
    const { storage, deletedUsers, onError } = this.#options;
    try {
      for (let isWritten = false; !isWritten; ) {
        const { epoch, covered } = await deletedUsers.among(chunks.flatMap(({ attempts }) => attempts));
        const changes = chunks.flatMap((chunk) => changesOf(chunk, covered));
        if (weigh(changes) > storage.spareBytes()) return;
        isWritten = await storage.keyValues.writeIf(epoch, changes);
        if (isWritten) this.#grownBytes += weigh(changes);
      }
    } catch (error) {
      onError(error);
    }
  }
}

function changesOf({ destination, place, attempts }: EncodedChunk, covered: ReadonlySet<Encoded>): Change[] {
  const left = attempts.filter((attempt) => !covered.has(attempt));
  if (left.length === 0) return [];
  const chunk = {
    ...{ destination, place, attempts: left.length },
    attemptedFrom: Math.min(...left.map(({ at }) => at)),
    acceptedFrom: Math.min(...left.map(({ acceptedAt }) => acceptedAt)),
    again: left.flatMap((attempt) => attempt.again ?? []),
  };
  return changesTo(chunk, {
    text: `[${left.map(({ text }) => text).join(',')}]`,
    ids: left.map(({ id }) => id),
    names: left.flatMap((attempt) => attempt.names()),
  });
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
