import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { addRoutes, createRouter } from '../../../src/service/api/admin-router.js';
import { syncedRoutes } from '../../../src/service/api/synced-routes.js';
import { numbered } from '../audiences/numbered.js';
import { serveAudiences } from '../audiences/serve.js';
import { membersOf, type Setting, setUp, stagedOn } from '../audiences/support.js';
import { answered } from './answered.js';

interface Served extends Setting {
  url: string;
  call(
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    headers?: Record<string, string>,
  ): Promise<Answer>;
}

interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

const NDJSON = { 'Content-Type': 'application/x-ndjson' };
const JSON_TYPE = { 'Content-Type': 'application/json' };

async function serve(options: Parameters<typeof setUp>[0] = {}): Promise<Served> {
  const served = await serveAudiences({ runSize: 1_000, ...options });
  const url = `${served.url}/v1/audiences`;
  const call: Served['call'] = async (method, path, body, headers = {}) => {
    const answer = await fetch(url + path, { method, headers, body: body ?? null });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> };
  };
  return { ...served, url, call };
}

const lines = (values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');

describe('PUT /v1/audiences/:name', () => {
  test('PUT accepts one user per line: a string, or an object with a userId', async () => {
    const { call, taken } = await serve();
    const body = `\ufeff"ann"\r\n\n{"userId":"bob","since":2024}\n  \n"c\\u0069d"`;
    expect(await call('PUT', '/Users', body, NDJSON)).toMatchObject({
      status: 200,
      body: { name: 'Users', trait: 'users', members: 3, joined: 3, left: 0 },
    });
    expect(taken.take()).toEqual(['+ann', '+bob', '+cid']);
    expect((await call('PUT', '/Users', body, NDJSON)).body).toMatchObject({ joined: 0, left: 0 });
  });

  test('PUT accepts gzip, and refuses broken gzip', async () => {
    const { call } = await serve();
    const headers = { ...NDJSON, 'Content-Encoding': 'gzip' };
    const packed = new Uint8Array(gzipSync(lines(numbered(5_000))));
    expect((await call('PUT', '/Users', packed, headers)).body).toMatchObject({ members: 5_000 });
    expect(await call('PUT', '/Users', packed.slice(0, -100), headers)).toMatchObject({
      status: 400,
      body: { code: 'invalid_encoding' },
    });
    expect((await call('PUT', '/Users', 'plain', headers)).body).toMatchObject({ code: 'invalid_encoding' });
    expect((await call('GET', '/Users')).body).toMatchObject({ members: 5_000 });
  });

  test.each([
    ['"ann"\n42\n', 2, 'expected a JSON string, or an object with a userId, got number 42'],
    ['"ann"\n\n{"userId":7}\n', 3, 'expected a non-empty string, got number 7'],
    ['{"user":"ann"}', 1, 'expected a non-empty string, got undefined'],
    ['ann\n', 1, 'not valid JSON'],
    ['["ann"]', 1, 'expected a JSON string, or an object with a userId, got an array'],
    ['""', 1, 'expected a non-empty string, got string ""'],
    [`"${'x'.repeat(1_001)}"`, 1, 'expected an id of at most 1000 bytes, got one of 1001'],
    [`"ann"\n"${'x'.repeat(10_000)}"`, 2, 'longer than 10000 bytes'],
    ['"\\ud800"', 1, 'expected well-formed text, got half of a surrogate pair'],
    [new Uint8Array([0x22, 0xff, 0x22]), 1, 'not valid UTF-8'],
  ])('PUT /v1/audiences/:name refuses a list with the line %j, and changes nothing', async (body, line, problem) => {
    const { call, taken } = await serve();
    await call('PUT', '/Users', lines(['zoe']), NDJSON);
    taken.take();
    expect(await call('PUT', '/Users', body, NDJSON)).toMatchObject({
      status: 400,
      body: { code: 'audience_invalid_member', message: `line ${line}: ${problem}`, line },
    });
    expect((await call('GET', '/Users')).body).toMatchObject({ members: 1 });
    expect(taken.take()).toEqual([]);
  });

  test('PUT answers an error while the list is still being sent', async () => {
    const { url, keyValues } = await serve();
    const sent = httpRequest(`${url}/Users`, { method: 'PUT', headers: NDJSON }).on('error', () => {});
    sent.write(lines([...numbered(3_000), 42]));
    const chunk = lines(numbered(50_000));
    for (let megabyte = 0; megabyte < 8; megabyte++) sent.write(chunk);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(400);
    sent.end();
    expect(JSON.parse((await answer.toArray()).join(''))).toMatchObject({ line: 3_001 });
    expect(await stagedOn(keyValues)).toEqual([]);
  });

  test('PUT changes nothing when the connection breaks', async () => {
    const { url, call, keyValues, taken } = await serve();
    await call('PUT', '/Users', lines(['ann']), NDJSON);
    taken.take();
    const sent = httpRequest(`${url}/Users`, { method: 'PUT', headers: NDJSON }).on('error', () => {});
    sent.write(lines(numbered(2_000)));
    await untilStaged(keyValues, 2_000);
    sent.destroy();
    await untilStaged(keyValues, 0);
    expect((await call('GET', '/Users')).body).toEqual(expect.not.objectContaining({ sync: expect.anything() }));
    expect([taken.take(), await membersOf(keyValues, 'users')]).toEqual([[], ['ann']]);
  });

  test('PUT completes if the sender disconnects after the whole list was sent', async () => {
    let goAway = (): void => {};
    const { taken } = setUp();
    const held = await serve({
      accept: async (...given) => {
        goAway();
        await taken.accept(...given);
      },
    });
    const sent = httpRequest(`${held.url}/Users`, { method: 'PUT', headers: NDJSON }).on('error', () => {});
    goAway = () => sent.destroy();
    sent.end(lines(numbered(1_200)));
    await new Promise((resolve) => sent.on('close', resolve));
    while ((await held.audiences.get('Users'))?.members !== 1_200) await new Promise(setImmediate);
    expect(taken.take()).toHaveLength(1_200);
  });

  test('PUT limits the number of ids in memory', async () => {
    const { keyValues } = setUp();
    let waiting = 0;
    let most = 0;
    const slow = Object.assign(Object.create(keyValues), keyValues, {
      get: keyValues.get.bind(keyValues),
      list: keyValues.list.bind(keyValues),
      writeIf: keyValues.writeIf.bind(keyValues),
      removeAll: keyValues.removeAll.bind(keyValues),
      write: async (changes: Parameters<typeof keyValues.write>[0]) => {
        waiting += changes.length;
        most = Math.max(most, waiting);
        await new Promise(setImmediate);
        waiting -= changes.length;
        return keyValues.write(changes);
      },
    });
    const { call } = await serve({ keyValues: slow });
    expect((await call('PUT', '/Users', lines(numbered(60_000)), NDJSON)).body).toMatchObject({ members: 60_000 });
    expect(most).toBeLessThanOrEqual(9_000);
  });

  test('PUT refuses another Content-Type and an unknown Content-Encoding', async () => {
    const { call } = await serve();
    expect(await call('PUT', '/Users', '"ann"', JSON_TYPE)).toMatchObject({
      status: 415,
      body: { code: 'not_ndjson' },
    });
    expect(await call('PUT', '/Users', '"ann"', { ...NDJSON, 'Content-Encoding': 'br' })).toMatchObject({
      status: 415,
      body: { code: 'unsupported_encoding' },
    });
  });

  test('PUT of an empty body removes every member', async () => {
    const { call } = await serve();
    await call('PUT', '/Users', lines(['ann']), NDJSON);
    expect((await call('PUT', '/Users', '', NDJSON)).body).toMatchObject({ members: 0, left: 1 });
  });

  test('PUT is refused while another change of the audience runs', async () => {
    const { url, call, keyValues } = await serve();
    const sent = httpRequest(`${url}/Users`, { method: 'PUT', headers: NDJSON }).on('error', () => {});
    sent.write(lines(numbered(1_000)));
    await untilStaged(keyValues, 1_000);
    const refused = await call('PUT', '/Users', lines(numbered(100_000)), NDJSON);
    expect(refused).toMatchObject({ status: 409, body: { code: 'audience_busy' } });
    expect(refused.headers.get('retry-after')).toBe('5');
    sent.end();
    await once(sent, 'response');
    expect((await call('GET', '/Users')).body).toMatchObject({ members: 1_000 });
  });
});

describe('PATCH /v1/audiences/:name', () => {
  test('PATCH makes users join and leave', async () => {
    const { call, taken } = await serve();
    await call('PUT', '/Users', lines(['ann', 'bob']), NDJSON);
    taken.take();
    const change = JSON.stringify({ join: ['cid'], leave: ['ann'] });
    expect(await call('PATCH', '/Users', change, JSON_TYPE)).toMatchObject({
      status: 200,
      body: { members: 2, joined: 1, left: 1 },
    });
    expect(taken.take()).toEqual(['-ann', '+cid']);
  });

  test.each([
    ['[]', 400, 'invalid_json'],
    ['{"join":', 400, 'invalid_json'],
    ['{"joins":["ann"]}', 422, 'invalid_field'],
    ['{"join":"ann"}', 422, 'invalid_field'],
    ['{"join":[1]}', 400, 'audience_invalid_member'],
    ['{"join":["ann"],"leave":["ann"]}', 422, 'audience_invalid_change'],
    [JSON.stringify({ join: numbered(5_001) }), 422, 'audience_invalid_change'],
    [`{"join":["${'x'.repeat(8 * 1024 * 1024)}"]}`, 413, 'body_too_large'],
  ])('PATCH with %.40s is refused', async (body, status, code) => {
    const { call } = await serve();
    await call('PUT', '/Users', '', NDJSON);
    expect(await call('PATCH', '/Users', body, JSON_TYPE)).toMatchObject({ status, body: { code } });
  });

  test('PATCH refuses an unknown audience, and another Content-Type', async () => {
    const { call } = await serve();
    expect(await call('PATCH', '/Users', '{}', JSON_TYPE)).toMatchObject({
      status: 404,
      body: { code: 'audience_not_found' },
    });
    expect(await call('PATCH', '/Users', '{}', NDJSON)).toMatchObject({ status: 415, body: { code: 'not_json' } });
  });
});

test('DELETE of an audience sends a message for every member', async () => {
  const { call, taken } = await serve();
  await call('PUT', '/Users', lines(['ann', 'bob']), NDJSON);
  taken.take();
  expect(await call('DELETE', '/Users')).toMatchObject({ status: 200, body: { members: 0, left: 2 } });
  expect(taken.take()).toEqual(['-ann', '-bob']);
  expect((await call('DELETE', '/Users')).status).toBe(404);
});

test('GET reports one audience, or all', async () => {
  const { call } = await serve();
  await call('PUT', '/Users', lines(['ann']), NDJSON);
  const report = {
    name: 'Users',
    trait: 'users',
    members: 1,
    createdAt: '2026-11-20T12:00:00.000Z',
    syncedAt: '2026-11-20T12:00:00.000Z',
  };
  expect(await call('GET', '/Users')).toMatchObject({ status: 200, body: report });
  expect((await call('GET', '')).body).toEqual([report]);
  expect(await call('GET', '/Nobody')).toMatchObject({ status: 404, body: { code: 'audience_not_found' } });
});

test.each(['High Value Users', 'a/b', '50% off?', 'a#b&c=d', 'Größe 東京 😀', '%2F a', 'a+b'])(
  'the name %j works in the path',
  async (name) => {
    const { call } = await serve();
    expect((await call('PUT', `/${encodeURIComponent(name)}`, '', NDJSON)).body).toMatchObject({ name });
    expect((await call('GET', `/${encodeURIComponent(name)}`)).body).toMatchObject({ name });
  },
);

test('an audience with a name without letters, or with the trait of another audience, is refused', async () => {
  const { call } = await serve();
  await call('PUT', '/Big%20Spenders', '', NDJSON);
  expect(await call('PUT', '/bigSpenders', '', NDJSON)).toMatchObject({
    status: 409,
    body: { code: 'audience_trait_taken' },
  });
  expect(await call('PUT', '/---', '', NDJSON)).toMatchObject({ status: 400, body: { code: 'audience_invalid_name' } });
});

test('an audience whose trait is a standard trait of a user is refused, unless the query allows it', async () => {
  const { call } = await serve();
  expect(await call('PUT', '/Email', lines(['ann']), NDJSON)).toMatchObject({
    status: 400,
    body: { code: 'audience_invalid_name', message: expect.stringContaining('makes the standard trait email') },
  });
  expect(await call('PUT', '/Email?standardTrait=yes', '', NDJSON)).toMatchObject({ body: { code: 'invalid_query' } });
  expect((await call('PUT', '/Email?standardTrait=allow', lines(['ann']), NDJSON)).status).toBe(200);
  expect((await call('PUT', '/Email', lines(['ann', 'bob']), NDJSON)).body).toMatchObject({ joined: 1 });
  expect((await call('PUT', '/Email%20Readers', lines(['ann']), NDJSON)).status).toBe(200);
});

test('a change that fails because of the store is answered 503 with Retry-After', async () => {
  const { call } = await serve({
    accept: async () => {
      throw new Error('the disk is full');
    },
  });
  const answer = await call('PUT', '/Users', lines(['ann']), NDJSON);
  expect(answer).toMatchObject({ status: 503, body: { code: 'audience_unfinished' } });
  expect(answer.headers.get('retry-after')).toBe('5');
  expect(JSON.stringify(answer.body)).not.toContain('disk');
});

test('the audience routes answer web requests, not only those of node:http', async () => {
  const { audiences } = setUp();
  const app = createRouter(() => {});
  addRoutes(app, syncedRoutes({ audiences }));
  const put = { method: 'PUT', headers: NDJSON, body: lines(numbered(2_000)) };
  expect(await (await answered(app, '/v1/audiences/Users', put)).json()).toMatchObject({ members: 2_000 });
  const { body: _, ...empty } = put;
  expect(await (await answered(app, '/v1/audiences/Users', empty)).json()).toMatchObject({ left: 2_000 });
});

async function untilStaged(keyValues: Setting['keyValues'], count: number): Promise<void> {
  while ((await stagedOn(keyValues)).length !== count) await new Promise(setImmediate);
}
