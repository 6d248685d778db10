import { FINGERPRINT_WORDS, fingerprintsOf, IdTable } from './id-table.js';
import type { ReceivedMessage } from './received-message.js';

interface Generation {
  readonly ids: IdTable;
  readonly sinceMs: number;
}

const SEEN = 1;

/**
 * Remembers ids, by their fingerprints, for at least `windowMs` and less than twice that, but never more than `maxIds` of them:
 * when there are more, the older half is forgotten at once. Ids are forgotten in no other way.
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

  /** Returns for each fingerprint 1 if it may be known, and 0 if it is certainly unknown. */
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
    // The window counts from when the turn was due, not from the next call.
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
  /** The number of messages that this call handed on. */
  readonly accepted: number;
  /** The number of messages whose id was handed on before, or is being handed on by another request. */
  readonly duplicates: number;
}

export interface DeduplicatorOptions {
  /** The shortest time that an id is remembered, in milliseconds. */
  readonly windowMs: number;
  readonly maxIds: number;
  now(): number;
}

const MOST_REQUESTS = 2 ** 32 - 1;

/**
 * Hands each id on once. An id is remembered only after it is stored. While one request is storing it, another request with the
 * same id waits, and succeeds or fails with the first.
 */
export class Deduplicator {
  readonly #seen: SeenIds;
  readonly #now: () => number;
  /** The number of the request that is storing each id. */
  readonly #storing = new IdTable();
  /** The requests that are storing, by number. Each promise resolves with whether they succeeded, and never rejects. */
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
   * @throws what `store` throws; StoredElsewhereError if another request failed to store a message
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
    // If a message occurs twice in one batch, this request is among the others; its promise has been resolved by now.
    for (const other of others) if (!(await other)) throw new StoredElsewhereError();
    return { accepted: fresh.length, duplicates: messages.length - fresh.length };
  }

  /** Numbers are reused after 2^32 requests. */
  #numberOf(request: Promise<boolean>): number {
    do this.#lastRequest = (this.#lastRequest % MOST_REQUESTS) + 1;
    while (this.#requests.has(this.#lastRequest));
    this.#requests.set(this.#lastRequest, request);
    return this.#lastRequest;
  }

  #sort(messages: readonly ReceivedMessage[], prints: Uint32Array, number: number) {
    const nowMs = this.#now();
    const fresh: ReceivedMessage[] = [];
    /** The offsets of the fingerprints of the fresh messages. */
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

/** Another request was storing the same message and failed, so this request did not store it either. */
class StoredElsewhereError extends Error {
  override readonly name = 'StoredElsewhereError';

  constructor() {
    super('Another request was storing the same message and failed');
  }
}
