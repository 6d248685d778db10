import { describe, expect, onTestFinished, test } from 'vitest';
import { readQuery } from '../../../src/service/api/request-target.js';
import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';
import { newFolder } from '../../cli/files.js';
import { configOf, destinationOf, serving } from '../support.js';

const config = configOf({ destinations: [destinationOf('http://127.0.0.1:9/')] });

describe('a part of a request that is too long', () => {
  const long = 'x'.repeat(5_000);
  const base64 = (text: string): string => Buffer.from(text).toString('base64url');
  const cursor = (at: string, id: string): string => base64(JSON.stringify(['crm', base64(`${at} ${id}`)]));

  test.each([
    ['the id of a delivery', `/v1/deliveries/${long}`, 'invalid_path'],
    ['an id of few characters and many bytes', `/v1/deliveries/${'%E2%82%AC'.repeat(400)}`, 'invalid_path'],
    ['an id that is not UTF-8', '/v1/deliveries/%E2%82', 'invalid_path'],
    ['the id of a deletion', `/v1/deletions/${long}`, 'invalid_path'],
    ['the name of a source', `/v1/sources/${long}/counts`, 'invalid_path'],
    ['the name of a destination', `/v1/destinations/${long}/history`, 'invalid_path'],
    ['the name of an audience', `/v1/audiences/${long}`, 'invalid_path'],
    ['the value of a query', `/v1/status?x=${long}`, 'invalid_query'],
    ['the name of a query', `/v1/status?${long}`, 'invalid_query'],
    ['the URL of a webhook', `/v1/deliveries?phase=dead&endpoint=${long}`, 'invalid_query'],
    ['the id in a cursor', `/v1/deliveries?phase=dead&after=${cursor('1', 'x'.repeat(1_500))}`, 'invalid_query'],
    ['the time in a cursor', `/v1/deliveries?phase=dead&after=${cursor('999999999999999', 'm')}`, 'invalid_query'],
    ['an invalid cursor', '/v1/deliveries?phase=dead&after=%FF', 'invalid_query'],
    ['a limit', `/v1/deletions?limit=${'9'.repeat(50)}`, 'invalid_query'],
    ['a number of hours', `/v1/sources/website/counts?hours=${'9'.repeat(50)}`, 'invalid_query'],
  ])('a request with a part that is too long is refused: %s', async (_, path, code) => {
    const storage = await lmdbStorage({ path: await newFolder() });
    onTestFinished(() => storage.close());
    const { ask } = await serving(config, { storage });
    expect(await ask(path)).toMatchObject({ status: 400, body: { code } });
  });

  test('a replay with an id that is too long is refused', async () => {
    const { ask } = await serving(config);
    const answer = await ask('/v1/deliveries/replay', { method: 'POST', json: { destination: 'crm', id: long } });
    expect(answer).toMatchObject({ status: 422, body: { code: 'invalid_field' } });
  });

  test('the longest id with its source before it is accepted', async () => {
    const { ask } = await serving(config);
    const id = encodeURIComponent(`${'s'.repeat(100)}/${'\u20ac'.repeat(100)}`);
    expect((await ask(`/v1/deliveries/${id}`)).status).toBe(404);
  });
});

test.each([
  ['/v1/deliveries?usr=u1', '`usr` is not a parameter of this call, which takes destination, id, user, event, '],
  ['/v1/jobs?Limit=5', '`Limit` is not a parameter of this call, which takes limit, after'],
  ['/v1/destinations?user=u1', '`user` is not a parameter of this call, which takes q, state, sort, '],
])('an unknown parameter, as in %s, is refused with the list of known ones', async (path, message) => {
  const { ask } = await serving(configOf({ destinations: [destinationOf('http://127.0.0.1:9/hook')] }));
  const { status, body } = await ask(path);
  expect({ status, ...body }).toEqual({
    status: 400,
    code: 'invalid_query',
    message: expect.stringContaining(message),
  });
});

test('health and metrics accept any query, because proxies add parameters', async () => {
  const { ask } = await serving(configOf());
  for (const path of ['/healthz', '/metrics']) expect((await ask(`${path}?t=1`)).status).toBe(200);
});

const read = (route: Parameters<typeof readQuery>[0], query: string) => readQuery(route, `?${query}`);

test('a long parameter name is shortened in the error', () => {
  expect(() => read('GET /v1/status', 'x'.repeat(500))).toThrow(/`x{30,45}…?/);
});

test('a query is converted to the values that it stands for', () => {
  expect(read('GET /v1/changes', '')).toEqual({});
  expect(read('GET /v1/sources/:name/history', 'range=7d')).toEqual({ range: '7d' });
  expect(read('GET /v1/deliveries', 'limit=500&from=2026-11-20T13:00:00%2B01:00&status=5xx')).toEqual({
    ...{ limit: 500, from: '2026-11-20T12:00:00.000Z', status: '5xx' },
  });
});

test.each([
  ['GET /v1/deliveries', 'limit=0', '`limit`: expected an integer from 1 to 500, got string "0"'],
  ['GET /v1/deliveries', 'limit=1e2', '`limit`: expected an integer from 1 to 500, got string "1e2"'],
  ['GET /v1/deliveries', 'phase=', '`phase`: expected one of delivered, spared, waiting, dead, got string ""'],
  ['GET /v1/deliveries', 'event=', '`event`: expected a non-empty string, got string ""'],
  ['GET /v1/deliveries', 'limit=5&limit=5', '`limit`: expected an integer from 1 to 500, got 2 values'],
  ['GET /v1/deliveries', 'status=0xx', '`status`: expected a status such as 503, 5xx, or a word such as timeout'],
  ['GET /v1/deliveries', 'from=soon', '`from`: expected an ISO 8601 time with Z or an offset, got string "soon"'],
  ['GET /v1/sources/:name/history', 'range=2h', '`range`: expected one of 1h, 24h, 7d, got string "2h"'],
  ['GET /v1/jobs', `after=${'x'.repeat(3_000)}`, '`after`: expected at most 2048 bytes, got a string of 3000'],
  ['GET /v1/deletions', 'after=x', '`after`: expected the `id` of the last one of the page before, got string "x"'],
  ['GET /v1/feed', 'after=x', '`after`: expected the id of an event of the feed, got string "x"'],
] as const)('the query of %s with %s is refused with the expected value', (route, query, message) => {
  expect(() => read(route, query)).toThrow(message);
});

const queried = [
  'destination',
  'id',
  'user',
  'event',
  'endpoint',
  'status',
  'from',
  'phase',
  'limit',
  'after',
  'unknown',
].map((name) => ['GET /v1/deliveries', name] as const);

test.each([...queried, ['GET /v1/feed', 'source'], ['GET /v1/sources', 'q'], ['GET /v1/status', 'x']] as const)(
  'the query of %s is refused if `%s` is not percent-encoded UTF-8',
  (route, name) => {
    for (const text of ['%ff', '%e2%82', '%', '100%25%'])
      expect(() => read(route, `${name}=${text}`)).toThrow(
        `\`${name}\`: expected percent-encoded UTF-8, got string "${text}"`,
      );
  },
);

test('a query with a name that is not percent-encoded UTF-8 is refused', async () => {
  const { ask } = await serving(configOf());
  const message = '`%ff`: expected percent-encoded UTF-8, got string "x"';
  expect(await ask('/v1/jobs?%ff=x')).toMatchObject({ status: 400, body: { code: 'invalid_query', message } });
});

test('a query is read with its encoded characters, blanks and empty parts', () => {
  expect(read('GET /v1/deliveries', 'user=%E2%82%AC+100%25&&event=a%3Db=c')).toEqual({
    user: '€ 100%',
    event: 'a=b=c',
  });
});

test('the feed accepts the id of the entry after which the page continues', () => {
  expect(read('GET /v1/feed', 'source=shop&after=a1-b2:17')).toEqual({ source: 'shop', after: 'a1-b2:17' });
});
