import { createHash } from 'node:crypto';
import { EventferryError } from '../../base/errors/errors.js';

/** One record of a file, with its value, such as a message, or the reason why it has none. */
export interface Row<T = Record<string, unknown>> {
  /** The line on which the record begins, from 1. */
  readonly line: number;
  /** The byte of the file at which the record begins; 0 in CSV, which is always read from its first line. */
  readonly start: number;
  /** The text of the record in the file. */
  readonly text: string;
  readonly value: T | undefined;
  /** The reason why there is no value. */
  readonly problem: string | undefined;
}

/** The reason why a row has no value. It rejects the row, not the file. */
export class RowError extends EventferryError {
  override readonly name = 'RowError';
  readonly code = 'EVENTFERRY_INVALID_MESSAGE';
}

/** Makes a row from the value that `read` returns or the `RowError` that it throws. */
export function readRow<T>(line: number, start: number, text: string, read: () => T): Row<T> {
  try {
    return { line, start, text, value: read(), problem: undefined };
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    return { line, start, text, value: undefined, problem: error.message };
  }
}

/**
 * Returns a message id that stays the same whenever this row is read again. It depends on the row's text and line: a
 * collector drops the second delivery of a row, but two equal rows of a file stay two messages. It is a UUID of version
 * 8 (RFC 9562, 5.8), because some collectors accept only UUIDs.
 */
export function rowId(salt: string, line: number, text: string): string {
  const hash = createHash('sha256').update(`${salt}\n${line}\n`).update(text).digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** The place of a row in a file, with a digest that shows whether the row has changed. */
export interface RowPosition {
  readonly line: number;
  readonly start: number;
  readonly fingerprint: string;
}

export const positionOf = ({ line, start, text }: Row): RowPosition => ({
  line,
  start,
  fingerprint: createHash('sha256').update(text).digest('base64url'),
});
