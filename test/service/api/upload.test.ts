import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deflateSync, gzipSync } from 'node:zlib';
import { type Context, Hono } from 'hono';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Env } from '../../../src/service/api/admin-router.js';
import { ApiRefusal } from '../../../src/service/api/refusals.js';
import { readAll, uploadOf } from '../../../src/service/api/upload.js';
import { answered } from './answered.js';

const app = new Hono<Env>();
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
  return (await answered(app, '/', init)).text();
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
  ['a body that is not gzip', 'plain', 'gzip', 'invalid_encoding'],
  ['half of a gzip body', gzipSync('"ann"').subarray(0, 12), 'gzip', 'invalid_encoding'],
  ['another encoding', deflateSync('"ann"'), 'deflate', 'unsupported_encoding'],
  ['more than the limit', 'x'.repeat(11), undefined, 'body_too_large'],
  ['more than the limit, once unpacked', gzipSync('x'.repeat(11)), 'gzip', 'body_too_large'],
])('an upload of %s is refused', async (_, body, encoding, code) => {
  expect(await put(body, encoding)).toBe(code);
});

test('an upload without a body is empty', async () => {
  expect(await put('')).toBe('');
});

/** An upload over a socket on which nothing has been sent yet. */
async function openUpload() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sender = httpRequest({ host: '127.0.0.1', port, method: 'PUT' }).on('error', () => {});
  sender.flushHeaders();
  const [incoming, outgoing] = await once(server, 'request');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const context = { req: { header: () => undefined }, env: { incoming, outgoing } } as unknown as Context;
  return { sender, chunks: uploadOf(context)[Symbol.asyncIterator]() };
}

test.each([0, 1, 2])('an upload that pauses for a minute after %i parts of its body is aborted', async (parts) => {
  const { sender, chunks } = await openUpload();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  for (let part = 0; part < parts; part++) {
    sender.write('a');
    expect(String((await chunks.next()).value)).toBe('a');
    vi.advanceTimersByTime(60_000);
  }
  const next = chunks.next();
  const ended = vi.fn();
  next.catch(ended);
  vi.advanceTimersByTime(59_999);
  await new Promise((resolve) => setImmediate(resolve));
  expect(ended).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  await expect(next).rejects.toBeInstanceOf(ApiRefusal);
});

test('an upload that pauses is also aborted with the timers of Node, where a cleared timer never fires', async () => {
  const { sender, chunks } = await openUpload();
  const inReality = setTimeout;
  const quick = vi.spyOn(globalThis, 'setTimeout').mockImplementation((act, ms = 0) => inReality(act, ms / 1_000));
  onTestFinished(() => quick.mockRestore());
  sender.write('a');
  expect(String((await chunks.next()).value)).toBe('a');
  await expect(chunks.next()).rejects.toBeInstanceOf(ApiRefusal);
});
