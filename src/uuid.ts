import { randomFillSync } from 'node:crypto';

// As many as node:crypto keeps ready for its own randomUUID.
const READY = 128;
const RANDOM_BYTES = 16;
const CHARACTERS = 36;

const random = Buffer.alloc(READY * RANDOM_BYTES);
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
  randomFillSync(random);
  let hex = '';
  for (let start = 0; start < random.length; start += RANDOM_BYTES) {
    // Six bits say that it is random: the version and the variant.
    random[start + 6] = ((random[start + 6] ?? 0) & 0x0f) | 0x40;
    random[start + 8] = ((random[start + 8] ?? 0) & 0x3f) | 0x80;
    const text = random.toString('hex', start, start + RANDOM_BYTES);
    hex += `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`;
  }
  // Through bytes, so that it is one piece.
  written = Buffer.from(hex, 'latin1').toString('latin1');
  next = 0;
}
