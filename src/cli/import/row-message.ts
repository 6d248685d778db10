import { readTimestamp, type TimestampOptions } from './read-timestamp.js';
import { type Row, RowError, rowId } from './row.js';

export interface RowMessageOptions extends TimestampOptions {
  /** A text that changes the ids of rows without a `messageId`; undefined if nothing is sent and no id is needed. */
  readonly salt: string | undefined;
}

/**
 * Returns the message of a row, which the client checks.
 *
 * @throws EventferryError if the row is unreadable, or only an option can say what its time means
 */
export function rowMessage(row: Row, options: RowMessageOptions): object {
  if (row.problem !== undefined) throw new RowError(row.problem);
  const message = { ...row.value };
  // Exports write null for absent values.
  for (const key of Object.keys(message)) if (message[key] === null) delete message[key];
  message['timestamp'] = readTimestamp(message['timestamp'], options);
  const { messageId = '' } = message;
  if (options.salt !== undefined && messageId === '') message['messageId'] = rowId(options.salt, row.line, row.text);
  return message;
}
