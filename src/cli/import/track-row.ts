import { EventferryError, ValidationError } from '../../base/errors/errors.js';
import { describe } from '../../base/text/describe.js';
import type { Analytics } from '../../client/analytics.js';
import { isOfTheMessage } from '../../client/import/tally.js';
import type { Receipt } from '../../client/queue/receipt.js';
import { isMessageTypeName, messageTypes } from '../../protocol/message.js';
import { reasonOf } from '../cli-error.js';
import type { Outcome } from './reorder-buffer.js';
import { type Row, rowId } from './row.js';
import { readTimestamp, type TimestampOptions } from './timestamp.js';

export interface TrackRowOptions extends TimestampOptions {
  readonly isNowAllowed: boolean;
  /** Added to the ids of rows without one; undefined if nothing is sent and no id is needed. */
  readonly salt: string | undefined;
}

/**
 * Passes a row to the client.
 *
 * @throws EventferryError if the row is not a valid message
 */
export function trackRow(analytics: Analytics, { line, text, message = {} }: Row, options: TrackRowOptions): Receipt {
  const fields = withoutNulls(message);
  const { type, timestamp } = fields;
  if (!isMessageTypeName(type)) {
    throw new ValidationError('type', `one of ${Object.keys(messageTypes).join(', ')}`, describe(type));
  }
  if (timestamp === undefined && !options.isNowAllowed) {
    throw new ValidationError(`${type}.timestamp`, 'the time it happened (--allow-now takes now)', 'undefined');
  }
  fields['timestamp'] = readTimestamp(timestamp, `${type}.timestamp`, options);
  if (options.salt !== undefined) fields['messageId'] ||= rowId(options.salt, line, text);
  return analytics.importRow(messageTypes[type], fields);
}

/** Exports write null for absent values. */
function withoutNulls(message: Record<string, unknown>): Record<string, unknown> {
  const fields = { ...message };
  for (const key of Object.keys(fields)) if (fields[key] === null) delete fields[key];
  return fields;
}

/** Returns the outcome of a row whose message was lost, or undefined if the loss has another cause than the message. */
export function outcomeOf(error: unknown): Outcome | undefined {
  return error instanceof EventferryError && isOfTheMessage(error)
    ? { kind: 'rejected', reason: error.message }
    : undefined;
}

/** Returns why the client refused a row. Rethrows errors that are not the row's fault. */
export function refusalOf(error: unknown): Outcome {
  if (error instanceof EventferryError && error.code !== 'EVENTFERRY_CLOSED') {
    return { kind: 'rejected', reason: reasonOf(error) };
  }
  throw error;
}
