import { expect, test } from 'vitest';
import { EventferryError, MessageTooLargeError, ValidationError } from '../../../src/base/errors/errors.js';
import { encode } from '../../../src/client/calls/enqueuer.js';
import type { Message } from '../../../src/protocol/message.js';
import { client } from '../../support/client.js';
import { sink } from '../../support/sink.js';

test('a toJSON that tracks its own object is refused, and nothing is accepted', async () => {
  const { url } = await sink();
  const { analytics } = client({ endpoint: url });
  let calls = 0;
  const document = {
    toJSON() {
      calls++;
      analytics.track({ userId: 'u', event: 'e', properties: { document } });
      return {};
    },
  };
  const call = () => analytics.track({ userId: 'u', event: 'e', properties: document });
  expect(call).toThrow(ValidationError);
  expect(call).toThrow(/^track.*calls without end/);
  expect(calls).toBeLessThan(100);
  expect(analytics.stats()).toMatchObject({ accepted: 0, pending: 0 });
});

test('a getter that tracks its own object is refused', async () => {
  const { url } = await sink();
  const { analytics } = client({ endpoint: url });
  let calls = 0;
  const properties = {
    get again(): unknown {
      calls++;
      analytics.track({ userId: 'u', event: 'e', properties });
      return 1;
    },
  };
  expect(() => analytics.track({ userId: 'u', event: 'e', properties })).toThrow(ValidationError);
  expect(calls).toBeLessThan(1_000);
});

test('a toJSON that tracks its own object and hides that this is refused does not recurse without end', async () => {
  const { url, messages } = await sink();
  const { analytics } = client({ endpoint: url });
  const properties: { toJSON(): object } = {
    toJSON() {
      try {
        analytics.track({ userId: 'u', event: 'e', properties });
      } catch (error) {
        expect(error).toBeInstanceOf(EventferryError);
      }
      return {};
    },
  };
  analytics.track({ userId: 'u', event: 'e', properties });
  await analytics.close();
  expect(messages.length).toBeLessThan(10);
});

test('a toJSON may track something else, and calls work normally after one was refused', async () => {
  const { url, messages } = await sink();
  const { analytics } = client({ endpoint: url });
  const read = {
    toJSON() {
      analytics.track({ userId: 'u', event: 'Read' });
      return { total: 42 };
    },
  };
  const endless = {
    toJSON() {
      analytics.track({ userId: 'u', event: 'Endless', properties: endless });
      return {};
    },
  };
  for (let time = 0; time < 10; time++) {
    expect(() => analytics.track({ userId: 'u', event: 'Endless', properties: endless })).toThrow(ValidationError);
  }
  analytics.track({ userId: 'u', event: 'Order Completed', properties: read });
  await analytics.close();
  expect(messages.map((message) => message.type === 'track' && message.event)).toEqual(['Read', 'Order Completed']);
});

test('a sparse array is refused at the call with its path, and the next call is accepted', async () => {
  const { url, messages } = await sink();
  const { analytics } = client({ endpoint: url });
  const c: number[] = [];
  c[1_556_703_000] = 1;
  expect(() => analytics.track({ userId: 'u', event: 'e', messageId: 'm', properties: { c } })).toThrow(
    expect.objectContaining({ code: 'EVENTFERRY_MESSAGE_TOO_LARGE', messageId: 'm', path: 'track.properties.c' }),
  );
  analytics.track({ userId: 'u', event: 'Next' });
  await analytics.close();
  expect(messages).toMatchObject([{ event: 'Next' }]);
});

/** A message whose JSON has exactly `bytes` bytes, padded with `filler`. */
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
  'a message of 32,000 bytes made of %s is accepted, and one byte more is refused',
  (filler) => {
    expect(Buffer.byteLength(encode(messageOf(31_999, filler)))).toBe(31_999);
    expect(Buffer.byteLength(encode(messageOf(32_000, filler)))).toBe(32_000);
    expect(() => encode(messageOf(32_001, filler))).toThrow(MessageTooLargeError);
  },
);

test('the error for a message that is too large names its size and the limit', () => {
  expect(() => encode(messageOf(40_113))).toThrow(
    expect.objectContaining({
      code: 'EVENTFERRY_MESSAGE_TOO_LARGE',
      message:
        'Message m1 (Order Completed) is 40113 bytes; the limit is 32000. The largest property is track.properties.text (39978 characters)',
      bytes: 40_113,
      limit: 32_000,
    }),
  );
});

test('the error for a message that is too large to be written says up to where its size was counted', () => {
  const message = messageOf(1_000);
  expect(() =>
    encode({ ...message, properties: { rows: Array.from({ length: 300_000 }, () => 1) } } as Message),
  ).toThrow(
    expect.objectContaining({
      message:
        'Message m1 (Order Completed) is at least 600111 bytes (counted up to track.properties.rows); the limit is 32000',
      bytes: 600_111,
      path: 'track.properties.rows',
    }),
  );
});

test.each([32_001, 300_000])(
  'in an error, a message of %i characters whose unknown field `event` is not text is named by its type',
  (size) => {
    const { analytics } = client({ endpoint: 'http://127.0.0.1:1' });
    const call = () => analytics.identify({ userId: 'u1', event: [null], traits: { text: 'x'.repeat(size) } } as never);
    expect(call).toThrow(expect.objectContaining({ code: 'EVENTFERRY_MESSAGE_TOO_LARGE', event: 'identify' }));
  },
);
