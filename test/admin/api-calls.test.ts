import { expect, test } from 'vitest';
import type { CallOptions } from '../../src/admin/admin-options.js';
import { ApiCalls } from '../../src/admin/api-calls.js';
import { listen } from '../service/audiences/serve.js';

/** Makes calls to a server below a path, and records the requests. */
async function calls() {
  const asked: string[] = [];
  const url = await listen(async (request, response) => {
    asked.push(`${request.method} ${request.url} ${(await request.toArray()).join('')}`.trim());
    response.end('{}');
  });
  return { asked, made: new ApiCalls({ url: `${url}/below`, token: 'a-token' }) };
}

test('a call uses the method and path of its route, with encoded parameters', async () => {
  const { made, asked } = await calls();
  const params = { name: 'Ä/b?' };
  await made.make('GET /v1/destinations/:name/history', {}, params);
  await made.make('GET /v1/deliveries', {}, {}, { query: { user: 'a&b', limit: 5, after: undefined } });
  await made.make('PUT /v1/destinations/:name/paused', {}, params, { fields: { paused: true } });
  expect(asked).toEqual([
    'GET /below/v1/destinations/%C3%84%2Fb%3F/history',
    'GET /below/v1/deliveries?user=a%26b&limit=5',
    'PUT /below/v1/destinations/%C3%84%2Fb%3F/paused {"paused":true}',
  ]);
});

test.each(['', '.', '..', '\ud800', 7 as unknown as string])('a part of a path may not be %j', async (name) => {
  const { made, asked } = await calls();
  const wrong = { code: 'EVENTFERRY_ADMIN_INVALID_OPTION', option: 'name' };
  await expect(made.make('GET /v1/audiences/:name', {}, { name })).rejects.toMatchObject(wrong);
  expect(asked).toEqual([]);
});

test('while the service is unavailable, the client repeats only calls that read', async () => {
  const asked: (string | undefined)[] = [];
  const url = await listen((request, response) => {
    asked.push(request.method);
    response.writeHead(asked.length % 2 === 1 ? 503 : 200, { 'Retry-After': '0' }).end('{}');
  });
  const made = new ApiCalls({ url, token: 'a-token' });
  await made.make('GET /v1/status', {});
  const params = { name: 'a' };
  const changing = made.make('PUT /v1/destinations/:name/paused', {}, params, { fields: { paused: true } });
  await expect(changing).rejects.toMatchObject({ code: 'EVENTFERRY_ADMIN_UNAVAILABLE' });
  expect(asked).toEqual(['GET', 'GET', 'PUT']);
});

test('the options of a call that reads become its query, and those of any other call its body', async () => {
  const { made, asked } = await calls();
  const { signal } = new AbortController();
  const given = <T extends object>(options: T): T & CallOptions => ({ ...options, signal });
  await made.make('GET /v1/jobs', given({ limit: 5 }));
  await made.make('POST /v1/deliveries/replay', given({ all: true, sendTo: 'main' }));
  await made.make('POST /v1/destinations/:name/test', {}, { name: 'a' });
  await made.make('DELETE /v1/jobs/:id', { signal }, { id: 'a' });
  expect(asked).toEqual([
    'GET /below/v1/jobs?limit=5',
    'POST /below/v1/deliveries/replay {"all":true,"sendTo":"main"}',
    'POST /below/v1/destinations/a/test {}',
    'DELETE /below/v1/jobs/a',
  ]);
});

test.each([
  ['GET /v1/jobs', { q: 'a' }, 'Expected `q` to be a known option'],
  ['GET /v1/status', { limit: 5 }, 'Expected `limit` to be a known option'],
  ['POST /v1/deliveries/discard', { all: true, sendTo: 'main' }, 'Expected `sendTo` to be a known option'],
  ['POST /v1/destinations/:name/test', { bogus: 1 }, 'Expected `bogus` to be a known option'],
  ['GET /v1/deliveries', { to: new Date(0) }, 'Expected `to` to be an ISO 8601 time'],
  ['GET /v1/sources', { sort: null }, 'Expected `sort` to be a value, or left out, got null'],
] as const)('%s refuses the options %j before anything is sent', async (route, options, message) => {
  const { made, asked } = await calls();
  await expect(made.make(route, options as CallOptions, { name: 'a' })).rejects.toThrow(message);
  expect(asked).toEqual([]);
});

test('options that are not an object are refused, with an example if there is one', async () => {
  const { made } = await calls();
  const refusal = 'Expected `options` to be an object, got a number';
  const number = 5 as CallOptions;
  await expect(made.make('GET /v1/jobs', number)).rejects.toThrow(new RegExp(`${refusal}$`));
  const example = 'discard({ all: true })';
  const discard = made.make('POST /v1/deliveries/discard', number, {}, { example });
  await expect(discard).rejects.toThrow(`${refusal}. Write ${example}`);
});
