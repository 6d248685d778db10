import { Hono } from 'hono';
import { expect, onTestFinished, test, vi } from 'vitest';
import { integerOf, momentOf, oneOf, rangeOf, readFields, textOf } from '../../../src/service/api/read-fields.js';
import { type ApiRefusal, refusals } from '../../../src/service/api/refusals.js';
import { configOf, destinationOf, serving } from '../support.js';

/** What a route makes of a request. */
async function made(act: (context: Parameters<typeof rangeOf>[0]) => unknown, query = '', init: RequestInit = {}) {
  const app = new Hono();
  app.all('/', async (context) => context.json((await act(context)) ?? null));
  app.onError((error, context) => context.json({ code: (error as ApiRefusal).code, message: error.message }));
  return (await app.request(`/${query}`, init)).json();
}

const post = (body: NonNullable<RequestInit['body']>, type = 'application/json'): RequestInit => ({
  method: 'POST',
  body,
  headers: { 'Content-Type': type },
});

test.each([
  ['not JSON', { body: '{' }, 400, 'invalid_json'],
  ['a list', { body: '[]' }, 400, 'invalid_json'],
  ['a form', { body: 'enabled=true', headers: { 'content-type': 'text/plain' } }, 415, 'not_json'],
  ['too large', { body: `{"x":"${'x'.repeat(20_000)}"}` }, 413, 'body_too_large'],
])('a body that is %s is refused', async (_, asking, status, code) => {
  const { ask } = await serving(configOf({ destinations: [destinationOf('http://127.0.0.1:9/')] }));
  const answer = await ask('/v1/destinations/crm/enabled', { method: 'PUT', ...asking });
  expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code });
});

test.each([
  ['with a charset', post('{"a":1}', 'application/json; charset=utf-8'), { a: 1 }],
  ['in another case', post('{"a":1}', 'Application/JSON'), { a: 1 }],
  ['that only begins so', post('{"a":1}', 'application/jsonp'), { code: 'not_json' }],
  ['of no UTF-8', post(new Uint8Array([0x7b, 0xff, 0x7d])), { code: 'invalid_json' }],
  ['that is null', post('null'), { code: 'invalid_json' }],
  ['that is empty', post(''), { code: 'invalid_json' }],
])('a body of JSON %s is read or refused', async (_, init, expected) => {
  expect(await made((context) => readFields(context), '', init)).toMatchObject(expected);
});

test('a body without a declared length is refused once it passes the limit', async () => {
  let chunks = 0;
  const body = new ReadableStream({
    pull(controller) {
      chunks++;
      controller.enqueue(new Uint8Array(1_000).fill(0x20));
      if (chunks === 100) controller.close();
    },
  });
  const init = { ...post('', 'application/json'), body, duplex: 'half' } as RequestInit;
  expect(await made((context) => readFields(context, 10_000), '', init)).toMatchObject({ code: 'body_too_large' });
  expect(chunks).toBeLessThan(15);
});

test('a body that breaks off is refused as broken off', async () => {
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error('the socket closed')) });
  const init = { ...post('', 'application/json'), body, duplex: 'half' } as RequestInit;
  expect(await made((context) => readFields(context), '', init)).toMatchObject({ code: 'body_broken_off' });
});

test('a body that has not arrived after 30 seconds is refused as too slow', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const init = { ...post('', 'application/json'), body: new ReadableStream(), duplex: 'half' } as RequestInit;
  const answer = made((context) => readFields(context), '', init);
  await vi.waitUntil(() => vi.getTimerCount() > 0);
  vi.advanceTimersByTime(30_000);
  expect(await answer).toMatchObject({ code: 'body_timeout' });
});

test.each([
  ['', 50],
  ['?limit=1', 1],
  ['?limit=500', 500],
  ['?limit=0', { code: 'invalid_query', message: '`limit`: expected an integer from 1 to 500, got string "0"' }],
  ['?limit=501', { code: 'invalid_query' }],
  ['?limit=1.5', { code: 'invalid_query' }],
  ['?limit=-1', { code: 'invalid_query' }],
  ['?limit=1e2', { code: 'invalid_query' }],
  ['?limit=', { code: 'invalid_query' }],
])('the integer in the query %j is %j', async (query, expected) => {
  const limit = await made((context) => integerOf(context, 'limit', { from: 1, to: 500, otherwise: 50 }), query);
  if (typeof expected === 'number') expect(limit).toBe(expected);
  else expect(limit).toMatchObject(expected);
});

test.each([
  ['', '1h'],
  ['?range=24h', '24h'],
  ['?range=7d', '7d'],
])('the range of the query %j is %s', async (query, expected) => {
  expect(await made(rangeOf, query)).toBe(expected);
});

test('a range that there is not is refused with those that there are', async () => {
  const message = '`range`: expected one of 1h, 24h, 7d, got string "2h"';
  expect(await made(rangeOf, '?range=2h')).toEqual({ code: 'invalid_query', message });
});

test('a text of a field is there and not empty, or absent', () => {
  expect(textOf({ id: 'm1' }, 'id')).toBe('m1');
  expect(textOf({}, 'id')).toBeUndefined();
  for (const id of ['', 7, null, {}]) expect(() => textOf({ id }, 'id')).toThrow('`id`: expected a non-empty string');
});

test('one of a few names is given, or nothing', () => {
  expect(oneOf(['any', 'each'], 'settle', 'each', refusals.invalidField)).toBe('each');
  expect(oneOf(['any', 'each'], 'settle', undefined, refusals.invalidField)).toBeUndefined();
  expect(() => oneOf(['any', 'each'], 'settle', 'all', refusals.invalidField)).toThrow(
    '`settle`: expected one of any, each, got string "all"',
  );
});

test('a moment becomes ISO 8601 in UTC, and what is none is refused', () => {
  expect(momentOf('from', '2026-11-20T13:00:00+01:00', refusals.invalidQuery)).toBe('2026-11-20T12:00:00.000Z');
  expect(momentOf('from', undefined, refusals.invalidQuery)).toBeUndefined();
  expect(() => momentOf('from', 'soon', refusals.invalidQuery)).toThrow(
    '`from`: expected an ISO 8601 time with Z or an offset, got string "soon"',
  );
});
