import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { Collector } from '../../src/collector/index.js';
import { serve } from '../support/loopback.js';
import { deferred, head, listening, post, rawConnection, send, track } from './support.js';

test('close() of a collector waits for the requests that it has begun', async () => {
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

test('a body that is half here when close is called is taken', async () => {
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

test('connections that ask for nothing do not hold it up', async () => {
  const { port, collector } = await listening();
  const silent = await rawConnection(port);
  const slow = await rawConnection(port);
  slow.socket.write('POST /v1/batch HTTP/1.1\r\nX-Slow: ');
  await collector.close();
  expect(await Promise.all([silent.ended, slow.ended])).toEqual(['', '']);
});

test('a mounted collector answers 503 with Retry-After from then on, and says that it is not healthy', async () => {
  const collector = new Collector({ writeKeys: ['dev'], onMessages: () => {} });
  const url = await serve(collector.handler);
  await collector.close();
  const closing = { status: 503, body: { code: 'closing' }, headers: { 'retry-after': '5', connection: 'close' } };
  expect(await post(url, { batch: [track()] })).toMatchObject(closing);
  expect(await send(url, '/healthz', { method: 'GET' })).toMatchObject({ status: 503 });
});

test('closing twice, or before listening, is fine', async () => {
  const collector = new Collector({ writeKeys: ['dev'], onMessages: () => {} });
  await Promise.all([collector.close(), collector.close()]);
  await expect(collector.listen({ port: 0 })).rejects.toThrow('The collector is closed');
});

test('a collector is closed at the end of its block', async () => {
  let url: string;
  {
    await using collector = new Collector({ writeKeys: ['dev'], onMessages: () => {} });
    ({ url } = await collector.listen({ port: 0 }));
  }
  await expect(send(url, '/healthz', { method: 'GET' })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('a collector listens once', async () => {
  const { collector } = await listening();
  await expect(collector.listen({ port: 0 })).rejects.toThrow('The collector listens already');
});

test('a port in use is an EADDRINUSE, and another may be tried', async () => {
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
])('listening on %s, the URL is one that can be asked', async (host, expected) => {
  const collector = new Collector({ writeKeys: ['dev'], onMessages: () => {} });
  const { url, port } = await collector.listen({ port: 0, host });
  expect(url).toMatch(expected);
  expect(url).toContain(String(port));
  expect((await send(url, '/healthz', { method: 'GET' })).status).toBe(200);
  await collector.close();
});

test('a server of the caller’s own is left open', async () => {
  const collector = new Collector({ writeKeys: ['dev'], onMessages: () => {} });
  const server = createServer(collector.handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await collector.close();
  expect(server.listening).toBe(true);
  await new Promise((resolve) => server.close(resolve));
});
