import { getRandomValues } from 'node:crypto';

/** The number of 32-bit words in a fingerprint. */
export const FINGERPRINT_WORDS = 3;

/** The seed differs in each process, so that no sender can construct two ids with the same fingerprint. */
const SEED = getRandomValues(new Uint32Array(FINGERPRINT_WORDS));

/**
 * The fingerprints of the ids of messages of one source, one after another. Each has 96 bits: among a million ids, the chance
 * that two are equal is 1 in 10^17. As text, each id would cost several times the memory, and time in the garbage collector.
 */
export function fingerprintsOf(source: string, messages: readonly { readonly messageId: string }[]): Uint32Array {
  const prints = new Uint32Array(messages.length * FINGERPRINT_WORDS);
  const seed = writeFingerprint(SEED, source, new Uint32Array(FINGERPRINT_WORDS), 0);
  let at = 0;
  for (const { messageId } of messages) {
    writeFingerprint(seed, messageId, prints, at);
    at += FINGERPRINT_WORDS;
  }
  return prints;
}

/** Computes three hashes side by side over all characters, two at a time, and mixes them with each other at the end. */
function writeFingerprint(
  [x = 0, y = 0, z = 0]: Uint32Array,
  text: string,
  target: Uint32Array,
  at: number,
): Uint32Array {
  const { length } = text;
  let a = x ^ length;
  let b = y ^ length;
  let c = z ^ length;
  for (let index = 0; index < length; index += 2) {
    const next = index + 1 < length ? text.charCodeAt(index + 1) << 16 : 0;
    const pair = text.charCodeAt(index) | next;
    a = Math.imul(a ^ pair, 0x9e3779b1);
    a ^= a >>> 15;
    b = Math.imul(b ^ pair, 0x85ebca77);
    b ^= b >>> 13;
    c = Math.imul(c ^ pair, 0xc2b2ae3d);
    c ^= c >>> 16;
  }
  // The first word of a fingerprint is not 0, because a set marks a free slot with 0.
  target[at] = finished(a, b) || 1;
  target[at + 1] = finished(b, c);
  target[at + 2] = finished(c, a);
  return target;
}

function finished(own: number, other: number): number {
  let hash = Math.imul(own ^ (other >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13) ^ other, 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

const LEAST_SLOTS = 256;

/** The set doubles its memory when its load exceeds this. */
const MOST_LOAD = 0.6;

/**
 * A set of fingerprints. It is a hash table in one typed array, so it holds no strings and the garbage collector does not walk it.
 * A fingerprint is given as an array and the offset at which it begins.
 */
export class FingerprintSet {
  /** A slot is free if its first word is 0. */
  #slots = new Uint32Array(LEAST_SLOTS * FINGERPRINT_WORDS);
  /** The number of slots minus one. It serves as a bit mask, because the number of slots is a power of two. */
  #mask = LEAST_SLOTS - 1;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(prints: Uint32Array, at: number): boolean {
    return this.#slots[this.#find(prints, at)] !== 0;
  }

  add(prints: Uint32Array, at: number): void {
    if (!this.#put(prints, at)) return;
    this.#size++;
    if (this.#size > (this.#mask + 1) * MOST_LOAD) this.#grow();
  }

  /** Returns the start of the slot that holds a fingerprint, or of the free slot that it would get. */
  #find(prints: Uint32Array, at: number): number {
    const slots = this.#slots;
    const first = prints[at] ?? 0;
    for (let slot = first & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const start = slot * FINGERPRINT_WORDS;
      const found = slots[start];
      if (found === 0) return start;
      if (found === first && slots[start + 1] === prints[at + 1] && slots[start + 2] === prints[at + 2]) return start;
    }
  }

  /** Writes a fingerprint unless the set has it, and returns whether it did. */
  #put(prints: Uint32Array, at: number): boolean {
    const start = this.#find(prints, at);
    if (this.#slots[start] !== 0) return false;
    for (let word = 0; word < FINGERPRINT_WORDS; word++) this.#slots[start + word] = prints[at + word] ?? 0;
    return true;
  }

  #grow(): void {
    const before = this.#slots;
    this.#mask = this.#mask * 2 + 1;
    this.#slots = new Uint32Array(before.length * 2);
    for (let at = 0; at < before.length; at += FINGERPRINT_WORDS) if (before[at] !== 0) this.#put(before, at);
  }
}
