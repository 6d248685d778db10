import { expect, test } from 'vitest';
import { listening, post, send, track } from './support.js';

const escaped = (text: string): string =>
  [...text].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

test('an observer that rejects is reported, and does not end the process', async () => {
  const fail = () => Promise.reject(new Error('observer'));
  const { url, errors } = await listening({ onAnswered: fail, onRejected: fail });
  expect((await post(url, { batch: [track(), {}] })).status).toBe(200);
  expect(errors).toEqual([new Error('observer'), new Error('observer')]);
});

test('an observer that throws is reported and does not change a response', async () => {
  const fail = () => {
    throw new Error('observer');
  };
  const { url, errors } = await listening({ onAnswered: fail, onRejected: fail });
  expect((await post(url, { batch: [track(), {}] })).status).toBe(200);
  expect(errors).toEqual([new Error('observer'), new Error('observer')]);
});

test.each([
  ['with an escaped name', '{"batch":[],"writeKe\\u0079":"s3cr-K/y"}', '{"batch":[],"writeKe\\u0079":"***"}'],
  [
    'with all of its characters escaped',
    `{"writeKey":"${escaped('s3cr-K/y')}","batch":[]}`,
    '{"writeKey":"***","batch":[]}',
  ],
  [
    'with capital digits in its escapes',
    `{"writeKey":"${escaped('s3cr-K/y').replaceAll('f', 'F')}"}`,
    '{"writeKey":"***"}',
  ],
  ['with an escaped slash', '{"writeKey":"s3cr-K\\/y"}', '{"writeKey":"***"}'],
  [
    'under another name either',
    '{"writeKey":"s3cr-K/y","x":"s3cr-K/y","y":"s3cr-K/yz"}',
    '{"writeKey":"***","x":"***","y":"s3cr-K/yz"}',
  ],
])('the raw text of a refused body does not show the write key %s', async (_, body, shown) => {
  const { url, rejections } = await listening({ sources: [{ name: 'shop', writeKey: 's3cr-K/y' }] });
  await send(url, '/v1/batch', { body, headers: { authorization: '' } });
  expect(rejections.map(({ raw }) => raw)).toEqual([shown]);
});

test('the raw text of a rejected message does not show the write key of its request', async () => {
  const { url, rejections } = await listening();
  await post(url, { batch: [{ type: 'track', userId: 'u1', context: { key: 'dev', device: 'dev kit' } }] });
  expect(rejections.map(({ raw }) => raw)).toEqual([
    '{"type":"track","userId":"u1","context":{"key":"***","device":"dev kit"}}',
  ]);
});

test.each(['', 'x'.repeat(400_000)])(
  'a refused body is reported, whatever the length of its write key',
  async (writeKey) => {
    const { url, rejections, errors } = await listening();
    expect(await post(url, { writeKey, batch: [], note: '' })).toMatchObject({
      status: 400,
      body: { code: 'empty_batch' },
    });
    expect([rejections.length, errors]).toEqual([1, []]);
  },
);
