import { type Context, Hono } from 'hono';
import { expect, onTestFinished, test, vi } from 'vitest';
import { anything, type Rules, required } from '../../../src/base/options/check-options.js';
import type { Env } from '../../../src/service/api/admin-router.js';
import { checkFields, filled, readFields } from '../../../src/service/api/read-fields.js';
import type { ApiRefusal } from '../../../src/service/api/refusals.js';
import { configOf, destinationOf, serving } from '../support.js';
import { answered } from './answered.js';

const ANY: Rules<{ a?: unknown }> = { a: anything };

/** Returns what a route answers when it calls `act` with a request. */
async function made(act: (context: Context) => unknown, init: RequestInit) {
  const app = new Hono<Env>();
  app.all('/', async (context) => context.json((await act(context)) ?? null));
  app.onError((error, context) => context.json({ code: (error as ApiRefusal).code, message: error.message }));
  return (await answered(app, '/', init)).json();
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
  ['with its type in another case', post('{"a":1}', 'Application/JSON'), { a: 1 }],
  ['with a type that only begins in the same way', post('{"a":1}', 'application/jsonp'), { code: 'not_json' }],
  ['that is not UTF-8', post(new Uint8Array([0x7b, 0xff, 0x7d])), { code: 'invalid_json' }],
  ['that is null', post('null'), { code: 'invalid_json' }],
  ['that is empty', post(''), { code: 'invalid_json' }],
])('a JSON body %s is read or refused', async (_, init, expected) => {
  expect(await made((context) => readFields(context, ANY), init)).toMatchObject(expected);
});

test('a body without a declared length is refused when it exceeds the limit', async () => {
  let chunks = 0;
  const body = new ReadableStream({
    pull(controller) {
      chunks++;
      controller.enqueue(new Uint8Array(1_000).fill(0x20));
      if (chunks === 100) controller.close();
    },
  });
  const init = { ...post('', 'application/json'), body, duplex: 'half' } as RequestInit;
  expect(await made((context) => readFields(context, ANY, 10_000), init)).toMatchObject({ code: 'body_too_large' });
  expect(chunks).toBeLessThan(15);
});

test('a body that breaks off is refused as broken off', async () => {
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error('the socket closed')) });
  const init = { ...post('', 'application/json'), body, duplex: 'half' } as RequestInit;
  expect(await made((context) => readFields(context, ANY), init)).toMatchObject({ code: 'body_broken_off' });
});

test('a body that has not arrived after 30 seconds is refused as too slow', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const init = { ...post('', 'application/json'), body: new ReadableStream(), duplex: 'half' } as RequestInit;
  const answer = made((context) => readFields(context, ANY), init);
  await expect.poll(() => vi.getTimerCount()).toBeGreaterThan(0);
  vi.advanceTimersByTime(30_000);
  expect(await answer).toMatchObject({ code: 'body_timeout' });
});

const TYPED: Rules<{ id?: string; list: unknown[] }> = {
  id: filled,
  list: required({ expected: 'a list of things', holds: Array.isArray }),
};

test.each([
  [{ list: [] }, undefined],
  [{ list: [1], id: 'm1' }, undefined],
  [{ id: 'm1' }, '`list`: expected a list of things, got nothing'],
  [{ list: 1 }, '`list`: expected a list of things, got number 1'],
  [{ list: [], id: '' }, '`id`: expected a non-empty string, got string ""'],
  [{ list: [], id: null }, '`id`: expected a non-empty string, got null'],
  [{ list: [], id: [1, 2] }, '`id`: expected a non-empty string, got a list of 2'],
  [{ list: [], ids: 'm1' }, '`ids` is not a field of this body, which takes id, list'],
  [{ list: [], constructor: [] }, '`constructor` is not a field of this body, which takes id, list'],
])('the fields of %j follow the rules or are refused', (fields, message) => {
  const check = () => checkFields(fields, TYPED);
  if (message === undefined) expect(check).not.toThrow();
  else expect(check).toThrow(message);
});
