import type { HonoRequest } from 'hono';
import { refusals } from './refusals.js';

/** All valid names and ids are shorter than this, and a key in the store has no room for a longer one. */
export const MOST_ID_BYTES = 1_024;

/** @throws ApiRefusal when a part of the path is too long to match anything, or is wrongly encoded */
export function checkTarget(request: HonoRequest): void {
  const { pathname } = new URL(request.url);
  for (const part of pathname.split('/')) checkPart(part);
}

function checkPart(part: string): void {
  const bytes = bytesOf(part);
  if (bytes === undefined) throw refusals.invalidPath('percent-encoded UTF-8 after each `%`', 'something else');
  if (bytes > MOST_ID_BYTES) throw refusals.invalidPath(`parts of at most ${MOST_ID_BYTES} bytes`, `one of ${bytes}`);
}

/** Returns the number of bytes in a decoded part of a URL; undefined if it cannot be decoded. */
export function bytesOf(part: string): number | undefined {
  try {
    return Buffer.byteLength(decodeURIComponent(part));
  } catch {
    return undefined;
  }
}
