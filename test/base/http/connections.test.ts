import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import * as undici from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { hideInterim, isClosed, openPool, type PooledRequest } from '../../../src/base/http/connections.js';
import { answerWith, rawServer, writePieces } from '../../support/raw-server.js';

function poolTo(origin: string, connections = 1) {
  const pool = openPool(undici, origin, { connections, connect: undici.buildConnector({}) });
  onTestFinished(() => pool.destroy());
  return pool;
}

type Pool = ReturnType<typeof poolTo>;

/** Sends a request like the client and the destination; resolves with its status, or with its error. */
function post(pool: Pool): Promise<number | Error> {
  const request: PooledRequest = { method: 'POST', path: '/', body: '{}' };
  return new Promise((resolve) => {
    let status = 0;
    const handler: undici.Dispatcher.DispatchHandler = {
      onRequestStart() {},
      onResponseStart(_, given) {
        status = given;
      },
      onResponseData() {},
      onResponseEnd() {
        if (request.connection !== undefined) request.connection.isReused = true;
        resolve(status);
      },
      onResponseError(_, error) {
        if (request.connection?.repeats(request, handler, error) !== true) resolve(error);
      },
    };
    pool.dispatch(request, handler);
  });
}

test('a request on a reused connection that was just closed is sent again once, over a new connection', async () => {
  // The second and the fourth request find a connection that is being closed; after that the server closes every connection.
  const server = await rawServer((socket, requests) => {
    if (requests === 2 || requests >= 4) socket.destroy();
    else socket.write(answerWith(''));
  });
  const pool = poolTo(server.url);
  expect(await post(pool)).toBe(200);
  expect(await post(pool)).toBe(200);
  expect(server.bodies).toHaveLength(3);
  const error = await post(pool);
  expect(error instanceof Error && isClosed(error)).toBe(true);
  expect([server.bodies.length, server.connections()]).toEqual([5, 3]);
});

test('a request on a new connection that is closed is not sent again', async () => {
  const server = await rawServer((socket) => socket.destroy());
  expect(await post(poolTo(server.url))).toBeInstanceOf(Error);
  expect(server.bodies).toHaveLength(1);
});

/** Returns what is read from a socket after hideInterim, for data that arrives in these pieces. */
async function read(pieces: readonly string[], request = 'POST'): Promise<string> {
  const server = await rawServer(() => {});
  const socket: Socket = connect(server.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  hideInterim(socket);
  if (request !== '') socket.write(request);
  let text = '';
  // This puts the data into the buffer in which the socket keeps received data.
  for (const piece of pieces) {
    socket.unshift(Buffer.from(piece));
    for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) text += chunk;
  }
  return text;
}

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\n\r\n';

test.each([
  ['a response without interim ones', [OK], OK],
  ['a 100 Continue and the response in one piece', [CONTINUE + OK], OK],
  ['a 100 Continue that is split in the middle of its end', ['HTTP/1.1 100 Continue\r\n\r', `\n${OK}`], OK],
  [
    'a response that is split where it could still be a 100',
    ['HTTP/1.1 ', '100', ' Continue\r\n\r\nHTTP/1.1 2', '00'],
    'HTTP/1.1 200',
  ],
  ['several interim responses', ['HTTP/1.1 103 Early Hints\r\n\r\n', CONTINUE, OK], OK],
  ['a second response head', [OK, CONTINUE], OK + CONTINUE],
])('hideInterim removes interim responses and nothing else: %s', async (_, pieces, text) => {
  expect(await read(pieces)).toBe(text);
});

test('hideInterim does not change what arrives before the first request', async () => {
  expect(await read([CONTINUE], '')).toBe(CONTINUE);
});

test('hideInterim holds back at most 16 KB of a response head', async () => {
  const head = `HTTP/1.1 100 Continue\r\nX: ${'x'.repeat(16_384)}`;
  expect(await read([head])).toBe(head);
});

test('a pool works with a server that sends 100 Continue before each response', async () => {
  const server = await rawServer((socket) => writePieces(socket, [CONTINUE], answerWith('')));
  const pool = poolTo(server.url);
  expect([await post(pool), await post(pool)]).toEqual([200, 200]);
  expect(server.connections()).toBe(1);
});
