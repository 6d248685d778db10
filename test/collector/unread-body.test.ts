import { once } from 'node:events';
import { expect, test } from 'vitest';
import { basic, head, listening, post, rawConnection, track } from './support.js';

const good = JSON.stringify({ batch: [track()] });

/** Returns the status lines of everything that arrived over a connection. */
const statuses = (received: string): string[] => received.match(/HTTP\/1\.1 \d{3}/g) ?? [];

/** Requests that are answered without reading their body. */
const UNREAD = [
  ['GET', '/', 404],
  ['GET', '/healthz', 200],
  ['GET', '/metrics', 200],
  ['GET', '/v1/batch', 405],
  ['OPTIONS', '/v1/batch', 204],
  ['POST', '/v1/nothing', 404],
] as const;

test.each([
  ['with a Content-Length', 'Content-Length: 100000', ' '],
  ['in chunks', 'Transfer-Encoding: chunked', '1\r\n \r\n'],
])('a slow body that is declared %s and not read soon ends its connection', async (_, announced, drop) => {
  const { port } = await listening({ bodyTimeout: 60_000 });
  const answers = UNREAD.map(async ([method, path]) => {
    const { socket, ended } = await rawConnection(port);
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${announced}\r\n\r\n`);
    const drip = setInterval(() => socket.write(drop), 100);
    return statuses(await ended.finally(() => clearInterval(drip)));
  });
  expect(await Promise.all(answers)).toEqual(UNREAD.map(([, , status]) => [`HTTP/1.1 ${status}`]));
});

test('a body of 20 MB is refused before it is sent, and its connection is soon closed', async () => {
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

test('a body for which there is no room is refused because of its headers', async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { url, port } = await listening({ maxBytesInFlight: 8_388_608, onMessages: () => held });
  const large = good.padEnd(500_000);
  const others = Array.from({ length: 14 }, () => post(url, large));
  // The body is never sent, so a server that waits for it would not respond.
  const refused = async (): Promise<boolean> => {
    const { socket, ended } = await rawConnection(port);
    socket.end(head('Content-Length: 400000'));
    return /^HTTP\/1\.1 429 .*"code":"too_busy"/s.test(await ended);
  };
  await expect.poll(refused).toBe(true);
  release();
  for (const other of others) expect((await other).status).toBe(200);
});

test('an endless chunked body is answered while it is being sent, and its connection is closed', async () => {
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

test('a client that reads nothing until it has sent everything still gets the refusal', async () => {
  const { port } = await listening();
  const { socket, ended } = await rawConnection(port);
  socket.pause();
  const body = Buffer.alloc(3_000_000);
  socket.write(head(`Content-Length: ${body.length}\r\nConnection: close`).replace(basic('dev'), basic('who')));
  await new Promise((resolve) => socket.write(body, resolve));
  socket.resume();
  expect(await ended).toMatch(/^HTTP\/1\.1 401 .*"code":"unknown_write_key"/s);
});

test('a connection is kept after a refusal whose body was short', async () => {
  const { port } = await listening();
  const { socket, ended } = await rawConnection(port);
  socket.write(head('Content-Length: 5').replace(basic('dev'), basic('who')));
  socket.write('12345');
  socket.write(`${head(`Content-Length: ${good.length}\r\nConnection: close`)}${good}`);
  expect(statuses(await ended)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200']);
});

const expecting = (length: number) => head(`Content-Length: ${length}\r\nExpect: 100-continue\r\nConnection: close`);

test('Expect: 100-continue is answered 100, and the body that follows is accepted', async () => {
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
  ['a body that is too large', expecting(600_000), '400'],
])('Expect: 100-continue is not answered 100 for %s', async (_, headers, status) => {
  const { port } = await listening();
  const { socket, ended } = await rawConnection(port);
  socket.write(headers);
  expect(statuses(await ended)).toEqual([`HTTP/1.1 ${status}`]);
});
