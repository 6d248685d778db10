import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HttpServer } from '../../src/service/api/http-server.js';
import { lmdbStorage } from '../../src/store/lmdb/lmdb-storage.js';
import { newFolder } from '../cli/files.js';
import { basic, rawConnection } from '../collector/support.js';
import { serve } from '../support/loopback.js';
import { configOf, destinationOf, serving, TOKEN, track } from './support.js';

const config = configOf({ destinations: [destinationOf('http://127.0.0.1:9/')] });
const portOf = (url: string): number => Number(new URL(url).port);

/** The status of each answer that came over a connection. */
const statuses = (received: string): number[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));

describe.each(['http://elsewhere.example', '/'])('a path behind %s', (before) => {
  test('finds the collector and the calls of the service', async () => {
    const { url } = await serving(config);
    const { socket, ended } = await rawConnection(portOf(url));
    const body = JSON.stringify({ batch: [track('m1')] });
    socket.write(`GET ${before}/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    socket.write(`GET ${before}/v1/status?x=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`);
    const head = `Host: localhost\r\nAuthorization: ${basic('dev')}\r\nContent-Length: ${body.length}\r\nConnection: close`;
    socket.write(`POST ${before}/v1/batch HTTP/1.1\r\n${head}\r\n\r\n${body}`);
    expect(statuses(await ended)).toEqual([200, 200, 200]);
  });
});

describe('a body that is dripped', () => {
  /** Calls with a body that each is answered without, and by what. */
  const UNREAD = [
    ['GET', '/', 404],
    ['GET', '/healthz', 200],
    ['GET', '/readyz', 200],
    ['GET', '/metrics', 200],
    ['GET', '/v1/session', 200],
    ['DELETE', '/v1/session', 204],
    ['GET', '/v1/status', 401],
    ['POST', '/v1/deletions', 401],
    ['PUT', '/v1/audiences/buyers', 401],
    ['GET', '/v1/nothing', 404],
    ['PUT', '/healthz', 405],
  ] as const;

  test.each([
    ['with its length', 'Content-Length: 100000', ' '],
    ['in chunks', 'Transfer-Encoding: chunked', '1\r\n \r\n'],
  ])('%s to a call that does not read it ends its connection soon', async (_, announced, drop) => {
    const { url } = await serving(config);
    const answers = UNREAD.map(async ([method, path]) => {
      const { socket, ended } = await rawConnection(portOf(url));
      socket.write(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${announced}\r\n\r\n`);
      const drip = setInterval(() => socket.write(drop), 100);
      return statuses(await ended.finally(() => clearInterval(drip)));
    });
    expect(await Promise.all(answers)).toEqual(UNREAD.map(([, , status]) => [status]));
  });

  test('to a call that is not answered at all ends its connection at the deadline', async () => {
    const port = new HttpServer(() => {}, 50);
    const socket = connect(portOf(await serve(port.handler)), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {}).resume();
    socket.write('GET /v1/feed HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n');
    const drip = setInterval(() => socket.write(' '), 5);
    await once(socket, 'close');
    clearInterval(drip);
  });
});

describe('what is longer than anything that could be there', () => {
  const long = 'x'.repeat(5_000);
  const cursor = (at: string, id: string): string => Buffer.from(`${at} ${id}`).toString('base64url');

  test.each([
    ['the id of a delivery', `/v1/deliveries/${long}`, 'invalid_path'],
    ['an id of few characters and many bytes', `/v1/deliveries/${'%E2%82%AC'.repeat(400)}`, 'invalid_path'],
    ['an id that is no UTF-8', '/v1/deliveries/%E2%82', 'invalid_path'],
    ['the id of a deletion', `/v1/deletions/${long}`, 'invalid_path'],
    ['the name of a source', `/v1/sources/${long}/counts`, 'invalid_path'],
    ['the name of a destination', `/v1/destinations/${long}/dead-letters`, 'invalid_path'],
    ['the name of an audience', `/v1/audiences/${long}`, 'invalid_path'],
    ['the value of a query', `/v1/status?x=${long}`, 'invalid_query'],
    ['the name of a query', `/v1/status?${long}`, 'invalid_query'],
    ['the URL of a webhook', `/v1/destinations/crm/dead-letters?endpoint=${long}`, 'invalid_query'],
    [
      'the id in a cursor',
      `/v1/destinations/crm/dead-letters?after=${cursor('1', 'x'.repeat(1_500))}`,
      'invalid_query',
    ],
    [
      'the time in a cursor',
      `/v1/destinations/crm/dead-letters?after=${cursor('999999999999999', 'm')}`,
      'invalid_query',
    ],
    ['a cursor of anything', '/v1/destinations/crm/dead-letters?after=%FF', 'invalid_query'],
    ['a limit', `/v1/deletions?limit=${'9'.repeat(50)}`, 'invalid_query'],
    ['a number of hours', `/v1/sources/website/counts?hours=${'9'.repeat(50)}`, 'invalid_query'],
  ])('is refused as %s', async (_, path, code) => {
    const storage = await lmdbStorage({ path: await newFolder() });
    onTestFinished(() => storage.close());
    const { ask } = await serving(config, { storage });
    expect(await ask(path)).toMatchObject({ status: 400, body: { code } });
  });

  test('is refused as the id of a replay', async () => {
    const { ask } = await serving(config);
    const answer = await ask('/v1/destinations/crm/replay', { method: 'POST', json: { id: long } });
    expect(answer).toMatchObject({ status: 422, body: { code: 'invalid_field' } });
  });

  test('is not an id of the longest kind, with its source before it', async () => {
    const { ask } = await serving(config);
    const id = encodeURIComponent(`${'s'.repeat(100)}/${'\u20ac'.repeat(100)}`);
    expect((await ask(`/v1/deliveries/${id}`)).status).toBe(404);
  });
});
