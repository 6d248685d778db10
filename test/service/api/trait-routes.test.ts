import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { numbered } from '../audiences/numbered.js';
import { serveAudiences } from '../audiences/serve.js';
import { type Setting, stagedOn } from '../audiences/support.js';

const NDJSON = { 'Content-Type': 'application/x-ndjson' };
const JSON_TYPE = { 'Content-Type': 'application/json' };

type Body = string | Uint8Array<ArrayBuffer>;

async function serve(options: Parameters<typeof serveAudiences>[0] = {}) {
  const served = await serveAudiences({ runSize: 1_000, ...options });
  const url = `${served.url}/v1/traits`;
  const call = async (method: string, path: string, body?: Body, headers: Record<string, string> = {}) => {
    const answer = await fetch(url + path, { method, headers, body: body ?? null });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> };
  };
  return { ...served, url, call };
}

const lines = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values)
    .map(([userId, value]) => `${JSON.stringify({ userId, value })}\n`)
    .join('');

const told = ({ taken }: Setting): unknown[] => taken.messages.splice(0).map(({ userId, traits }) => [userId, traits]);

describe('PUT /v1/traits/:name', () => {
  test('PUT accepts a user and a value per line, and a later list sends only changes', async () => {
    const served = await serve();
    expect(await served.call('PUT', '/Plan%20Tier', lines({ ann: 'gold', bob: ['a'], cid: 1 }), NDJSON)).toMatchObject({
      status: 200,
      body: { name: 'Plan Tier', trait: 'plan_tier', users: 3, added: 3, changed: 0, removed: 0 },
    });
    expect(told(served)).toHaveLength(3);
    expect((await served.call('PUT', '/Plan%20Tier', lines({ ann: 'free', bob: ['a'] }), NDJSON)).body).toMatchObject({
      ...{ users: 2, added: 0, changed: 1, removed: 1 },
    });
    expect(told(served)).toEqual([
      ['cid', { plan_tier: null }],
      ['ann', { plan_tier: 'free' }],
    ]);
  });

  test('PUT of values accepts gzip', async () => {
    const { call } = await serve();
    const values = Object.fromEntries(numbered(3_000).map((userId, index) => [userId, index]));
    const packed = new Uint8Array(gzipSync(lines(values)));
    const answer = await call('PUT', '/Score', packed, { ...NDJSON, 'Content-Encoding': 'gzip' });
    expect(answer.body).toMatchObject({ users: 3_000 });
  });

  test('PUT of a list with a wrong line reports the line and changes nothing', async () => {
    const served = await serve();
    await served.call('PUT', '/Score', lines({ ann: 1 }), NDJSON);
    told(served);
    expect(await served.call('PUT', '/Score', `${lines({ ann: 2 })}{"userId":"bob"}\n`, NDJSON)).toMatchObject({
      status: 400,
      body: { code: 'trait_invalid_value', message: 'line 2: value: expected a JSON value, got none', line: 2 },
    });
    expect([told(served), await stagedOn(served.keyValues)]).toEqual([[], []]);
  });

  test('PUT is refused while another change of the trait runs, and for an audience', async () => {
    const { url, call, keyValues, audiences } = await serve();
    const sent = httpRequest(`${url}/Score`, { method: 'PUT', headers: NDJSON }).on('error', () => {});
    sent.write(lines(Object.fromEntries(numbered(1_000).map((userId) => [userId, 1]))));
    while ((await stagedOn(keyValues)).length !== 1_000) await new Promise(setImmediate);
    const refused = await call('PUT', '/Score', lines({ ann: 1 }), NDJSON);
    expect(refused).toMatchObject({ status: 409, body: { code: 'trait_busy' } });
    expect(refused.headers.get('retry-after')).toBe('5');
    sent.end();
    await once(sent, 'response');
    await audiences.replace('VIPs', ['ann']);
    expect(await call('PUT', '/vips', '', NDJSON)).toMatchObject({ status: 409, body: { code: 'trait_taken' } });
  });

  test('PUT that fails halfway is answered 503 with Retry-After', async () => {
    const { call } = await serve({ accept: () => Promise.reject(new Error('the disk is full')) });
    const answer = await call('PUT', '/Score', lines({ ann: 1 }), NDJSON);
    expect(answer).toMatchObject({ status: 503, body: { code: 'trait_unfinished' } });
    expect(answer.headers.get('retry-after')).toBe('5');
  });

  test('PUT is refused if the name has no letters or digits, and when the service has closed', async () => {
    const { call, audiences } = await serve();
    expect(await call('PUT', '/---', '', NDJSON)).toMatchObject({ status: 400, body: { code: 'trait_invalid_name' } });
    await audiences.close();
    expect(await call('PUT', '/Score', '', NDJSON)).toMatchObject({ status: 503, body: { code: 'traits_closed' } });
  });
});

describe('PATCH /v1/traits/:name', () => {
  test('PATCH sets and removes the values of some users', async () => {
    const served = await serve();
    await served.call('PUT', '/Score', lines({ ann: 1, bob: 2 }), NDJSON);
    told(served);
    const change = { set: [{ userId: 'ann', value: 5 }], remove: ['bob'] };
    expect(await served.call('PATCH', '/Score', JSON.stringify(change), JSON_TYPE)).toMatchObject({
      status: 200,
      body: { users: 1, added: 0, changed: 1, removed: 1 },
    });
    expect(told(served)).toEqual([
      ['ann', { score: 5 }],
      ['bob', { score: null }],
    ]);
  });

  test.each([
    ['[]', 400, 'invalid_json'],
    ['{"sets":[]}', 422, 'invalid_field'],
    ['{"toString":[]}', 422, 'invalid_field'],
    ['{"set":{}}', 422, 'invalid_field'],
    ['{"set":[null]}', 400, 'trait_invalid_value'],
    ['{"set":[{"userId":"ann"}]}', 400, 'trait_invalid_value'],
    ['{"set":[{"userId":"ann","value":{"a":[1e400]}}]}', 400, 'invalid_json'],
    ['{"set":[{"userId":"ann","value":1}],"remove":["ann"]}', 422, 'trait_invalid_change'],
    [JSON.stringify({ remove: numbered(5_001) }), 422, 'trait_invalid_change'],
  ])('PATCH with %.50s is refused', async (body, status, code) => {
    const { call } = await serve();
    await call('PUT', '/Score', '', NDJSON);
    expect(await call('PATCH', '/Score', body, JSON_TYPE)).toMatchObject({ status, body: { code } });
  });
});

test('DELETE of a trait sends null for every user who had a value', async () => {
  const served = await serve();
  await served.call('PUT', '/Score', lines({ ann: 1 }), NDJSON);
  told(served);
  expect((await served.call('DELETE', '/Score')).body).toMatchObject({ users: 0, removed: 1 });
  expect(told(served)).toEqual([['ann', { score: null }]]);
  expect(await served.call('DELETE', '/Score')).toMatchObject({ status: 404, body: { code: 'trait_not_found' } });
});

test('GET reports one computed trait or all of them, but no audience', async () => {
  const { call, audiences } = await serve();
  await audiences.replace('VIPs', ['ann']);
  await call('PUT', '/Score', lines({ ann: 1 }), NDJSON);
  const at = '2026-11-20T12:00:00.000Z';
  const report = { name: 'Score', trait: 'score', users: 1, createdAt: at, syncedAt: at };
  expect((await call('GET', '/Score')).body).toEqual(report);
  expect((await call('GET', '')).body).toEqual([report]);
  expect(await call('GET', '/VIPs')).toMatchObject({ status: 404, body: { code: 'trait_not_found' } });
});
