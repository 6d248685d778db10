import { createHash } from 'node:crypto';

/** One record of a file: its message, or the problem with it. */
export interface Row {
  /** The line it begins on, from 1. */
  readonly line: number;
  /** Where it begins in the file, and where the next one does, in bytes after decompression. */
  readonly start: number;
  readonly end: number;
  /** The text in the file. */
  readonly text: string;
  readonly message: Record<string, unknown> | undefined;
  /** Why there is no message. */
  readonly problem: string | undefined;
}

/**
 * A message id that is the same whenever this row is read again: from its text and its line, so that a collector drops the
 * second of two deliveries while two equal rows of one file stay two. Shaped as a UUID of version 8 (RFC 9562, 5.8), as some
 * collectors take nothing else.
 */
export function rowId(salt: string, line: number, text: string): string {
  const hash = createHash('sha256').update(`${salt}\n${line}\n`).update(text).digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Tells whether a row still is what it was. */
export const fingerprintOf = (text: string): string => createHash('sha256').update(text).digest('base64url');
