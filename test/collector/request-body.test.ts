import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { ByteBudget } from '../../src/collector/byte-budget.js';
import { boundBody, dropRest, readBody } from '../../src/collector/request-body.js';
import { listening, post, send, track } from './support.js';

const good = JSON.stringify({ batch: [track()] });

test.each(['application/json', 'text/plain;charset=UTF-8', 'application/x-www-form-urlencoded', ''])(
  'JSON is accepted with the Content-Type %j',
  async (type) => {
    const { url } = await listening();
    expect((await post(url, good, { 'content-type': type })).text).toBe('{"success":true}');
  },
);

test.each([
  ['gzip', gzipSync(good)],
  ['x-gzip', gzipSync(good)],
  ['GZIP', gzipSync(good)],
  ['deflate', deflateSync(good)],
  ['deflate', deflateRawSync(good)],
  ['br', brotliCompressSync(good)],
  ['identity', Buffer.from(good)],
])('a body compressed with %s is accepted', async (encoding, body) => {
  const { url, requests } = await listening();
  expect((await post(url, body, { 'content-encoding': encoding })).text).toBe('{"success":true}');
  expect(requests).toMatchObject([{ wireBytes: body.length, bytes: good.length }]);
});

test('a compressed body is accepted although its client declares a form and no compression', async () => {
  const { url } = await listening();
  const reply = await post(url, gzipSync(good), { 'content-type': 'application/x-www-form-urlencoded' });
  expect(reply.status).toBe(200);
});

test.each(['zstd', 'gzip, gzip', 'rot13'])(
  'a body compressed with %s gets a 415 that names the supported encodings',
  async (encoding) => {
    const { url } = await listening();
    const reply = await post(url, good, { 'content-encoding': encoding });
    expect(reply).toMatchObject({
      status: 415,
      body: { code: 'unsupported_encoding' },
      headers: { 'accept-encoding': 'gzip, deflate, br' },
    });
  },
);

test.each([
  ['gzip', gzipSync(good).subarray(0, -9)],
  ['gzip', Buffer.from('no gzip at all')],
  ['deflate', Buffer.from([0x78, 0x9c, 1, 2, 3])],
  ['br', Buffer.from('no brotli at all')],
])('a malformed body in %s gets a 400', async (encoding, body) => {
  const { url } = await listening();
  const reply = await post(url, body, { 'content-encoding': encoding });
  expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_encoding' } });
});

test.each([
  ['gzip', gzipSync(Buffer.alloc(50_000_000))],
  ['br', brotliCompressSync(Buffer.alloc(50_000_000), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ['deflate', deflateSync(Buffer.alloc(50_000_000))],
])('a compression bomb in %s is stopped at the limit', async (encoding, bomb) => {
  const { url } = await listening();
  const before = process.memoryUsage().arrayBuffers;
  const reply = await post(url, bomb, { 'content-encoding': encoding });
  expect(reply).toMatchObject({ status: 400, body: { code: 'body_too_large' } });
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
});

/** A batch whose body has exactly `bytes` bytes. */
const batchOf = (bytes: number): string => {
  const empty = JSON.stringify({ batch: [track()], padding: '' });
  return empty.replace('""', `"${'x'.repeat(bytes - empty.length)}"`);
};

test('a body may have 512,000 bytes', async () => {
  const { url } = await listening();
  expect((await post(url, batchOf(512_000))).status).toBe(200);
});

test.each([
  ['with a Content-Length', {}],
  ['in chunks', { 'transfer-encoding': 'chunked' }],
])('a body of 512,001 bytes gets a 400, sent %s', async (_, headers) => {
  const { url } = await listening();
  expect(await post(url, batchOf(512_001), headers)).toMatchObject({ status: 400, body: { code: 'body_too_large' } });
});

test('a compressed body may have 512,000 bytes after decoding, and no more', async () => {
  const { url } = await listening();
  const headers = { 'content-encoding': 'gzip' };
  expect((await post(url, gzipSync(batchOf(512_000)), headers)).status).toBe(200);
  expect((await post(url, gzipSync(batchOf(512_001)), headers)).status).toBe(400);
  expect((await post(url, gzipSync(batchOf(512_000), { level: 0 }), headers)).status).toBe(200);
});

const large = track({ messageId: 'large', properties: { text: 'x'.repeat(33_000) } });

test('only the message over 32 KB in a batch is rejected', async () => {
  const { url, messages } = await listening();
  const reply = await post(url, { batch: [track(), large, track()] });
  expect(reply).toMatchObject({
    status: 200,
    body: { rejected: [{ index: 1, messageId: 'large', code: 'message_too_large' }] },
  });
  expect(messages).toHaveLength(2);
});

test('a single message over 32 KB gets a 400', async () => {
  const { url } = await listening();
  const reply = await send(url, '/v1/track', { body: JSON.stringify(large) });
  expect(reply).toMatchObject({ status: 400, body: { code: 'message_too_large' } });
});

test('a body that is too long is not read further', async () => {
  const incoming = new PassThrough();
  const lease = new ByteBudget(1_000_000).open(undefined);
  // A readable stream is all that is used of a request.
  const reading = readBody(incoming as unknown as IncomingMessage, { maxBytes: 10, timeoutMs: 60_000, lease });
  incoming.write('more than ten bytes');
  await expect(reading).rejects.toMatchObject({ code: 'body_too_large' });
  expect(incoming.isPaused()).toBe(true);
  incoming.write('the rest');
  await new Promise(setImmediate);
  expect(String(incoming.read())).toBe('the rest');
});

test('the deadline of a body ends with the response, even if nobody reads the body to its end', () => {
  vi.useFakeTimers();
  const incoming = Object.assign(new EventEmitter(), { headers: { 'content-length': '9' }, complete: true });
  const outgoing = new EventEmitter();
  boundBody(incoming as never, outgoing as never, 3_600_000);
  outgoing.emit('finish');
  const timers = vi.getTimerCount();
  vi.useRealTimers();
  expect(timers).toBe(0);
});

test('one chunk of all bodies that are being dropped is read per turn of the event loop', async () => {
  const turnsOfChunks: number[] = [];
  let turn = 0;
  const dropping = Array.from({ length: 8 }, () => {
    const incoming = new PassThrough();
    incoming.on('data', () => turnsOfChunks.push(turn)).pause();
    for (let index = 0; index < 3; index++) incoming.write('a chunk');
    incoming.end();
    // A readable stream is all that is used of a request.
    return new Promise<void>((resolve) => dropRest(incoming as unknown as IncomingMessage, resolve));
  });
  let isOver = false;
  const all = Promise.all(dropping).then(() => {
    isOver = true;
  });
  for (; !isOver; turn++) await new Promise(setImmediate);
  await all;
  expect(turnsOfChunks).toHaveLength(24);
  expect(new Set(turnsOfChunks).size).toBe(24);
});
