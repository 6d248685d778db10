import { FINGERPRINT_WORDS, fingerprintsOf, IdTable } from './id-table.js';
import type { ReceivedMessage } from './received-message.js';

interface Generation {
  readonly ids: IdTable;
  readonly sinceMs: number;
}

const SEEN = 1;

/**
 * Remembers ids, by their fingerprints, for at least `windowMs` (and less than twice that), but never more than `maxIds` of them:
 * when those are too many, the older half is forgotten at once. An id is forgotten in no other way.
 */
export class SeenIds {
  readonly #windowMs: number;
  readonly #maxPerGeneration: number;
  #current: Generation;
  #previous: Generation;

  constructor({ windowMs, maxIds, nowMs }: { windowMs: number; maxIds: number; nowMs: number }) {
    this.#windowMs = windowMs;
    this.#maxPerGeneration = Math.floor(maxIds / 2);
    this.#current = generation(nowMs);
    this.#previous = generation(nowMs);
  }

  get size(): number {
    return this.#current.ids.size + this.#previous.ids.size;
  }

  /** For each fingerprint of a list 1 when it may be known, and 0 when it is not. */
  possible(prints: Uint32Array, nowMs: number): Uint8Array {
    this.#age(nowMs);
    const marks = new Uint8Array(prints.length / FINGERPRINT_WORDS);
    this.#current.ids.markPossible(prints, marks);
    if (this.#previous.ids.size > 0) this.#previous.ids.markPossible(prints, marks);
    return marks;
  }

  has(prints: Uint32Array, at: number, nowMs: number): boolean {
    this.#age(nowMs);
    const { ids } = this.#previous;
    return this.#current.ids.get(prints, at) === SEEN || (ids.size > 0 && ids.get(prints, at) === SEEN);
  }

  add(prints: Uint32Array, at: number, nowMs: number): void {
    this.#age(nowMs);
    if (this.#current.ids.size >= this.#maxPerGeneration) this.#turn(nowMs);
    this.#current.ids.set(prints, at, SEEN);
  }

  #age(nowMs: number): void {
    const { sinceMs } = this.#current;
    const ageMs = nowMs - sinceMs;
    if (ageMs < this.#windowMs) return;
    const isPast = ageMs >= 2 * this.#windowMs;
    // Counted from when the turn was due, not from when the next call came.
    this.#turn(isPast ? nowMs : sinceMs + this.#windowMs);
    if (isPast) this.#previous = generation(nowMs);
  }

  #turn(sinceMs: number): void {
    this.#previous = this.#current;
    this.#current = generation(sinceMs);
  }
}

const generation = (sinceMs: number): Generation => ({ ids: new IdTable(), sinceMs });

export interface Deduplicated {
  /** Messages that were handed on now. */
  readonly accepted: number;
  /** Messages whose id was handed on before, or is by another request right now. */
  readonly duplicates: number;
}

export interface DeduplicatorOptions {
  /** An id is remembered for at least so many ms. */
  readonly windowMs: number;
  readonly maxIds: number;
  now(): number;
}

const MOST_REQUESTS = 2 ** 32 - 1;

/**
 * Hands each id on once. An id is remembered when it is stored and not before: while it is being stored by one request,
 * another that brings the same id waits, and shares its end.
 */
export class Deduplicator {
  readonly #seen: SeenIds;
  readonly #now: () => number;
  /** The request that is storing each id. */
  readonly #storing = new IdTable();
  /** By their number, the requests that are storing; the promise says whether they did. It never rejects. */
  readonly #requests = new Map<number, Promise<boolean>>();
  #lastRequest = 0;

  constructor({ windowMs, maxIds, now }: DeduplicatorOptions) {
    this.#seen = new SeenIds({ windowMs, maxIds, nowMs: now() });
    this.#now = now;
  }

  get remembered(): number {
    return this.#seen.size;
  }

  /**
   * Resolves when everything in `messages` is stored, by this request or by another.
   *
   * @throws what `store` throws; StoredElsewhereError when it was another request's store that failed.
   */
  async handOn(
    source: string,
    messages: readonly ReceivedMessage[],
    store: (fresh: ReceivedMessage[]) => unknown,
  ): Promise<Deduplicated> {
    let settle: (stored: boolean) => void = () => {};
    const number = this.#numberOf(new Promise((resolve) => (settle = resolve)));
    const prints = fingerprintsOf(source, messages);
    const { fresh, places, others } = this.#sort(messages, prints, number);
    let stored = false;
    try {
      if (fresh.length > 0) await store(fresh);
      stored = true;
    } finally {
      this.#finish(prints, places, stored);
      this.#requests.delete(number);
      settle(stored);
    }
    // This request is among them when a message is twice in one batch; it has ended by now.
    for (const other of others) if (!(await other)) throw new StoredElsewhereError();
    return { accepted: fresh.length, duplicates: messages.length - fresh.length };
  }

  /** Numbers come again after 2^32 requests. */
  #numberOf(request: Promise<boolean>): number {
    do this.#lastRequest = (this.#lastRequest % MOST_REQUESTS) + 1;
    while (this.#requests.has(this.#lastRequest));
    this.#requests.set(this.#lastRequest, request);
    return this.#lastRequest;
  }

  #sort(messages: readonly ReceivedMessage[], prints: Uint32Array, number: number) {
    const nowMs = this.#now();
    const fresh: ReceivedMessage[] = [];
    /** The offsets of the fingerprints of the fresh ones. */
    const places: number[] = [];
    const others = new Set<Promise<boolean> | undefined>();
    const possible = this.#seen.possible(prints, nowMs);
    for (const [index, message] of messages.entries()) {
      const at = index * FINGERPRINT_WORDS;
      const storing = this.#storing.get(prints, at);
      if (storing !== 0) others.add(this.#requests.get(storing));
      else if (possible[index] === 0 || !this.#seen.has(prints, at, nowMs)) {
        this.#storing.set(prints, at, number);
        fresh.push(message);
        places.push(at);
      }
    }
    return { fresh, places, others };
  }

  #finish(prints: Uint32Array, places: readonly number[], stored: boolean): void {
    const nowMs = this.#now();
    for (const at of places) {
      this.#storing.delete(prints, at);
      if (stored) this.#seen.add(prints, at, nowMs);
    }
  }
}

/** The request that was storing the same message failed to, so this one is not stored either. */
class StoredElsewhereError extends Error {
  override readonly name = 'StoredElsewhereError';

  constructor() {
    super('Another request was storing the same message and failed');
  }
}
