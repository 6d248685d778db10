import { allocate, decode } from '../platform/node.js';

const CHARACTERS = 36;
const HYPHEN = 0x2d;
const VERSION = 0x37;
const VARIANT = 0x80;
const HEX_DIGITS = Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
/** The two digits of each byte. */
const HIGH_DIGITS = Array.from({ length: 256 }, (_, byte) => HEX_DIGITS[byte >>> 4] ?? 0);
const LOW_DIGITS = Array.from({ length: 256 }, (_, byte) => HEX_DIGITS[byte & 0x0f] ?? 0);

/** At most so many are written together. */
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
/** So many places of the text, from the first, begin with the millisecond of now. */
let dated = 0;

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
  dated = 0;
  reserveRandom();
  count = random.readUInt32BE(randomAt) & FIRST_COUNT_MASK;
  randomAt += RANDOM_BYTES;
  writeMore(1);
}

function writeMore(uuids: number): void {
  if (count + uuids > LAST_COUNT) {
    ms++;
    dated = 0;
    count = 0;
  }
  for (; dated < uuids; dated++) writeDate(dated * CHARACTERS);
  for (let index = 0; index < uuids; index++) writeRest(index * CHARACTERS);
  written = decode(text.subarray(0, uuids * CHARACTERS));
  next = 0;
  ready = uuids;
}

// An id is `mmmmmmmm-mmmm-7ccc-vccc-rrrrrrrrrrrr`, where the variant `v` has two bits of the counter.

function writeDate(at: number): void {
  const high = Math.floor(ms / 0x1_0000);
  writeByte(at, high >>> 24);
  writeByte(at + 2, (high >>> 16) & 0xff);
  writeByte(at + 4, (high >>> 8) & 0xff);
  writeByte(at + 6, high & 0xff);
  text[at + 8] = HYPHEN;
  writeByte(at + 9, (ms >>> 8) & 0xff);
  writeByte(at + 11, ms & 0xff);
  text[at + 13] = HYPHEN;
  text[at + 14] = VERSION;
  text[at + 18] = HYPHEN;
  text[at + 23] = HYPHEN;
}

function writeRest(at: number): void {
  count++;
  text[at + 15] = HEX_DIGITS[count >>> 22] ?? 0;
  writeByte(at + 16, (count >>> 14) & 0xff);
  writeByte(at + 19, VARIANT | ((count >>> 8) & 0x3f));
  writeByte(at + 21, count & 0xff);
  reserveRandom();
  for (let place = at + 24; place < at + CHARACTERS; place += 2) writeByte(place, random[randomAt++] ?? 0);
}

function writeByte(at: number, byte: number): void {
  text[at] = HIGH_DIGITS[byte] ?? 0;
  text[at + 1] = LOW_DIGITS[byte] ?? 0;
}

/** Makes sure that the random bytes of one id are there. */
function reserveRandom(): void {
  if (randomAt + RANDOM_BYTES <= random.length) return;
  // The first id loads it, because it is a sixth of what importing the client would take.
  process.getBuiltinModule('node:crypto').randomFillSync(random);
  randomAt = 0;
}
