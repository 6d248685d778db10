import { allocate } from '../platform/node.js';

const CHARACTERS = 36;
const HEX_DIGITS = Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
/** The high hexadecimal digit of each byte. */
const HIGH_DIGITS = Array.from({ length: 256 }, (_, byte) => HEX_DIGITS[byte >>> 4] ?? 0);
const LOW_DIGITS = Array.from({ length: 256 }, (_, byte) => HEX_DIGITS[byte & 0x0f] ?? 0);

/** The version and the variant take the highest bits of a word; its other bits belong to the counter. */
const VERSION = 0x7000;
const VARIANT = 0x8000;
const COUNT_BITS_OF_VARIANT = 14;

/** The number of ids that are written first: a message that is sent at once needs one for itself and one for its batch. */
const FEWEST = 2;
/** The number of ids that fit in the buffer, and so the most that are written together. */
const PLACES = 128;

const RANDOM_BYTES = 6;
const LAST_COUNT = 0x3ff_ffff;
/** The counter of a millisecond starts in the lower half of its range, so that it can count up. */
const FIRST_COUNT_MASK = LAST_COUNT >> 1;

/** For each place, six random bytes for the digits of its id and six for a counter that may start there. */
const random = allocate(2 * PLACES * RANDOM_BYTES);
/** The hyphens are written once and never overwritten. */
const text = allocate(PLACES * CHARACTERS).fill('00000000-0000-7000-8000-000000000000');
/** The place of the next id. */
let place = PLACES;
let written = '';
let next = 0;
let ready = 0;
let ms = 0;
/** The upper bits of the milliseconds, with which every id begins. They change about once a minute. */
let minute = 0;
let count = 0;

/**
 * Returns a UUID of version 7 (RFC 9562): the millisecond, a counter of 26 bits, and 48 random bits. Each is greater than the
 * previous one of this process, even if the clock was set back. Several ids of one millisecond are written into one text and cut
 * from it, because V8 would have to flatten a string that was concatenated from pieces before it becomes JSON.
 */
export function newUuid(): string {
  const now = Date.now();
  if (now > ms || next === ready) writeMore(now);
  const start = next++ * CHARACTERS;
  return written.slice(start, start + CHARACTERS);
}

function writeMore(now: number): void {
  if (place === PLACES) renewPlaces();
  const uuids = Math.min(now > ms ? FEWEST : ready * 2, PLACES - place);
  if (now > ms) {
    ms = now;
    count = random.readUInt32BE((PLACES + place) * RANDOM_BYTES) & FIRST_COUNT_MASK;
  } else if (count + uuids > LAST_COUNT) {
    ms++;
    count = 0;
  }
  if (minute !== Math.floor(ms / 0x1_0000)) writeMinute();
  const from = place * CHARACTERS;
  for (let id = 0; id < uuids; id++) writeId(place++ * CHARACTERS);
  written = text.toString('latin1', from, place * CHARACTERS);
  next = 0;
  ready = uuids;
}

// An id is `mmmmmmmm-mmmm-7ccc-vccc-rrrrrrrrrrrr`, where the variant `v` has two bits of the counter. The first digits and the
// random ones are already in the buffer.

function writeId(at: number): void {
  count++;
  writeWord(at + 9, ms & 0xffff);
  writeWord(at + 14, VERSION | (count >>> COUNT_BITS_OF_VARIANT));
  writeWord(at + 19, VARIANT | (count & ((1 << COUNT_BITS_OF_VARIANT) - 1)));
}

function writeMinute(): void {
  minute = Math.floor(ms / 0x1_0000);
  for (let at = 0; at < text.length; at += CHARACTERS) {
    writeWord(at, minute >>> 16);
    writeWord(at + 4, minute & 0xffff);
  }
}

/** Gives every place new random digits. */
function renewPlaces(): void {
  // The module is loaded with the first id, because loading it takes a sixth of the time of importing the client.
  process.getBuiltinModule('node:crypto').randomFillSync(random);
  let randomAt = 0;
  for (let at = 0; at < text.length; at += CHARACTERS) {
    for (let digits = at + 24; digits < at + CHARACTERS; digits += 4) {
      writeWord(digits, ((random[randomAt++] ?? 0) << 8) | (random[randomAt++] ?? 0));
    }
  }
  place = 0;
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
