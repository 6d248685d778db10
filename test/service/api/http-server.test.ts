import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HttpServer } from '../../../src/service/api/http-server.js';
import { basic, rawConnection } from '../../collector/support.js';
import { serve } from '../../support/loopback.js';
import { configOf, destinationOf, serving, TOKEN, track } from '../support.js';

const config = configOf({ destinations: [destinationOf('http://127.0.0.1:9/')] });
const portOf = (url: string): number => Number(new URL(url).port);

/** The status of each answer that arrived over a connection. */
const statuses = (received: string): number[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));

describe.each(['http://elsewhere.example', '/'])('a path behind %s', (before) => {
  test("a request below the path of a proxy reaches the collector and the service's routes", async () => {
    const { url } = await serving(config);
    const { socket, ended } = await rawConnection(portOf(url));
    const body = JSON.stringify({ batch: [track('m1')] });
    socket.write(`GET ${before}/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    socket.write(
      `GET ${before}/v1/deliveries?user=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`,
    );
    const head = `Host: localhost\r\nAuthorization: ${basic('dev')}\r\nContent-Length: ${body.length}\r\nConnection: close`;
    socket.write(`POST ${before}/v1/batch HTTP/1.1\r\n${head}\r\n\r\n${body}`);
    expect(statuses(await ended)).toEqual([200, 200, 200]);
  });
});

describe('a body that drips', () => {
  /** Calls with a body that are answered before the body is read, and the status of the answer. */
  const UNREAD = [
    ['GET', '/', 404],
    ['GET', '/healthz', 200],
    ['GET', '/readyz', 200],
    ['GET', '/metrics', 401],
    ['GET', '/v1/session', 200],
    ['DELETE', '/v1/session', 204],
    ['GET', '/v1/status', 401],
    ['POST', '/v1/deletions', 401],
    ['PUT', '/v1/audiences/buyers', 401],
    ['PUT', '/v1/traits/score', 401],
    ['GET', '/v1/nothing', 404],
    ['PUT', '/healthz', 405],
  ] as const;

  test.each([
    ['with its length', 'Content-Length: 100000', ' '],
    ['in chunks', 'Transfer-Encoding: chunked', '1\r\n \r\n'],
  ])('a body that drips %s to a call that does not read it is disconnected soon', async (_, announced, drop) => {
    const { url } = await serving(config);
    const answers = UNREAD.map(async ([method, path]) => {
      const { socket, ended } = await rawConnection(portOf(url));
      socket.write(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${announced}\r\n\r\n`);
      const drip = setInterval(() => socket.write(drop), 100);
      return statuses(await ended.finally(() => clearInterval(drip)));
    });
    expect(await Promise.all(answers)).toEqual(UNREAD.map(([, , status]) => [status]));
  });

  test('a dripped body is disconnected at the deadline if the call is never answered', async () => {
    const port = new HttpServer(50);
    const socket = connect(portOf(await serve(port.watched(() => {}))), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {}).resume();
    socket.write('GET /v1/feed HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n');
    const drip = setInterval(() => socket.write(' '), 5);
    await once(socket, 'close');
    clearInterval(drip);
  });
});
