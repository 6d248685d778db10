import { expect, test } from 'vitest';
import { encode } from '../../../src/client/queue/encode.js';
import { MessageTooLargeError } from '../../../src/errors.js';
import type { Message } from '../../../src/protocol/message.js';

/** A message whose JSON is exactly so many bytes, filled up with `filler`. */
function messageOf(bytes: number, filler = 'x'): Message {
  const message = (text: string): Message => ({
    type: 'track',
    messageId: 'm1',
    timestamp: '2026-11-20T12:00:00.000Z',
    userId: 'u1',
    event: 'Order Completed',
    properties: { text },
  });
  const room = bytes - Buffer.byteLength(JSON.stringify(message('')));
  const wide = Math.floor(room / Buffer.byteLength(filler));
  return message(filler.repeat(wide) + 'x'.repeat(room - wide * Buffer.byteLength(filler)));
}

test.each(['x', 'ü', '€', '🦦'])(
  'a message of 32,000 bytes made of %s is taken, and one byte more is not',
  (filler) => {
    expect(Buffer.byteLength(encode(messageOf(31_999, filler)))).toBe(31_999);
    expect(Buffer.byteLength(encode(messageOf(32_000, filler)))).toBe(32_000);
    expect(() => encode(messageOf(32_001, filler))).toThrow(MessageTooLargeError);
  },
);

test('the error tells the size and the limit', () => {
  expect(() => encode(messageOf(40_113))).toThrow(
    expect.objectContaining({
      code: 'EVENTFERRY_MESSAGE_TOO_LARGE',
      message: 'Message m1 is 40113 bytes; the limit is 32000',
      bytes: 40_113,
      limit: 32_000,
    }),
  );
});

test('of a message so large that it is not written, the error tells how far it was counted', () => {
  const message = messageOf(1_000);
  expect(() =>
    encode({ ...message, properties: { rows: Array.from({ length: 300_000 }, () => 1) } } as Message),
  ).toThrow(
    expect.objectContaining({
      message: 'Message m1 is at least 600111 bytes (counted as far as track.properties.rows); the limit is 32000',
      bytes: 600_111,
      path: 'track.properties.rows',
    }),
  );
});
