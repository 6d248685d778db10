import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { basic, head, listening, post, rawConnection, track } from './support.js';

const good = JSON.stringify({ batch: [track()] });

/** The status lines of everything that came over a connection. */
const statuses = (received: string): string[] => received.match(/HTTP\/1\.1 \d{3}/g) ?? [];

describe('a sender that is slow or silent', () => {
  test('and says nothing at all is answered 408 and cut off', async () => {
    const { port } = await listening({ headersTimeout: 100 });
    const { ended } = await rawConnection(port);
    expect(await ended).toMatch(/^HTTP\/1\.1 408 .*"code":"request_timeout"/s);
  });

  test('and never ends its headers is answered 408 and cut off', async () => {
    const { port } = await listening({ headersTimeout: 100 });
    const { socket, ended } = await rawConnection(port);
    socket.write('POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
    expect(await ended).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('and sends half a body is answered 408 and cut off', async () => {
    const { port, messages, answered } = await listening({ bodyTimeout: 50 });
    const { socket, ended } = await rawConnection(port);
    socket.write(`${head(`Content-Length: ${good.length}`)}${good.slice(0, 10)}`);
    expect(await ended).toMatch(/^HTTP\/1\.1 408 .*"code":"body_timeout"/s);
    expect(messages).toEqual([]);
    expect(answered).toMatchObject([{ status: 408 }]);
  });

  test('and drips its body byte by byte gains no time by it', async () => {
    const { port } = await listening({ bodyTimeout: 100 });
    const { socket, ended } = await rawConnection(port);
    socket.write(head('Content-Length: 100000'));
    const drip = setInterval(() => socket.write(' '), 5);
    expect(await ended).toMatch(/^HTTP\/1\.1 408 /);
    clearInterval(drip);
  });
});

/** Answers, with nothing of the body read. */
const UNREAD = [
  ['GET', '/', 404],
  ['GET', '/healthz', 200],
  ['GET', '/metrics', 200],
  ['GET', '/v1/batch', 405],
  ['OPTIONS', '/v1/batch', 204],
  ['POST', '/v1/nothing', 404],
] as const;

test.each([
  ['with its length', 'Content-Length: 100000', ' '],
  ['in chunks', 'Transfer-Encoding: chunked', '1\r\n \r\n'],
])('a body that is announced %s, dripped and not read ends its connection soon', async (_, announced, drop) => {
  const { port } = await listening({ bodyTimeout: 60_000 });
  const answers = UNREAD.map(async ([method, path]) => {
    const { socket, ended } = await rawConnection(port);
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${announced}\r\n\r\n`);
    const drip = setInterval(() => socket.write(drop), 100);
    return statuses(await ended.finally(() => clearInterval(drip)));
  });
  expect(await Promise.all(answers)).toEqual(UNREAD.map(([, , status]) => [`HTTP/1.1 ${status}`]));
});

test('a client that goes away in the middle of its body is forgotten', async () => {
  const { port, url, answered, messages } = await listening();
  const { socket } = await rawConnection(port);
  socket.write(`${head(`Content-Length: ${good.length}`)}${good.slice(0, 10)}`, () => socket.resetAndDestroy());
  await once(socket, 'close');
  await expect.poll(() => answered).toMatchObject([{ status: 499 }]);
  expect(messages).toEqual([]);
  expect((await post(url, good)).status).toBe(200);
});

test('a body of 20 MB is refused before it is sent, and its connection cut off early', async () => {
  const { port } = await listening();
  const { socket, ended } = await rawConnection(port);
  socket.write(head('Content-Length: 20000000'));
  let sent = 0;
  const chunk = Buffer.alloc(64 * 1024);
  const feed = (): void => {
    while (sent < 20_000_000 && !socket.destroyed) {
      sent += chunk.length;
      if (!socket.write(chunk)) return;
    }
  };
  socket.on('drain', feed);
  feed();
  expect(await ended).toMatch(/^HTTP\/1\.1 400 .*Connection: close.*"code":"body_too_large"/s);
  expect(sent).toBeLessThan(20_000_000);
});

test('a body for which there is no room is refused by what its headers say of it', async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { url, port } = await listening({ maxBytesInFlight: 8_388_608, onMessages: () => held });
  const large = good.padEnd(500_000);
  const others = Array.from({ length: 14 }, () => post(url, large));
  // Nothing of the body is ever sent, so whoever waits for it gives no answer.
  const refused = async (): Promise<boolean> => {
    const { socket, ended } = await rawConnection(port);
    socket.end(head('Content-Length: 400000'));
    return /^HTTP\/1\.1 429 .*"code":"too_busy"/s.test(await ended);
  };
  await expect.poll(refused).toBe(true);
  release();
  for (const other of others) expect((await other).status).toBe(200);
});

test('an endless chunked body is answered while it is being sent, and cut off', async () => {
  const { port } = await listening();
  const { socket, ended } = await rawConnection(port);
  socket.write(head('Transfer-Encoding: chunked'));
  const chunk = `${(64 * 1024).toString(16)}\r\n${'x'.repeat(64 * 1024)}\r\n`;
  const feed = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', feed);
  feed();
  expect(await ended).toMatch(/^HTTP\/1\.1 400 .*"code":"body_too_large"/s);
});

test('a client that reads nothing until it has sent everything still gets its refusal', async () => {
  const { port } = await listening();
  const { socket, ended } = await rawConnection(port);
  socket.pause();
  const body = Buffer.alloc(3_000_000);
  socket.write(head(`Content-Length: ${body.length}\r\nConnection: close`).replace(basic('dev'), basic('who')));
  await new Promise((resolve) => socket.write(body, resolve));
  socket.resume();
  expect(await ended).toMatch(/^HTTP\/1\.1 401 .*"code":"unknown_write_key"/s);
});

test('a connection goes on after a refusal whose body was short', async () => {
  const { port } = await listening();
  const { socket, ended } = await rawConnection(port);
  socket.write(head('Content-Length: 5').replace(basic('dev'), basic('who')));
  socket.write('12345');
  socket.write(`${head(`Content-Length: ${good.length}\r\nConnection: close`)}${good}`);
  expect(statuses(await ended)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200']);
});

describe('Expect: 100-continue', () => {
  const expecting = (length: number) => head(`Content-Length: ${length}\r\nExpect: 100-continue\r\nConnection: close`);

  test('is answered 100, and the body that follows is taken', async () => {
    const { port, messages } = await listening();
    const { socket, ended } = await rawConnection(port);
    socket.write(expecting(good.length));
    await once(socket, 'data');
    socket.write(good);
    expect(statuses(await ended)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200']);
    expect(messages).toHaveLength(1);
  });

  test.each([
    ['a stranger', expecting(good.length).replace(basic('dev'), basic('who')), '401'],
    ['a body too large', expecting(600_000), '400'],
  ])('is not answered 100 for %s', async (_, headers, status) => {
    const { port } = await listening();
    const { socket, ended } = await rawConnection(port);
    socket.write(headers);
    expect(statuses(await ended)).toEqual([`HTTP/1.1 ${status}`]);
  });
});

test('a body in chunks is taken', async () => {
  const { port, messages } = await listening();
  const { socket, ended } = await rawConnection(port);
  socket.write(head('Transfer-Encoding: chunked\r\nConnection: close'));
  for (const part of good.match(/.{1,7}/g) ?? []) socket.write(`${part.length.toString(16)}\r\n${part}\r\n`);
  socket.write('0\r\n\r\n');
  expect(statuses(await ended)).toEqual(['HTTP/1.1 200']);
  expect(messages).toHaveLength(1);
});

test('requests sent ahead on one connection are answered in order', async () => {
  const { port, messages } = await listening();
  const { socket, ended } = await rawConnection(port);
  const asked = `${head(`Content-Length: ${good.length}`)}${good}`;
  socket.write([asked, asked, head('Content-Length: 1\r\nConnection: close'), '{'].join(''));
  expect(statuses(await ended)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400']);
  expect(messages).toHaveLength(2);
});

test.each([
  ['no HTTP', 'hello\r\n\r\n', '400', 'malformed_request'],
  ['chunks that are none', `${head('Transfer-Encoding: chunked')}zz\r\n`, '400', 'malformed_request'],
  ['20 KB of headers', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, '431', 'headers_too_large'],
])('%s is refused in JSON', async (_, bytes, status, code) => {
  const { port } = await listening();
  const { socket, ended } = await rawConnection(port);
  socket.write(bytes);
  const received = await ended;
  expect(statuses(received)).toEqual([`HTTP/1.1 ${status}`]);
  expect(JSON.parse(received.slice(received.indexOf('{')))).toEqual({ code, message: expect.any(String) });
});

test('100 connections at once are served', async () => {
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
