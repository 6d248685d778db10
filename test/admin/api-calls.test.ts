import { expect, test } from 'vitest';
import { ApiCalls, json } from '../../src/admin/api-calls.js';
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
  await made.make('GET /v1/destinations/:name/history', { params });
  await made.make('GET /v1/deliveries', { query: { user: 'a&b', limit: 5, after: undefined } });
  await made.make('PUT /v1/destinations/:name/paused', { params, ...json({ paused: true }) });
  expect(asked).toEqual([
    'GET /below/v1/destinations/%C3%84%2Fb%3F/history',
    'GET /below/v1/deliveries?user=a%26b&limit=5',
    'PUT /below/v1/destinations/%C3%84%2Fb%3F/paused {"paused":true}',
  ]);
});

test.each(['', '.', '..', '\ud800', 7 as unknown as string])('a part of a path may not be %j', async (name) => {
  const { made, asked } = await calls();
  const wrong = { code: 'EVENTFERRY_ADMIN_INVALID_OPTION', option: 'name' };
  await expect(made.make('GET /v1/audiences/:name', { params: { name } })).rejects.toMatchObject(wrong);
  expect(asked).toEqual([]);
});

test('while the service is unavailable, the client repeats only calls that read', async () => {
  const asked: (string | undefined)[] = [];
  const url = await listen((request, response) => {
    asked.push(request.method);
    response.writeHead(asked.length % 2 === 1 ? 503 : 200, { 'Retry-After': '0' }).end('{}');
  });
  const made = new ApiCalls({ url, token: 'a-token' });
  await made.make('GET /v1/status');
  const params = { name: 'a' };
  const changing = made.make('PUT /v1/destinations/:name/paused', { params, ...json({ paused: true }) });
  await expect(changing).rejects.toMatchObject({ code: 'EVENTFERRY_ADMIN_UNAVAILABLE' });
  expect(asked).toEqual(['GET', 'GET', 'PUT']);
});
