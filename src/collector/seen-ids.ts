import { FINGERPRINT_WORDS } from './fingerprint.js';
import { IdTable } from './id-table.js';

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
