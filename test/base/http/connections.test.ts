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

/** Sends a request as the client and the destination do; resolves with its status, or its error. */
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

test('a request on a connection that was closed before is sent again at once, once, on a new one', async () => {
  // The second request finds a connection that is being closed, the fourth one too, and then a server that closes all.
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

/** What is read of a socket on which hiding begins, in the pieces in which it comes. */
async function read(pieces: readonly string[], request = 'POST'): Promise<string> {
  const server = await rawServer(() => {});
  const socket: Socket = connect(server.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  hideInterim(socket);
  if (request !== '') socket.write(request);
  let text = '';
  // What comes is put where the socket would put it.
  for (const piece of pieces) {
    socket.unshift(Buffer.from(piece));
    for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) text += chunk;
  }
  return text;
}

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\n\r\n';

test.each([
  ['an answer alone', [OK], OK],
  ['a 100 Continue and the answer in one piece', [CONTINUE + OK], OK],
  ['a 100 Continue that is cut in the middle of its end', ['HTTP/1.1 100 Continue\r\n\r', `\n${OK}`], OK],
  [
    'an answer that is cut where it could still be a 100',
    ['HTTP/1.1 ', '100', ' Continue\r\n\r\nHTTP/1.1 2', '00'],
    'HTTP/1.1 200',
  ],
  ['several of them', ['HTTP/1.1 103 Early Hints\r\n\r\n', CONTINUE, OK], OK],
  ['a second head', [OK, CONTINUE], OK + CONTINUE],
])('hideInterim lets through what is no interim answer: %s', async (_, pieces, text) => {
  expect(await read(pieces)).toBe(text);
});

test('hideInterim leaves alone what comes before any request', async () => {
  expect(await read([CONTINUE], '')).toBe(CONTINUE);
});

test('hideInterim holds a head back no longer than 16 KB', async () => {
  const head = `HTTP/1.1 100 Continue\r\nX: ${'x'.repeat(16_384)}`;
  expect(await read([head])).toBe(head);
});

test('a pool writes to a server that sends 100 Continue before each answer', async () => {
  const server = await rawServer((socket) => writePieces(socket, [CONTINUE], answerWith('')));
  const pool = poolTo(server.url);
  expect([await post(pool), await post(pool)]).toEqual([200, 200]);
  expect(server.connections()).toBe(1);
});
