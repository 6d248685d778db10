import { getRandomValues } from 'node:crypto';

/** How many 32-bit words a fingerprint has. */
export const FINGERPRINT_WORDS = 3;

/** Another one in each process, so that no sender can make two ids with one fingerprint. */
const SEED = getRandomValues(new Uint32Array(FINGERPRINT_WORDS));

/**
 * The fingerprints of the ids of messages of one source, one behind the other. They have 96 bits: among a million ids, chance makes
 * two alike once in 10^17 times. Kept as text, each id would cost several times the memory, and the garbage collector's time.
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

/** Three hashes side by side, each of every character, two at a time; the three are mixed with each other at the end. */
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
