import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { Collector } from '../../src/collector/index.js';
import { serve } from '../support/loopback.js';
import { deferred, head, listening, post, rawConnection, send, track } from './support.js';

test('close() of a collector waits for the requests that have begun', async () => {
  const disk = deferred();
  const asked = deferred();
  const order: string[] = [];
  const { url, collector } = await listening({
    onMessages: async () => {
      asked.resolve();
      await disk.promise;
      order.push('stored');
    },
  });
  const reply = post(url, { batch: [track()] });
  await asked.promise;
  const closed = collector.close().finally(() => order.push('closed'));
  disk.resolve();
  expect(await reply).toMatchObject({ status: 200, headers: { connection: 'close' } });
  await closed;
  expect(order).toEqual(['stored', 'closed']);
});

test('a body that has half arrived when close() is called is accepted', async () => {
  const { port, url, collector, messages } = await listening();
  const { socket, ended } = await rawConnection(port);
  const body = JSON.stringify({ batch: [track()] });
  socket.write(`${head(`Content-Length: ${body.length}`)}${body.slice(0, 10)}`);
  await expect
    .poll(async () => (await send(url, '/metrics', { method: 'GET' })).text)
    .toContain('requests_in_flight 2');
  const closed = collector.close();
  socket.write(body.slice(10));
  expect(await ended).toMatch(/^HTTP\/1\.1 200 /);
  await closed;
  expect(messages).toHaveLength(1);
});

test('connections without a complete request do not delay close()', async () => {
  const { port, collector } = await listening();
  const silent = await rawConnection(port);
  const slow = await rawConnection(port);
  slow.socket.write('POST /v1/batch HTTP/1.1\r\nX-Slow: ');
  await collector.close();
  expect(await Promise.all([silent.ended, slow.ended])).toEqual(['', '']);
});

test('a closed collector that is mounted answers 503 with Retry-After, and reports itself as unhealthy', async () => {
  const collector = new Collector({ writeKeys: ['dev'], onMessages: () => {} });
  const url = await serve(collector.handler);
  await collector.close();
  const closing = { status: 503, body: { code: 'closing' }, headers: { 'retry-after': '5', connection: 'close' } };
  expect(await post(url, { batch: [track()] })).toMatchObject(closing);
  expect(await send(url, '/healthz', { method: 'GET' })).toMatchObject({ status: 503 });
});

test('close() may be called twice, or before listening', async () => {
  const collector = new Collector({ writeKeys: ['dev'], onMessages: () => {} });
  await Promise.all([collector.close(), collector.close()]);
  await expect(collector.listen({ port: 0 })).rejects.toThrow('The collector is closed');
});

test('a collector is closed at the end of an `await using` block', async () => {
  let url: string;
  {
    await using collector = new Collector({ writeKeys: ['dev'], onMessages: () => {} });
    ({ url } = await collector.listen({ port: 0 }));
  }
  await expect(send(url, '/healthz', { method: 'GET' })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('a collector can listen only once', async () => {
  const { collector } = await listening();
  await expect(collector.listen({ port: 0 })).rejects.toThrow('The collector is already listening');
});

test('a port in use gives EADDRINUSE, and another one may be tried', async () => {
  const { port } = await listening();
  const collector = new Collector({ writeKeys: ['dev'], onMessages: () => {} });
  await expect(collector.listen({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  const { url } = await collector.listen({ port: 0 });
  expect((await send(url, '/healthz', { method: 'GET' })).status).toBe(200);
  await collector.close();
});

test.each([
  ['0.0.0.0', /^http:\/\/127\.0\.0\.1:\d+$/],
  ['127.0.0.1', /^http:\/\/127\.0\.0\.1:\d+$/],
])('listening on %s, the collector returns a URL that can be reached', async (host, expected) => {
  const collector = new Collector({ writeKeys: ['dev'], onMessages: () => {} });
  const { url, port } = await collector.listen({ port: 0, host });
  expect(url).toMatch(expected);
  expect(url).toContain(String(port));
  expect((await send(url, '/healthz', { method: 'GET' })).status).toBe(200);
  await collector.close();
});

test('close() leaves a server of the caller open', async () => {
  const collector = new Collector({ writeKeys: ['dev'], onMessages: () => {} });
  const server = createServer(collector.handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await collector.close();
  expect(server.listening).toBe(true);
  await new Promise((resolve) => server.close(resolve));
});
