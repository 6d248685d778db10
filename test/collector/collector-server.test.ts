import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { serve } from '../support/loopback.js';
import { basic, deferred, head, listening, post, rawConnection, track } from './support.js';

const good = JSON.stringify({ batch: [track()] });

/** Returns the status lines of everything that arrived over a connection. */
const statuses = (received: string): string[] => received.match(/HTTP\/1\.1 \d{3}/g) ?? [];

test('a sender that sends nothing gets a 408 and is disconnected', async () => {
  const { port } = await listening({ headersTimeout: 100 });
  const { ended } = await rawConnection(port);
  expect(await ended).toMatch(/^HTTP\/1\.1 408 .*"code":"request_timeout"/s);
});

test('a sender that never ends its headers gets a 408 and is disconnected', async () => {
  const { port } = await listening({ headersTimeout: 100 });
  const { socket, ended } = await rawConnection(port);
  socket.write('POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
  expect(await ended).toMatch(/^HTTP\/1\.1 408 /);
});

test('a sender of half a body gets a 408 and is disconnected', async () => {
  const { port, messages, answered } = await listening({ bodyTimeout: 50 });
  const { socket, ended } = await rawConnection(port);
  socket.write(`${head(`Content-Length: ${good.length}`)}${good.slice(0, 10)}`);
  expect(await ended).toMatch(/^HTTP\/1\.1 408 .*"code":"body_timeout"/s);
  expect(messages).toEqual([]);
  expect(answered).toMatchObject([{ status: 408 }]);
});

test('a sender that sends its body byte by byte gets no extra time', async () => {
  const { port } = await listening({ bodyTimeout: 100 });
  const { socket, ended } = await rawConnection(port);
  socket.write(head('Content-Length: 100000'));
  const drip = setInterval(() => socket.write(' '), 5);
  expect(await ended).toMatch(/^HTTP\/1\.1 408 /);
  clearInterval(drip);
});

test('a client that disconnects in the middle of its body is forgotten', async () => {
  const { port, url, answered, messages } = await listening();
  const { socket } = await rawConnection(port);
  socket.write(`${head(`Content-Length: ${good.length}`)}${good.slice(0, 10)}`, () => socket.resetAndDestroy());
  await once(socket, 'close');
  await expect.poll(() => answered).toMatchObject([{ status: 499 }]);
  expect(messages).toEqual([]);
  expect((await post(url, good)).status).toBe(200);
});

test('a client that disconnects before its response is reported with status 499, and its messages are stored', async () => {
  const [arrived, left, stored] = [deferred(), deferred(), deferred()];
  const onMessages = (): Promise<void> => {
    arrived.resolve();
    return stored.promise;
  };
  const { collector, answered } = await listening({ onMessages });
  const url = await serve((incoming, outgoing) => {
    outgoing.once('close', () => left.resolve());
    collector.handler(incoming, outgoing);
  });
  const { socket } = await rawConnection(Number(new URL(url).port));
  socket.write(`${head(`Content-Length: ${good.length}`)}${good}`);
  await arrived.promise;
  socket.resetAndDestroy();
  await left.promise;
  expect(answered).toEqual([]);
  stored.resolve();
  await expect.poll(() => answered).toMatchObject([{ status: 499, code: 'client_gone', accepted: 1 }]);
});

test('a chunked body is accepted', async () => {
  const { port, messages } = await listening();
  const { socket, ended } = await rawConnection(port);
  socket.write(head('Transfer-Encoding: chunked\r\nConnection: close'));
  for (const part of good.match(/.{1,7}/g) ?? []) socket.write(`${part.length.toString(16)}\r\n${part}\r\n`);
  socket.write('0\r\n\r\n');
  expect(statuses(await ended)).toEqual(['HTTP/1.1 200']);
  expect(messages).toHaveLength(1);
});

test('pipelined requests on one connection are answered in order', async () => {
  const { port, messages } = await listening();
  const { socket, ended } = await rawConnection(port);
  const asked = `${head(`Content-Length: ${good.length}`)}${good}`;
  socket.write([asked, asked, head('Content-Length: 1\r\nConnection: close'), '{'].join(''));
  expect(statuses(await ended)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400']);
  expect(messages).toHaveLength(2);
});

test.each([
  ['no HTTP', 'hello\r\n\r\n', '400', 'malformed_request'],
  ['malformed chunks', `${head('Transfer-Encoding: chunked')}zz\r\n`, '400', 'malformed_request'],
  ['20 KB of headers', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, '431', 'headers_too_large'],
])('%s is refused in JSON', async (_, bytes, status, code) => {
  const { port } = await listening();
  const { socket, ended } = await rawConnection(port);
  socket.write(bytes);
  const received = await ended;
  expect(statuses(received)).toEqual([`HTTP/1.1 ${status}`]);
  expect(JSON.parse(received.slice(received.indexOf('{')))).toEqual({ code, message: expect.any(String) });
});

test('100 concurrent connections are served', async () => {
  const { url, messages } = await listening();
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  const body = gzipSync(good);
  const one = () =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { authorization: basic('dev'), 'content-encoding': 'gzip' };
      const outgoing = request(`${url}/v1/batch`, { method: 'POST', agent, headers }, (incoming) => {
        incoming.resume().on('end', () => resolve(incoming.statusCode));
      });
      outgoing.on('error', reject).end(body);
    });
  const replies = await Promise.all(Array.from({ length: 300 }, one));
  agent.destroy();
  expect(new Set(replies)).toEqual(new Set([200]));
  expect(messages).toHaveLength(300);
});
