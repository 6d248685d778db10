import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { Before, Message } from '../../../src/index.js';
import { client, track } from '../../support/client.js';
import { hostileThrows } from '../../support/hostile-throws.js';
import { sink } from '../../support/sink.js';

async function runWith(before: Before | Before[], message: object = track()) {
  const collector = await sink();
  const { analytics, lost } = client({ endpoint: collector.url, before, context: { ip: '10.0.0.1' } });
  const receipt = analytics.track(message as never);
  await analytics.flush();
  return { sent: collector.messages, receipt, lost, stats: analytics.stats() };
}

test('a before function gets the complete message, as it would be sent', async () => {
  let seen: Message | undefined;
  await runWith((message) => {
    seen = message;
    return message;
  });
  expect(JSON.parse(JSON.stringify(seen))).toEqual({
    type: 'track',
    messageId: expect.any(String),
    timestamp: '2026-11-20T12:00:00.000Z',
    userId: 'u1',
    event: 'Order Completed',
    context: { ip: '10.0.0.1' },
  });
});

test('the message that a before function returns is sent', async () => {
  const { sent } = await runWith((message) => ({ ...message, context: { ...message.context, ip: undefined } }));
  expect(sent).toMatchObject([{ event: 'Order Completed', context: {} }]);
});

test('several before functions run in order, each on the result of the one before', async () => {
  const add =
    (letter: string): Before =>
    (message) => ({ ...message, userId: `${message.userId}${letter}` });
  expect((await runWith([add('a'), add('b')])).sent).toMatchObject([{ userId: 'u1ab' }]);
});

test('a message for which a before function returns null is filtered, neither accepted nor lost', async () => {
  const after: string[] = [];
  const drop: Before = () => null;
  const { sent, receipt, stats } = await runWith([
    drop,
    (message) => {
      after.push('ran');
      return message;
    },
  ]);
  expect(sent).toEqual([]);
  expect(after).toEqual([]);
  expect(stats).toMatchObject({ accepted: 0, filtered: 1, lost: 0 });
  await expect(receipt.delivered).resolves.toBeUndefined();
  expect(receipt.filtered).toBe(true);
});

test.each<[string, Before]>([
  [
    'throws',
    () => {
      throw new Error('hook');
    },
  ],
  [
    'throws something other than an error',
    () => {
      throw 'hook';
    },
  ],
  ['returns nothing', () => undefined as never],
  ['returns a promise', (async (message: Message) => message) as never],
  ['returns a promise that rejects', (() => Promise.reject(new Error('hook'))) as never],
  ['returns something that is not a message', () => ({ type: 'track' }) as never],
  ['returns a message of another type', (message) => ({ ...message, type: 'page' }) as never],
])('a `before` that %s loses the message with the reason, and the call does not throw', async (_, before) => {
  const { sent, receipt, lost, stats } = await runWith(before);
  expect(sent).toEqual([]);
  expect(stats).toMatchObject({ accepted: 1, lost: 1, pending: 0, lostByCode: { EVENTFERRY_HOOK_FAILED: 1 } });
  expect(lost).toMatchObject([{ message: { event: 'Order Completed' }, error: { code: 'EVENTFERRY_HOOK_FAILED' } }]);
  await expect(receipt.delivered).rejects.toMatchObject({
    message: expect.stringContaining('`before` function failed'),
  });
});

test('an async `before` is reported as a mistake', async () => {
  const { lost } = await runWith((async (message: Message) => message) as never);
  expect(lost[0]?.error.message).toBe('A `before` function failed: it returned a promise, and must answer at once');
});

test.each(hostileThrows)(
  'a `before` that throws %s loses the message, and the reason is one short line',
  async (_, thrown) => {
    const { lost } = await runWith(() => {
      throw thrown;
    });
    expect(lost).toMatchObject([{ error: { code: 'EVENTFERRY_HOOK_FAILED' } }]);
    expect(lost[0]?.error.message).toMatch(/^A `before` function failed: [^\n]{1,201}$/);
  },
);

test('an async `before` from another realm is reported as a mistake, and its rejection does not end the process', async () => {
  const rejecting = runInNewContext('async () => { throw new Error("elsewhere"); }');
  const { lost } = await runWith(rejecting);
  expect(lost[0]?.error.message).toBe('A `before` function failed: it returned a promise, and must answer at once');
});

const large = 'x'.repeat(32_000);

test.each<[string, Before, string]>([
  ['too large, in a copy', (message) => ({ ...message, properties: { large } }), 'MessageTooLargeError'],
  ['too large, in place', (message) => Object.assign(message, { properties: { large } }), 'MessageTooLargeError'],
  ['unserialisable', (message) => ({ ...message, properties: { total: 1n } }), 'ValidationError'],
])('a message that a before function made %s is lost', async (_, before, cause) => {
  const { sent, receipt, stats, lost } = await runWith(before);
  expect(sent).toEqual([]);
  expect(stats).toMatchObject({ accepted: 1, lost: 1, lostByCode: { EVENTFERRY_HOOK_FAILED: 1 } });
  expect(lost).toMatchObject([{ error: { code: 'EVENTFERRY_HOOK_FAILED', cause: { name: cause } } }]);
  await expect(receipt.delivered).rejects.toThrow('`before` function failed');
});

test.each<[string, object, string]>([
  ['too large', { ...track(), messageId: 'mine', properties: { large } }, 'Message mine (Order Completed) is 32'],
  ['unserialisable', { ...track(), properties: { total: 1n } }, 'track.properties.total'],
])(
  'a message that was already %s before any before function ran is refused at the call',
  async (_, message, reason) => {
    await expect(runWith((seen) => ({ ...seen }), message)).rejects.toThrow(reason);
  },
);

test('a message that a before function makes small enough is sent', async () => {
  const message = { ...track(), properties: { large } };
  const { sent } = await runWith((seen) => ({ ...seen, properties: {} }), message);
  expect(sent).toMatchObject([{ event: 'Order Completed', properties: {} }]);
});

test('a `before` that closes the client gets its message refused, because a closed client accepts nothing', () => {
  const { analytics } = client({
    endpoint: 'http://127.0.0.1:1',
    before: (message) => {
      void analytics.close();
      return message;
    },
  });
  expect(() => analytics.track(track())).toThrow('The client is closed and takes no more messages');
  expect(analytics.stats().accepted).toBe(0);
});
