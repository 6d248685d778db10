import { MessageTooLargeError } from '../../errors.js';
import { MAX_MESSAGE_BYTES } from '../../limits.js';
import type { Message } from '../../protocol/message.js';
import { formatPath } from '../../protocol/path.js';
import { TooMuchError } from '../../protocol/plain-copy.js';
import { writeMessage } from '../../protocol/write-json.js';

/**
 * A message as the JSON that will be sent. This is the only time it is written.
 *
 * @throws ValidationError when JSON cannot hold it, MessageTooLargeError when it is over 32,000 bytes
 */
export function encode(message: Message): string {
  const json = write(message);
  // A UTF-16 code unit is at most three bytes of UTF-8, so most messages need not be counted.
  const bytes = json.length * 3 > MAX_MESSAGE_BYTES ? Buffer.byteLength(json) : 0;
  if (bytes > MAX_MESSAGE_BYTES) {
    throw new MessageTooLargeError({ messageId: message.messageId, bytes, limit: MAX_MESSAGE_BYTES });
  }
  return json;
}

function write(message: Message): string {
  try {
    return writeMessage(message);
  } catch (error) {
    if (!(error instanceof TooMuchError)) throw error;
    const { bytes, path } = error;
    const { messageId, type } = message;
    throw new MessageTooLargeError({ messageId, bytes, limit: MAX_MESSAGE_BYTES, path: formatPath(type, path) });
  }
}
