import { allocate, decode } from '../platform/node.js';

// As many as node:crypto keeps ready for its own randomUUID.
const READY = 128;
const RANDOM_BYTES = 16;
const CHARACTERS = 36;
const HYPHEN = 0x2d;
const HEX_DIGITS = Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));

const random = allocate(READY * RANDOM_BYTES);
const text = allocate(READY * CHARACTERS);
let written = '';
let next = READY;

/**
 * A random UUID (RFC 9562, version 4). The same as `crypto.randomUUID`, whose string is put together from pieces and has
 * to be taken apart and copied when it becomes JSON; these are cut from one text.
 */
export function randomUuid(): string {
  if (next === READY) refill();
  const start = next++ * CHARACTERS;
  return written.slice(start, start + CHARACTERS);
}

function refill(): void {
  // Loaded for the first id: it is a sixth of what importing the client would take.
  process.getBuiltinModule('node:crypto').randomFillSync(random);
  let at = 0;
  for (let index = 0; index < random.length; index++) {
    const place = index % RANDOM_BYTES;
    if (place === 4 || place === 6 || place === 8 || place === 10) text[at++] = HYPHEN;
    const byte = stamp(random[index] ?? 0, place);
    text[at++] = HEX_DIGITS[byte >> 4] ?? 0;
    text[at++] = HEX_DIGITS[byte & 0x0f] ?? 0;
  }
  written = decode(text);
  next = 0;
}

/** Six bits say that the rest is random: the version and the variant. */
function stamp(byte: number, place: number): number {
  if (place === 6) return (byte & 0x0f) | 0x40;
  return place === 8 ? (byte & 0x3f) | 0x80 : byte;
}
