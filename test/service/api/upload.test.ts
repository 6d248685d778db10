import { deflateSync, gzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { ApiRefusal } from '../../../src/service/api/refusals.js';
import { readAll, uploadOf } from '../../../src/service/api/upload.js';

const app = new Hono();
app.put('/', async (context) => {
  try {
    return context.text(Buffer.from(await readAll(uploadOf(context), 10)).toString());
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    return context.text(error.code, 400);
  }
});

async function put(body: string | Uint8Array, encoding?: string): Promise<string> {
  const headers = encoding === undefined ? undefined : { 'content-encoding': encoding };
  const init = { method: 'PUT', body, ...(headers && { headers }) } as RequestInit;
  return (await app.request('/', init)).text();
}

test.each([
  ['none', '"ann"', undefined],
  ['identity', '"ann"', 'identity'],
  ['gzip', gzipSync('"ann"'), 'gzip'],
  ['x-gzip, in capitals', gzipSync('"ann"'), ' X-GZIP '],
])('an upload with the Content-Encoding %s is read', async (_, body, encoding) => {
  expect(await put(body, encoding)).toBe('"ann"');
});

test.each([
  ['no gzip', 'plain', 'gzip', 'invalid_encoding'],
  ['half of its gzip', gzipSync('"ann"').subarray(0, 12), 'gzip', 'invalid_encoding'],
  ['another encoding', deflateSync('"ann"'), 'deflate', 'unsupported_encoding'],
  ['more than the limit', 'x'.repeat(11), undefined, 'body_too_large'],
  ['more than the limit, once unpacked', gzipSync('x'.repeat(11)), 'gzip', 'body_too_large'],
])('an upload of %s is refused', async (_, body, encoding, code) => {
  expect(await put(body, encoding)).toBe(code);
});

test('an upload without a body is empty', async () => {
  expect(await put('')).toBe('');
});
