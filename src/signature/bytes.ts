import { timingSafeEqual } from 'node:crypto';
import { types } from 'node:util';
import { RawBodyError } from './errors.js';

// Not `instanceof`, which does not know the bytes of another realm, such as a test runner's.
export const isRaw = (body: unknown): body is string | Uint8Array =>
  typeof body === 'string' || types.isUint8Array(body);

export function assertRaw(body: unknown): asserts body is string | Uint8Array {
  if (isRaw(body)) return;
  throw new RawBodyError(body === null ? 'null' : Array.isArray(body) ? 'an array' : nameOf(body));
}

const nameOf = (body: unknown): string => (typeof body === 'object' ? 'an object' : typeof body);

/**
 * Whether two signatures are the same text, in a time that does not tell how much of them is. Compared as text: decoding
 * would forgive anything after the last good digit. Lengths are public, so they may be compared first.
 */
export function isSameText(given: string, expected: string): boolean {
  const givenBytes = Buffer.from(given);
  const expectedBytes = Buffer.from(expected);
  return givenBytes.length === expectedBytes.length && timingSafeEqual(givenBytes, expectedBytes);
}
