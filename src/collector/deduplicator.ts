import { FINGERPRINT_WORDS, FingerprintSet, fingerprintsOf } from './fingerprint-set.js';
import type { ReceivedMessage } from './received-message.js';

/**
 * Remembers ids, by their fingerprints, for at least `windowMs` and less than twice that, but never more than `maxIds` of them:
 * when there are more, the older half is forgotten at once. Ids are forgotten in no other way.
 */
export class SeenIds {
  readonly #windowMs: number;
  readonly #maxPerGeneration: number;
  #current = new FingerprintSet();
  #previous = new FingerprintSet();
  /** When the current ids began to be collected. */
  #sinceMs: number;

  constructor({ windowMs, maxIds, nowMs }: { windowMs: number; maxIds: number; nowMs: number }) {
    this.#windowMs = windowMs;
    this.#maxPerGeneration = Math.floor(maxIds / 2);
    this.#sinceMs = nowMs;
  }

  get size(): number {
    return this.#current.size + this.#previous.size;
  }

  has(prints: Uint32Array, at: number, nowMs: number): boolean {
    this.#age(nowMs);
    return this.#current.has(prints, at) || this.#previous.has(prints, at);
  }

  add(prints: Uint32Array, at: number, nowMs: number): void {
    this.#age(nowMs);
    if (this.#current.size >= this.#maxPerGeneration) this.#turn(nowMs);
    this.#current.add(prints, at);
  }

  #age(nowMs: number): void {
    const ageMs = nowMs - this.#sinceMs;
    if (ageMs < this.#windowMs) return;
    const isPast = ageMs >= 2 * this.#windowMs;
    // The window counts from when the turn was due, not from the next call.
    this.#turn(isPast ? nowMs : this.#sinceMs + this.#windowMs);
    if (isPast) this.#previous = new FingerprintSet();
  }

  #turn(sinceMs: number): void {
    this.#previous = this.#current;
    this.#current = new FingerprintSet();
    this.#sinceMs = sinceMs;
  }
}

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

/**
 * Hands each id on once. An id is remembered only after it is stored. While one request is storing it, another request with the
 * same id waits, and succeeds or fails with the first.
 */
export class Deduplicator {
  readonly #seen: SeenIds;
  readonly #now: () => number;
  /** The request that is storing each id of a source. Its promise resolves with whether it succeeded, and never rejects. */
  readonly #storing = new Map<string, Map<string, Promise<boolean>>>();

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
   * @throws what `store` throws, and an error if another request failed to store a message
   */
  async handOn(
    source: string,
    messages: readonly ReceivedMessage[],
    store: (fresh: ReceivedMessage[]) => unknown,
  ): Promise<Deduplicated> {
    let settle: (stored: boolean) => void = () => {};
    const request = new Promise<boolean>((resolve) => (settle = resolve));
    const prints = fingerprintsOf(source, messages);
    const storing = this.#storing.get(source) ?? new Map<string, Promise<boolean>>();
    this.#storing.set(source, storing);
    const { fresh, claims, others } = this.#sort(messages, prints, storing, request);
    let stored = false;
    try {
      if (fresh.length > 0) await store(fresh);
      stored = true;
    } finally {
      const nowMs = this.#now();
      for (const { id, at } of claims) {
        storing.delete(id);
        if (stored) this.#seen.add(prints, at, nowMs);
      }
      if (storing.size === 0) this.#storing.delete(source);
      settle(stored);
    }
    // If a message occurs twice in one batch, this request is among the others; its promise has been resolved by now.
    for (const other of others) {
      if (!(await other)) throw new Error('Another request was storing the same message and failed');
    }
    return { accepted: fresh.length, duplicates: messages.length - fresh.length };
  }

  #sort(
    messages: readonly ReceivedMessage[],
    prints: Uint32Array,
    storing: Map<string, Promise<boolean>>,
    request: Promise<boolean>,
  ) {
    const nowMs = this.#now();
    const fresh: ReceivedMessage[] = [];
    /** The ids of the fresh messages, which `store` may change, and the offsets of their fingerprints. */
    const claims: { readonly id: string; readonly at: number }[] = [];
    const others = new Set<Promise<boolean>>();
    for (const [index, message] of messages.entries()) {
      const at = index * FINGERPRINT_WORDS;
      const other = storing.get(message.messageId);
      if (other !== undefined) others.add(other);
      else if (!this.#seen.has(prints, at, nowMs)) {
        storing.set(message.messageId, request);
        fresh.push(message);
        claims.push({ id: message.messageId, at });
      }
    }
    return { fresh, claims, others };
  }
}
