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
  target[at] = finished(a, b);
  target[at + 1] = finished(b, c);
  target[at + 2] = finished(c, a);
  return target;
}

function finished(own: number, other: number): number {
  let hash = Math.imul(own ^ (other >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13) ^ other, 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

const SLOT_WORDS = FINGERPRINT_WORDS + 1;
const LEAST_SLOTS = 256;

/** The table doubles when its load exceeds this. */
const MOST_LOAD = 0.6;

/**
 * Maps fingerprints to numbers above 0. It is a hash table in one typed array, so it holds no strings and the garbage collector
 * does not walk it. A fingerprint is given as an array and the offset at which it begins.
 */
export class IdTable {
  #slots = new Uint32Array(LEAST_SLOTS * SLOT_WORDS);
  /** The number of slots minus one. It serves as a bit mask, because the number of slots is a power of two. */
  #mask = LEAST_SLOTS - 1;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns the number of a fingerprint, or 0 if there is none. */
  get(prints: Uint32Array, at: number): number {
    return this.#valueAt(this.#find(prints, at));
  }

  /**
   * Sets the mark of each fingerprint that the table may contain to 1; the table does not contain the others. In a table larger
   * than the processor's caches these reads overlap, because they are independent; single look-ups take twice as long.
   */
  markPossible(prints: Uint32Array, marks: Uint8Array): void {
    const slots = this.#slots;
    const mask = this.#mask;
    for (let index = 0; index < marks.length; index++) {
      const home = (prints[index * FINGERPRINT_WORDS] ?? 0) & mask;
      if (slots[home * SLOT_WORDS + FINGERPRINT_WORDS] !== 0) marks[index] = 1;
    }
  }

  set(prints: Uint32Array, at: number, value: number): void {
    const slot = this.#find(prints, at);
    const isNew = this.#valueAt(slot) === 0;
    this.#write(slot, prints, at, value);
    if (!isNew) return;
    this.#size++;
    if (this.#size > (this.#mask + 1) * MOST_LOAD) this.#grow();
  }

  delete(prints: Uint32Array, at: number): void {
    let hole = this.#find(prints, at);
    if (this.#valueAt(hole) === 0) return;
    this.#size--;
    // An entry that stands behind the hole because its own slot was taken moves up; otherwise it would not be found.
    for (let slot = this.#after(hole); this.#valueAt(slot) !== 0; slot = this.#after(slot)) {
      const from = slot * SLOT_WORDS;
      if (this.#distance(this.#home(this.#slots, from), slot) < this.#distance(hole, slot)) continue;
      this.#slots.copyWithin(hole * SLOT_WORDS, from, from + SLOT_WORDS);
      hole = slot;
    }
    this.#slots[hole * SLOT_WORDS + FINGERPRINT_WORDS] = 0;
  }

  /** Returns the slot that holds a fingerprint, or the free one that it would get. */
  #find(prints: Uint32Array, at: number): number {
    const slots = this.#slots;
    for (let slot = this.#home(prints, at); ; slot = this.#after(slot)) {
      const start = slot * SLOT_WORDS;
      if (slots[start + FINGERPRINT_WORDS] === 0) return slot;
      const isIt =
        slots[start] === prints[at] && slots[start + 1] === prints[at + 1] && slots[start + 2] === prints[at + 2];
      if (isIt) return slot;
    }
  }

  #grow(): void {
    const before = this.#slots;
    this.#mask = this.#mask * 2 + 1;
    this.#slots = new Uint32Array((this.#mask + 1) * SLOT_WORDS);
    for (let start = 0; start < before.length; start += SLOT_WORDS) {
      const value = before[start + FINGERPRINT_WORDS] ?? 0;
      if (value !== 0) this.#write(this.#find(before, start), before, start, value);
    }
  }

  #write(slot: number, prints: Uint32Array, at: number, value: number): void {
    const start = slot * SLOT_WORDS;
    this.#slots[start] = prints[at] ?? 0;
    this.#slots[start + 1] = prints[at + 1] ?? 0;
    this.#slots[start + 2] = prints[at + 2] ?? 0;
    this.#slots[start + FINGERPRINT_WORDS] = value;
  }

  #valueAt(slot: number): number {
    return this.#slots[slot * SLOT_WORDS + FINGERPRINT_WORDS] ?? 0;
  }

  #home(prints: Uint32Array, at: number): number {
    return (prints[at] ?? 0) & this.#mask;
  }

  #after(slot: number): number {
    return (slot + 1) & this.#mask;
  }

  #distance(from: number, to: number): number {
    return (to - from) & this.#mask;
  }
}
