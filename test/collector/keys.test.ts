import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { basic, listening, post, send, track } from './support.js';

const withoutHeader = { authorization: '' };

test('the write key may be in the body', async () => {
  const { url, messages } = await listening();
  expect((await post(url, { writeKey: 'dev', batch: [track()] }, withoutHeader)).status).toBe(200);
  expect(messages).toHaveLength(1);
});

test('the write key may be in a compressed body', async () => {
  const { url } = await listening();
  const body = gzipSync(JSON.stringify({ writeKey: 'dev', batch: [track()] }));
  expect((await post(url, body, { ...withoutHeader, 'content-encoding': 'gzip' })).status).toBe(200);
});

test('the write key is not handed on with a message', async () => {
  const { url, messages } = await listening();
  await send(url, '/v1/track', { headers: withoutHeader, body: JSON.stringify(track({ writeKey: 'dev' })) });
  await post(url, { writeKey: 'dev', batch: [track({ writeKey: 'dev' })] }, withoutHeader);
  expect(JSON.stringify(messages)).not.toContain('dev');
});

const unknown = { status: 401, body: { code: 'unknown_write_key' } };

test.each([
  ['in the header', basic('stranger'), undefined],
  ['in the header, despite a valid one in the body', basic('stranger'), 'dev'],
  ['in the body', '', 'stranger'],
  ['nowhere', '', undefined],
  ['that is not text', '', 42],
  ['that is a property of every object', '', '__proto__'],
])('an unknown key %s is answered 401, and nothing is handed on', async (_, authorization, writeKey) => {
  const { url, messages, rejections } = await listening();
  expect(await post(url, { writeKey, batch: [track()] }, { authorization })).toMatchObject(unknown);
  expect(messages).toEqual([]);
  expect(rejections).toMatchObject([{ code: 'unknown_write_key', raw: '' }]);
});

test('an unknown key in the header is refused before the body arrives', async () => {
  const { url, answered } = await listening();
  const body = new Uint8Array(600_000);
  expect(await post(url, body, { authorization: basic('stranger') })).toMatchObject(unknown);
  expect(answered).toMatchObject([{ status: 401 }]);
});

test('each source gets the messages that were sent with its key', async () => {
  const { url, sources } = await listening({
    sources: [
      { name: 'website', writeKey: 'w' },
      { name: 'app', writeKey: 'a' },
    ],
  });
  for (const key of ['w', 'a']) await post(url, { batch: [track({ messageId: '1' })] }, { authorization: basic(key) });
  expect(sources).toEqual([{ name: 'website' }, { name: 'app' }]);
});

test('a function as `sources` is called with the key', async () => {
  const { url, sources } = await listening({
    sources: async (writeKey) => (writeKey === 'k' ? { name: 'found' } : undefined),
  });
  expect((await post(url, { batch: [track()] }, { authorization: basic('k') })).status).toBe(200);
  expect((await post(url, { batch: [track()] }, { authorization: basic('x') })).status).toBe(401);
  expect(sources).toEqual([{ name: 'found' }]);
});

test('a failing `sources` function gives a 503, and not a 401 after which a client would give up', async () => {
  const { url, errors } = await listening({ sources: () => Promise.reject(new Error('database away')) });
  const reply = await post(url, { batch: [track()] });
  expect(reply).toMatchObject({ status: 503, body: { code: 'no_sources' }, headers: { 'retry-after': '5' } });
  expect(errors).toEqual([new Error('database away')]);
});

test.each([
  ['empty_batch', { batch: [] }],
  ['no_batch', { batch: {} }],
  ['too_many_messages', { batch: Array.from({ length: 3 }, () => track()) }],
  ['invalid_context', { batch: [track()], context: 7 }],
])(
  'a body refused with %s counts for its source, whether the key is in the header or in the body',
  async (code, body) => {
    const refusedFor: unknown[] = [];
    const { url } = await listening({
      maxBatchMessages: 2,
      onRejected: ([rejection], source) => refusedFor.push([rejection?.code, source?.name]),
    });
    const refused = { status: 400, body: { code } };
    expect(await post(url, body)).toMatchObject(refused);
    expect(await post(url, { writeKey: 'dev', ...body }, withoutHeader)).toMatchObject(refused);
    expect(await post(url, body, withoutHeader)).toMatchObject(refused);
    expect(await post(url, { writeKey: 'stranger', ...body }, withoutHeader)).toMatchObject(unknown);
    expect(refusedFor).toEqual([
      [code, 'source-1'],
      [code, 'source-1'],
      [code, undefined],
      ['unknown_write_key', undefined],
    ]);
  },
);
