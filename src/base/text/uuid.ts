import { allocate, decode } from '../platform/node.js';

const CHARACTERS = 36;
const HYPHEN = 0x2d;
const VERSION = 0x37;
const VARIANT = 0x8000;
const HEX_DIGITS = Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));

/** How many are written together at the most. */
const MOST = 128;

const RANDOM_BYTES = 6;
const LAST_COUNT = 0x3ff_ffff;
/** The counter of a millisecond begins in its lower half, so that it has room. */
const FIRST_COUNT_MASK = LAST_COUNT >> 1;

const random = allocate((MOST + 1) * RANDOM_BYTES);
const text = allocate(MOST * CHARACTERS);
let randomAt = random.length;
let written = '';
let next = 0;
let ready = 0;
let ms = 0;
let count = 0;

/**
 * A UUID of version 7 (RFC 9562): the millisecond, a counter of 26 bits, and 48 random bits. Each is greater than the one before it of
 * this process, also after the clock was set back. Several of one millisecond are written together and cut from one text: a
 * string put together from pieces would have to be taken apart and copied when it becomes JSON.
 */
export function newUuid(): string {
  const now = Date.now();
  if (now > ms) beginMillisecond(now);
  else if (next === ready) writeMore(Math.min(MOST, ready * 2));
  const start = next++ * CHARACTERS;
  return written.slice(start, start + CHARACTERS);
}

function beginMillisecond(now: number): void {
  ms = now;
  count = takeRandom(4) & FIRST_COUNT_MASK;
  writeMore(1);
}

function writeMore(uuids: number): void {
  for (let index = 0; index < uuids; index++) writeNext(index * CHARACTERS);
  written = decode(text.subarray(0, uuids * CHARACTERS));
  next = 0;
  ready = uuids;
}

/** `mmmmmmmm-mmmm-7ccc-vccc-rrrrrrrrrrrr`, where the variant `v` has two bits of the counter. */
function writeNext(at: number): void {
  if (count === LAST_COUNT) {
    ms++;
    count = 0;
  }
  count++;
  writeHex(at, 8, Math.floor(ms / 0x1_0000));
  text[at + 8] = HYPHEN;
  writeHex(at + 9, 4, ms % 0x1_0000);
  text[at + 13] = HYPHEN;
  text[at + 14] = VERSION;
  writeHex(at + 15, 3, count >>> 14);
  text[at + 18] = HYPHEN;
  writeHex(at + 19, 4, VARIANT | (count & 0x3fff));
  text[at + 23] = HYPHEN;
  writeHex(at + 24, 6, takeRandom(3));
  writeHex(at + 30, 6, takeRandom(3));
}

function writeHex(at: number, digits: number, value: number): void {
  for (let place = at + digits - 1, rest = value; place >= at; place--, rest >>>= 4) {
    text[place] = HEX_DIGITS[rest & 0x0f] ?? 0;
  }
}

function takeRandom(bytes: number): number {
  if (randomAt + bytes > random.length) {
    // Loaded for the first id: it is a sixth of what importing the client would take.
    process.getBuiltinModule('node:crypto').randomFillSync(random);
    randomAt = 0;
  }
  const value = random.readUIntBE(randomAt, bytes);
  randomAt += bytes;
  return value;
}
