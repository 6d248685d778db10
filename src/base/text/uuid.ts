import { allocate } from '../platform/node.js';

const CHARACTERS = 36;
const HEX_DIGITS = Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
/** The two digits of each byte. */
const HIGH_DIGITS = Array.from({ length: 256 }, (_, byte) => HEX_DIGITS[byte >>> 4] ?? 0);
const LOW_DIGITS = Array.from({ length: 256 }, (_, byte) => HEX_DIGITS[byte & 0x0f] ?? 0);

/** Each stands in the highest bits of a word, whose other bits are of the counter. */
const VERSION = 0x7000;
const VARIANT = 0x8000;
const COUNT_BITS_OF_VARIANT = 14;

/** So many are written at first: a message that is sent at once takes one for itself and one for its batch. */
const FEWEST = 2;
/** At most so many are written together. */
const MOST = 128;

const RANDOM_BYTES = 6;
const LAST_COUNT = 0x3ff_ffff;
/** The counter of a millisecond begins in its lower half, so that it has room. */
const FIRST_COUNT_MASK = LAST_COUNT >> 1;

const random = allocate((MOST + 1) * RANDOM_BYTES);
/** The hyphens stand here from the start, and stay. */
const text = allocate(MOST * CHARACTERS).fill('00000000-0000-7000-8000-000000000000');
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
  reserveRandom(1);
  count = random.readUInt32BE(randomAt) & FIRST_COUNT_MASK;
  randomAt += RANDOM_BYTES;
  writeMore(FEWEST);
}

function writeMore(uuids: number): void {
  if (count + uuids > LAST_COUNT) {
    ms++;
    dated = 0;
    count = 0;
  }
  for (; dated < uuids; dated++) writeDate(dated * CHARACTERS);
  reserveRandom(uuids);
  for (let index = 0; index < uuids; index++) writeRest(index * CHARACTERS);
  written = text.toString('latin1', 0, uuids * CHARACTERS);
  next = 0;
  ready = uuids;
}

// An id is `mmmmmmmm-mmmm-7ccc-vccc-rrrrrrrrrrrr`, where the variant `v` has two bits of the counter.

function writeDate(at: number): void {
  const high = Math.floor(ms / 0x1_0000);
  writeWord(at, high >>> 16);
  writeWord(at + 4, high & 0xffff);
  writeWord(at + 9, ms & 0xffff);
}

function writeRest(at: number): void {
  count++;
  writeWord(at + 14, VERSION | (count >>> COUNT_BITS_OF_VARIANT));
  writeWord(at + 19, VARIANT | (count & ((1 << COUNT_BITS_OF_VARIANT) - 1)));
  for (let place = at + 24; place < at + CHARACTERS; place += 4) {
    writeWord(place, ((random[randomAt++] ?? 0) << 8) | (random[randomAt++] ?? 0));
  }
}

/** Writes sixteen bits as four digits. */
function writeWord(at: number, word: number): void {
  const high = word >>> 8;
  const low = word & 0xff;
  text[at] = HIGH_DIGITS[high] ?? 0;
  text[at + 1] = LOW_DIGITS[high] ?? 0;
  text[at + 2] = HIGH_DIGITS[low] ?? 0;
  text[at + 3] = LOW_DIGITS[low] ?? 0;
}

/** Makes sure that the random bytes of so many ids are there. */
function reserveRandom(uuids: number): void {
  if (randomAt + uuids * RANDOM_BYTES <= random.length) return;
  // The first id loads it, because it is a sixth of what importing the client would take.
  process.getBuiltinModule('node:crypto').randomFillSync(random);
  randomAt = 0;
}
