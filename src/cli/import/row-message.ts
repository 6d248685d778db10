import { EventferryError, ValidationError } from '../../base/errors/errors.js';
import { describe } from '../../base/text/describe.js';
import { isMessageTypeName, messageTypes } from '../../protocol/message-checks.js';
import type { MessageType } from '../../protocol/message-type.js';
import { readTimestamp, type TimestampOptions } from './read-timestamp.js';
import { type Row, rowId } from './row.js';

export interface RowMessageOptions extends TimestampOptions {
  readonly isNowAllowed: boolean;
  /** A text that changes the ids of rows without a `messageId`; undefined if nothing is sent and no id is needed. */
  readonly salt: string | undefined;
}

/** A row of a file from which no message can be made. */
class UnreadableRowError extends EventferryError {
  override readonly name = 'UnreadableRowError';
  readonly code = 'EVENTFERRY_INVALID_MESSAGE';
}

/** @throws EventferryError if the row is not a message */
export function rowMessage(row: Row, options: RowMessageOptions): { type: MessageType; fields: object } {
  if (row.problem !== undefined) throw new UnreadableRowError(row.problem);
  const fields = withoutNulls(row.value ?? {});
  const { type, timestamp } = fields;
  if (!isMessageTypeName(type)) {
    throw new ValidationError('type', `one of ${Object.keys(messageTypes).join(', ')}`, describe(type));
  }
  if (timestamp === undefined && !options.isNowAllowed) {
    throw new ValidationError(`${type}.timestamp`, 'the time it happened (--allow-now takes now)', 'undefined');
  }
  fields['timestamp'] = readTimestamp(timestamp, `${type}.timestamp`, options);
  const { messageId = '' } = fields;
  if (options.salt !== undefined && messageId === '') fields['messageId'] = rowId(options.salt, row.line, row.text);
  return { type: messageTypes[type], fields };
}

/** Leaves out fields that are null, because exports write null for absent values. */
function withoutNulls(message: Record<string, unknown>): Record<string, unknown> {
  const fields = { ...message };
  for (const key of Object.keys(fields)) if (fields[key] === null) delete fields[key];
  return fields;
}
