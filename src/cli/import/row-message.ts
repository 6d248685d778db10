import { createHash } from 'node:crypto';
import { readTimestamp, type TimestampOptions } from './read-timestamp.js';
import type { Row } from './row.js';

export interface RowMessageOptions extends TimestampOptions {
  /** Rows without a `messageId` get their ids from this text and their content, so another text gives them other ids. */
  readonly salt: string;
}

/**
 * Returns the message of a row, which the client checks.
 *
 * @throws EventferryError if the row is unreadable, or its time is ambiguous without an option
 */
export function rowMessage(row: Row, options: RowMessageOptions): object {
  const message = { ...row.read() };
  // Exports write null for absent values.
  for (const key of Object.keys(message)) if (message[key] === null) delete message[key];
  message['timestamp'] = readTimestamp(message['timestamp'], options);
  const { messageId = '' } = message;
  if (messageId === '') message['messageId'] = rowId(options.salt, row.line, row.text);
  return message;
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
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
