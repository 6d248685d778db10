import { type Context, Hono } from 'hono';
import { expect, onTestFinished, test, vi } from 'vitest';
import { oneOf } from '../../../src/service/api/queries.js';
import { readField, readFields, textOf } from '../../../src/service/api/read-fields.js';
import type { ApiRefusal } from '../../../src/service/api/refusals.js';
import { configOf, destinationOf, serving } from '../support.js';

/** Returns what a route answers when it calls `act` with a request. */
async function made(act: (context: Context) => unknown, init: RequestInit) {
  const app = new Hono();
  app.all('/', async (context) => context.json((await act(context)) ?? null));
  app.onError((error, context) => context.json({ code: (error as ApiRefusal).code, message: error.message }));
  return (await app.request('/', init)).json();
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
  expect(await made((context) => readFields(context), init)).toMatchObject(expected);
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
  expect(await made((context) => readFields(context, 10_000), init)).toMatchObject({ code: 'body_too_large' });
  expect(chunks).toBeLessThan(15);
});

test('a body that breaks off is refused as broken off', async () => {
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error('the socket closed')) });
  const init = { ...post('', 'application/json'), body, duplex: 'half' } as RequestInit;
  expect(await made((context) => readFields(context), init)).toMatchObject({ code: 'body_broken_off' });
});

test('a body that has not arrived after 30 seconds is refused as too slow', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const init = { ...post('', 'application/json'), body: new ReadableStream(), duplex: 'half' } as RequestInit;
  const answer = made((context) => readFields(context), init);
  await expect.poll(() => vi.getTimerCount()).toBeGreaterThan(0);
  vi.advanceTimersByTime(30_000);
  expect(await answer).toMatchObject({ code: 'body_timeout' });
});

test('a text field may be absent, but not empty or of another type', () => {
  expect(textOf({ id: 'm1' }, 'id')).toBe('m1');
  expect(textOf({}, 'id')).toBeUndefined();
  for (const id of ['', 7, null, {}]) expect(() => textOf({ id }, 'id')).toThrow('`id`: expected a non-empty string');
});

test('a field has the value that its text is read as, and is refused if the text is not valid', () => {
  const settle = oneOf('any', 'each');
  expect(readField({ settle: 'each' }, 'settle', settle)).toBe('each');
  expect(readField({}, 'settle', settle)).toBeUndefined();
  const message = '`settle`: expected one of any, each, got string "all"';
  expect(() => readField({ settle: 'all' }, 'settle', settle)).toThrow(message);
});
