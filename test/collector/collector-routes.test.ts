import { expect, test } from 'vitest';
import { targetOf } from '../../src/collector/collector-routes.js';
import { MESSAGE_TYPES } from '../../src/protocol/field-table.js';
import { NEEDED } from '../support/sample-calls.js';
import { head, listening, post, rawConnection, send, track } from './support.js';

test.each(['/v1/batch', '/v1/batch/', '/v1/batch?source=x', '/v1/import', '/v1/import/', '/v1/b'])(
  'a batch is accepted at %s',
  async (path) => {
    const { url, messages } = await listening();
    const reply = await send(url, path, { body: JSON.stringify({ batch: [track(), track()] }) });
    expect([reply.status, reply.text, messages.length]).toEqual([200, '{"success":true}', 2]);
  },
);

test.each([
  'http://elsewhere.example/v1/batch',
  'HTTPS://elsewhere.example:8443/v1/batch?x=1',
  '//v1/batch',
  '///v1/b/',
])('a batch is accepted at the target %s', async (path) => {
  const { port, messages } = await listening();
  const body = JSON.stringify({ batch: [track()] });
  const { socket, ended } = await rawConnection(port);
  socket.write(`${head(`Connection: close\r\nContent-Length: ${body.length}`).replace('/v1/batch', path)}${body}`);
  expect(await ended).toMatch(/^HTTP\/1\.1 200 .*\{"success":true\}$/s);
  expect(messages).toHaveLength(1);
});

test.each([
  ['/v1/batch?to=//x', '/v1/batch?to=//x'],
  ['http://host', '/'],
  ['http://host?x=http://y', '/?x=http://y'],
  ['//', '/'],
  ['', '/'],
  ['*', '*'],
  ['/a//b', '/a//b'],
])('targetOf(%j) is %j', (url, path) => expect(targetOf(url)).toBe(path));

/** The short names of the types' paths, which Segment's and RudderStack's clients for browsers use. */
const SHORT_PATHS: Readonly<Record<string, string>> = {
  identify: '/v1/i',
  track: '/v1/t',
  page: '/v1/p',
  screen: '/v1/s/',
  group: '/v1/g',
  alias: '/v1/a?x=1',
};

test.each([...MESSAGE_TYPES.map((type) => [type, `/v1/${type}`]), ...Object.entries(SHORT_PATHS)])(
  'a single %s is accepted at %s, with its type or without',
  async (type = '', path = '') => {
    const { url, messages } = await listening();
    for (const body of [NEEDED, { ...NEEDED, type }, { ...NEEDED, type: null }]) {
      expect((await send(url, path, { body: JSON.stringify(body) })).text).toBe('{"success":true}');
    }
    expect(messages.map((received) => received.type)).toEqual(Array(3).fill(type));
  },
);

test('a single call whose type differs from its path is refused', async () => {
  const { url } = await listening();
  const reply = await send(url, '/v1/track', { body: '{"type":"page","userId":"u"}' });
  expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_type' } });
});

test('a single call with a mistake is refused with a description of it', async () => {
  const { url } = await listening();
  const reply = await send(url, '/v1/track', { body: '{"userId":"u"}' });
  expect(reply).toMatchObject({
    status: 400,
    body: { code: 'missing_event', message: 'event: expected a non-empty string, got undefined' },
  });
});

test.each(['/', '/v1', '/v1/batch/x', '/v1/none', '/v2/batch'])('the path %s does not exist', async (path) => {
  const { url } = await listening();
  expect(await send(url, path, { body: '{}' })).toMatchObject({ status: 404, body: { code: 'not_found' } });
});

test.each(['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH'])('%s /v1/batch is not allowed', async (method) => {
  const { url } = await listening();
  const reply = await send(url, '/v1/batch', { method });
  expect(reply).toMatchObject({ status: 405, headers: { allow: 'POST, OPTIONS' } });
});

test('POST /healthz is not allowed', async () => {
  const { url } = await listening();
  expect(await send(url, '/healthz', {})).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD, OPTIONS' } });
});

test.each(['GET', 'HEAD'])('%s /healthz reports that the collector is healthy', async (method) => {
  const { url } = await listening();
  expect(await send(url, '/healthz', { method })).toMatchObject({ status: 200 });
});

test('a Host that does not form a URL is refused in JSON', async () => {
  const { url } = await listening();
  const reply = await send(url, '/v1/batch', { headers: { host: 'a b' }, body: '{}' });
  expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
});

const preflight = {
  origin: 'https://shop.example',
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,content-type',
};

test.each(['/v1/batch', '/v1/t'])('a browser may send to %s with the headers that it asks for', async (path) => {
  const { url } = await listening();
  const reply = await send(url, path, { method: 'OPTIONS', headers: preflight });
  expect(reply).toMatchObject({
    status: 204,
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST, OPTIONS',
      'access-control-allow-headers': 'authorization,content-type',
    },
  });
});

test.each([{ batch: [track()] }, { batch: [] }])('a browser may read the response to %j', async (batch) => {
  const { url } = await listening();
  const reply = await post(url, batch, { origin: 'https://shop.example' });
  expect(reply.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'Retry-After',
  });
});
