import { expect, test } from 'vitest';
import type { Before, Message } from '../src/index.js';
import { client, track } from './support/client.js';
import { sink } from './support/sink.js';

async function runWith(before: Before | Before[], message: object = track()) {
  const collector = await sink();
  const { analytics, lost } = client({ endpoint: collector.url, before, context: { ip: '10.0.0.1' } });
  const receipt = analytics.track(message as never);
  await analytics.flush();
  return { sent: collector.messages, receipt, lost, stats: analytics.stats() };
}

test('it sees the message complete, as it would be sent', async () => {
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

test('what it returns is sent', async () => {
  const { sent } = await runWith((message) => ({ ...message, context: { ...message.context, ip: undefined } }));
  expect(sent).toMatchObject([{ event: 'Order Completed', context: {} }]);
});

test('several run in order, each on what the one before it returned', async () => {
  const add =
    (letter: string): Before =>
    (message) => ({ ...message, userId: `${message.userId}${letter}` });
  expect((await runWith([add('a'), add('b')])).sent).toMatchObject([{ userId: 'u1ab' }]);
});

test('null drops the message: it is filtered, neither accepted nor lost', async () => {
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
  await expect(receipt.delivered).rejects.toMatchObject({ code: 'ANALYTICS_FILTERED' });
});

test.each<[string, Before]>([
  [
    'throws',
    () => {
      throw new Error('hook');
    },
  ],
  [
    'throws no error',
    () => {
      throw 'hook';
    },
  ],
  ['returns nothing', () => undefined as never],
  ['returns a promise', (async (message: Message) => message) as never],
  ['returns a promise that rejects', (() => Promise.reject(new Error('hook'))) as never],
  ['returns something that is no message', () => ({ type: 'track' }) as never],
  ['returns another type', (message) => ({ ...message, type: 'page' }) as never],
])('one that %s loses the message, says why, and the call does not throw', async (_, before) => {
  const { sent, receipt, lost, stats } = await runWith(before);
  expect(sent).toEqual([]);
  expect(stats).toMatchObject({ accepted: 1, lost: 1, pending: 0, lostByCode: { ANALYTICS_HOOK_FAILED: 1 } });
  expect(lost).toMatchObject([{ message: { event: 'Order Completed' }, error: { code: 'ANALYTICS_HOOK_FAILED' } }]);
  await expect(receipt.delivered).rejects.toMatchObject({
    message: expect.stringContaining('`before` function failed'),
  });
});

test('one that is async is told that it must not be', async () => {
  const { lost } = await runWith((async (message: Message) => message) as never);
  expect(lost[0]?.error.message).toBe('A `before` function failed: it returned a promise, and must answer at once');
});

test('it cannot make a message that is too large or that JSON cannot hold pass', async () => {
  await expect(runWith((message) => ({ ...message, properties: { text: 'x'.repeat(32_000) } }))).rejects.toMatchObject({
    code: 'ANALYTICS_MESSAGE_TOO_LARGE',
  });
  await expect(runWith((message) => ({ ...message, properties: { total: 1n } }))).rejects.toMatchObject({
    code: 'ANALYTICS_INVALID_MESSAGE',
    path: 'track.properties.total',
  });
});
