import { describe } from '../describe.js';
import { MAX_EVENT_BYTES } from '../limits.js';
import { type BatchLevel, enrich } from './enrich.js';
import { takeWriteKey } from './envelope.js';
import { weigherWith } from './message-size.js';
import { isJsonObject, type ReceivedMessage } from './received-message.js';
import { type Problem, problem, tooLarge, validateMessage } from './validate-message.js';

/** A message that is not taken. */
export interface Rejected extends Problem {
  readonly index: number;
  readonly messageId: string | undefined;
  /** The message, as it was sent. */
  readonly item: unknown;
}

/** Parts the messages of a batch into those that are taken, complete, and those that are not. */
export function validateBatch(items: readonly unknown[], batch: BatchLevel) {
  const messages: ReceivedMessage[] = [];
  const rejected: Rejected[] = [];
  const bytesTooMany = weigherWith(batch);
  for (const [index, item] of items.entries()) {
    if (!isJsonObject(item)) {
      rejected.push({
        ...problem('not_an_object', 'message', 'an object', describe(item)),
        index,
        messageId: undefined,
        item,
      });
      continue;
    }
    takeWriteKey(item);
    const wrong = validateMessage(item) ?? tooLargeTogether(bytesTooMany(item));
    if (wrong === undefined) messages.push(enrich(item, batch));
    else rejected.push({ ...wrong, index, messageId: idOf(item['messageId']), item });
  }
  return { messages, rejected };
}

const tooLargeTogether = (bytes: number | undefined): Problem | undefined =>
  bytes === undefined ? undefined : tooLarge(MAX_EVENT_BYTES, bytes, 'with what its batch says for all');

const idOf = (messageId: unknown): string | undefined => (typeof messageId === 'string' ? messageId : undefined);

/** The JSON of the refused value, for a developer to look at. */
export function rawOf(item: unknown): string {
  try {
    return JSON.stringify(item);
  } catch {
    // Too deep: that is why it was rejected.
    return '';
  }
}
