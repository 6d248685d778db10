import { expect, test } from 'vitest';
import { deferred, head, listening, post, rawConnection, send, track } from './support.js';

test('a valid batch is answered exactly 200 with {"success":true}', async () => {
  const { url } = await listening();
  const { status, text, headers } = await post(url, { batch: [track()] });
  expect({ status, text, type: headers['content-type'] }).toEqual({
    status: 200,
    text: '{"success":true}',
    type: 'application/json',
  });
});

test('a message is handed on in the canonical form, with its times', async () => {
  const { url, messages } = await listening();
  await post(url, {
    batch: [
      track({
        messageId: 'm',
        userId: null,
        anonymousId: 'a',
        timestamp: '2026-11-20T10:00:00.123456+01:00',
        channel: 'x',
      }),
    ],
    context: { library: { name: 'l' } },
    sentAt: '2026-11-20T11:59:50.000Z',
  });
  expect(messages).toEqual([
    {
      type: 'track',
      event: 'Order Completed',
      messageId: 'm',
      userId: null,
      anonymousId: 'a',
      channel: 'x',
      context: { library: { name: 'l' } },
      timestamp: '2026-11-20T09:00:10.123Z',
      originalTimestamp: '2026-11-20T09:00:00.123Z',
      sentAt: '2026-11-20T11:59:50.000Z',
      receivedAt: '2026-11-20T12:00:00.000Z',
    },
  ]);
});

const optedOut = { ip: '1', integrations: { Webhooks: false } };

test('integrations in the context of a message or a batch are read, and those at the top level win', async () => {
  const { url, messages } = await listening();
  await post(url, {
    batch: [
      track({ messageId: 'own', context: optedOut }),
      track({ messageId: 'top', integrations: { Webhooks: true } }),
    ],
    context: { integrations: { All: false, Webhooks: false } },
    integrations: { All: true },
  });
  expect(messages).toMatchObject([
    { messageId: 'own', integrations: { All: true, Webhooks: false } },
    { messageId: 'top', integrations: { All: true, Webhooks: true } },
  ]);
  expect(messages.map(({ context }) => context)).toEqual([{ ip: '1' }, {}]);
});

test('integrations in the context of a single call are read', async () => {
  const { url, messages } = await listening();
  await send(url, '/v1/track', { body: JSON.stringify(track({ context: optedOut })) });
  expect(messages).toMatchObject([{ context: { ip: '1' }, integrations: { Webhooks: false } }]);
});

test('integrations in a context that are not an object are refused like those at the top level', async () => {
  const { url, rejections } = await listening();
  const reply = await post(url, { batch: [track({ context: { integrations: 'none' } })] });
  expect(reply).toMatchObject({ status: 400, body: { rejected: [{ code: 'invalid_integrations' }] } });
  expect(rejections).toHaveLength(1);
  const whole = await post(url, { batch: [track({})], context: { integrations: 'none' } });
  expect(whole).toMatchObject({ status: 400, body: { code: 'invalid_integrations' } });
});

test('invalid messages are named in the response, and the valid ones of their batch are accepted', async () => {
  const { url, messages, rejections, requests } = await listening();
  const bad = { type: 'track', userId: 'u', messageId: 'bad' };
  const reply = await post(url, { batch: [bad, track({ messageId: 'good' }), 7] });
  expect(reply).toMatchObject({
    status: 200,
    body: {
      success: true,
      rejected: [
        {
          index: 0,
          messageId: 'bad',
          code: 'missing_event',
          message: 'event: expected a non-empty string, got undefined',
        },
        { index: 2, messageId: null, code: 'not_an_object', message: 'message: expected an object, got number 7' },
      ],
    },
  });
  expect(messages.map(({ messageId }) => messageId)).toEqual(['good']);
  expect(rejections.map(({ raw }) => raw)).toEqual([JSON.stringify(bad), '7']);
  expect(requests[0]?.messages).toBe(3);
});

test('a batch without an accepted message is answered 400 with a reason for each message', async () => {
  const { url, requests, rejections, answered } = await listening();
  const reply = await post(url, { batch: [track({ messageId: 'a', event: '' }), 7] });
  expect(reply.status).toBe(400);
  expect(reply.body).toEqual({
    success: false,
    code: 'all_rejected',
    message: 'None of the 2 messages was taken',
    rejected: [
      {
        index: 0,
        messageId: 'a',
        code: 'missing_event',
        message: 'event: expected a non-empty string, got string ""',
      },
      { index: 1, messageId: null, code: 'not_an_object', message: 'message: expected an object, got number 7' },
    ],
  });
  expect(requests).toEqual([]);
  expect(rejections.map(({ index, code }) => [index, code])).toEqual([
    [0, 'missing_event'],
    [1, 'not_an_object'],
  ]);
  expect(answered).toMatchObject([{ status: 400, code: 'all_rejected', accepted: 0, rejected: 2 }]);
});

test.each([
  ['/v1/track', '{"userId":"u"}', 1],
  ['/v1/identify', '{"type":"identify","context":7}', 1],
  ['/v1/page', '{"userId":{}}', 1],
  ['/v1/batch', '{"batch":[{"type":"track"}]}', 1],
  ['/v1/batch', '{"batch":[]}', 0],
  ['/v1/batch', '{"batch":[],"context":7}', 0],
  ['/v1/track', '{', 0],
  ['/v1/track', '7', 0],
])(
  'a request to %s with the body %s is answered 400 and rejects %d readable messages',
  async (path, body, rejected) => {
    const { url, answered } = await listening();
    expect((await send(url, path, { body })).status).toBe(400);
    expect(answered).toMatchObject([{ status: 400, accepted: 0, rejected }]);
    const metrics = (await send(url, '/metrics', { method: 'GET' })).text;
    expect(metrics).toContain(`eventferry_collector_messages_total{outcome="rejected"} ${rejected}\n`);
  },
);

test('a batch of invalid messages and one that was accepted before is answered 200', async () => {
  const { url } = await listening();
  const known = track({ messageId: 'known' });
  await post(url, { batch: [known] });
  const reply = await post(url, { batch: [known, 7] });
  expect(reply).toMatchObject({ status: 200, body: { success: true, rejected: [{ index: 1 }] } });
});

test('the response waits for onMessages, and comes when the messages are stored', async () => {
  const disk = deferred();
  const asked = deferred();
  const { url } = await listening({
    onMessages: () => {
      asked.resolve();
      return disk.promise;
    },
  });
  let isAnswered = false;
  const reply = post(url, { batch: [track()] }).finally(() => {
    isAnswered = true;
  });
  await asked.promise;
  // A whole exchange on another connection is enough time for a premature response to arrive.
  await post(url, '{');
  expect(isAnswered).toBe(false);
  disk.resolve();
  expect((await reply).status).toBe(200);
});

test.each([
  ['rejects', () => Promise.reject(new Error('disk full'))],
  [
    'throws',
    () => {
      throw new Error('disk full');
    },
  ],
])('the response is 503 with Retry-After if onMessages %s', async (_, onMessages) => {
  const { url, errors } = await listening({ onMessages });
  const reply = await post(url, { batch: [track()] });
  expect(reply).toMatchObject({ status: 503, body: { code: 'not_stored' }, headers: { 'retry-after': '5' } });
  expect(reply.text).not.toContain('disk full');
  expect(errors).toEqual([new Error('disk full')]);
});

test('a repeated messageId is answered 200 and handed on once', async () => {
  const { url, messages, answered } = await listening();
  const batch = { batch: [track({ messageId: 'a' })] };
  for (const _ of [1, 2]) expect((await post(url, batch)).text).toBe('{"success":true}');
  expect(messages).toHaveLength(1);
  expect(answered).toMatchObject([{ accepted: 1 }, { accepted: 0, duplicates: 1 }]);
});

test('a messageId that could not be stored is handed on when it is repeated', async () => {
  let calls = 0;
  const { url } = await listening({
    onMessages: () => {
      calls++;
      if (calls === 1) throw new Error('disk full');
    },
  });
  const batch = { batch: [track({ messageId: 'a' })] };
  expect([(await post(url, batch)).status, (await post(url, batch)).status, calls]).toEqual([503, 200, 2]);
});

test('a messageId that was forgotten is handed on when it is repeated', async () => {
  let nowMs = 0;
  const { url, messages } = await listening({ rememberFor: 1_000, now: () => nowMs });
  for (nowMs of [0, 999, 2_000]) await post(url, { batch: [track({ messageId: 'a' })] });
  expect(messages).toHaveLength(2);
});

test('a collector that remembers no ids hands all messages on, and counts the duplicates that onMessages returns', async () => {
  const handedOn: number[] = [];
  const { url, answered } = await listening({
    maxRememberedIds: 0,
    onMessages: (messages) => {
      handedOn.push(messages.length);
      return messages.length - 1;
    },
  });
  const batch = { batch: [track({ messageId: 'a' }), track({ messageId: 'a' })] };
  expect([(await post(url, batch)).status, (await post(url, batch)).status, handedOn]).toEqual([200, 200, [2, 2]]);
  await expect
    .poll(() => answered)
    .toMatchObject([
      { accepted: 1, duplicates: 1 },
      { accepted: 1, duplicates: 1 },
    ]);
});

test('a repeated messageId is not acknowledged while the first one is being stored', async () => {
  const disk = deferred();
  const asked = deferred();
  const { url } = await listening({
    onMessages: () => {
      asked.resolve();
      return disk.promise;
    },
  });
  const batch = { batch: [track({ messageId: 'a' })] };
  const first = post(url, batch);
  await asked.promise;
  const second = post(url, batch);
  disk.reject(new Error('disk full'));
  expect([(await first).status, (await second).status]).toEqual([503, 503]);
});

const limited = { code: 'rate_limited', message: 'Slower, please', retryAfter: 1.2 };

test('a request that is not admitted is answered 429 with whole seconds, and none of it is handed on', async () => {
  const asked: [string, number][] = [];
  const { url, messages, answered } = await listening({
    admit: ({ name }, request) => {
      asked.push([name, request.messages]);
      return request.messages > 1 ? limited : undefined;
    },
  });
  const refused = await post(url, { batch: [track(), track()] });
  expect(refused).toMatchObject({
    status: 429,
    body: { code: 'rate_limited', message: 'Slower, please' },
    headers: { 'retry-after': '2' },
  });
  expect((await post(url, { batch: [track()] })).status).toBe(200);
  expect(asked).toEqual([
    ['source-1', 0],
    ['source-1', 2],
    ['source-1', 0],
    ['source-1', 1],
  ]);
  expect(messages).toHaveLength(1);
  expect(answered[0]).toMatchObject({ status: 429, code: 'rate_limited' });
});

test('a request that is not admitted is refused before its body arrives if its key is in the header', async () => {
  const { port } = await listening({ admit: () => limited });
  const { socket, ended } = await rawConnection(port);
  socket.write(head('Content-Length: 1000\r\nExpect: 100-continue'));
  expect(await ended).toMatch(/^HTTP\/1\.1 429 .*"code":"rate_limited"/s);
});
