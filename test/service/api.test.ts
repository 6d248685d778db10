import { expect, test } from 'vitest';
import { memoryStorage } from '../../src/store/memory/memory-storage.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { FakeClock } from '../support/fake-clock.js';
import { configOf, destinationOf, sendBatch, serving, sourceOf, track } from './support.js';

const gone = async () => {
  const crm = await startEndpoint(404, 404, 404, 200);
  const serving_ = await serving(configOf({ destinations: [destinationOf(crm.url)] }));
  await sendBatch(serving_.url, track('m1'), track('m2'), { type: 'identify', userId: 'u1', messageId: 'm3' });
  await crm.has(3);
  await serving_.service.destinations()[0]?.destination.idle();
  return { ...serving_, crm };
};

test('the status says what runs', async () => {
  const { ask } = await serving(configOf());
  const { status, body } = await ask('/v1/status');
  expect(status).toBe(200);
  expect(body).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    startedAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    process: process.pid,
    config: { loadedAt: expect.any(String) },
    store: { type: 'lmdb', bytes: 0 },
    eventLoopDelayMs: { p50: expect.any(Number), p99: expect.any(Number), max: expect.any(Number) },
  });
});

test('the sources are shown with what they sent, and without their keys', async () => {
  const crm = await startEndpoint(200);
  const trackSchema = { allowed: undefined, blocked: ['Blocked'] };
  const { ask, url } = await serving(
    configOf({ sources: [sourceOf({ trackSchema })], destinations: [destinationOf(crm.url)] }),
    { clock: new FakeClock() },
  );
  await sendBatch(url, track('m1'), track('m2', { event: 'Blocked' }), { type: 'track' });
  const { body } = await ask('/v1/sources');
  expect(body).toEqual([
    {
      name: 'website',
      destinations: ['crm'],
      trackSchema: { allowed: null, blocked: ['Blocked'] },
      lastHour: { received: 2, rejected: 1, blocked: 1, forwarded: 1 },
    },
  ]);
});

test('the counts of a source stand by hour and event, the newest hour first', async () => {
  const clock = new FakeClock();
  const { ask, url } = await serving(configOf(), { clock });
  await sendBatch(url, track('m1'), { type: 'page', userId: 'u1' });
  await clock.pass(60 * 60_000);
  await sendBatch(url, track('m2'), track('m3'));
  const counted = { event: 'Order Completed', type: 'track', blocked: 0 };
  const path = '/v1/sources/website/counts';
  const now = { ...counted, hour: '2026-11-20T13', received: 2 };
  expect((await ask(path)).body).toEqual([
    now,
    { hour: '2026-11-20T12', event: null, type: 'page', received: 1, blocked: 0 },
    { ...counted, hour: '2026-11-20T12', received: 1 },
  ]);
  expect((await ask(`${path}?hours=1`)).body).toEqual([now]);
  expect((await ask(`${path}?hours=0`)).status).toBe(400);
  expect((await ask('/v1/sources/nobody/counts')).status).toBe(404);
});

test('of the hour before the running one the share counts that is within the last hour', async () => {
  const clock = new FakeClock();
  const { ask, url } = await serving(configOf(), { clock });
  await sendBatch(url, ...Array.from({ length: 8 }, (_, index) => track(`m${index}`)));
  await clock.pass(75 * 60_000);
  await sendBatch(url, track('n'));
  expect((await ask('/v1/sources')).body[0].lastHour.received).toBe(1 + 6);
});

test('the destinations are shown as they are, without their secrets', async () => {
  const crm = await startEndpoint(200);
  const { ask, url, service } = await serving(
    configOf({
      destinations: [
        destinationOf(crm.url, { webhooks: [{ url: crm.url, headers: { authorization: 'Bearer abc' } }] }),
      ],
    }),
  );
  await sendBatch(url, track('m1'));
  await service.destinations()[0]?.destination.idle();
  const { body } = await ask('/v1/destinations');
  const endpoint = {
    url: crm.url,
    state: 'closed',
    openUntil: null,
    failing: false,
    inFlight: 0,
    waiting: 0,
    oldestDue: null,
  };
  expect(body).toEqual([
    {
      name: 'crm',
      type: 'Webhooks',
      enabled: true,
      configuredEnabled: true,
      paused: false,
      sources: ['website'],
      settle: 'any',
      signed: true,
      endpoints: [endpoint],
      waiting: 0,
      oldestWaitingAt: null,
      lastHour: expect.objectContaining({ points: expect.any(Array) }),
      deadLetters: 0,
      counters: expect.objectContaining({ accepted: 1, delivered: 1, attempts: 1 }),
    },
  ]);
  expect(JSON.stringify(body)).not.toMatch(/shhh|abc/);
});

test('a destination is switched off and on, here and in every other process', async () => {
  const crm = await startEndpoint(200);
  const storage = memoryStorage();
  const clock = new FakeClock();
  const config = configOf({ destinations: [destinationOf(crm.url)] });
  const [one, other] = [await serving(config, { storage, clock }), await serving(config, { storage, clock })];
  const put = (enabled: unknown) => one.ask('/v1/destinations/crm/enabled', { method: 'PUT', json: { enabled } });
  const { status, body } = await put(false);
  expect({ status, enabled: body.enabled, configured: body.configuredEnabled }).toEqual({
    status: 200,
    enabled: false,
    configured: true,
  });
  await clock.pass(2_000);
  await sendBatch(other.url, track('m1'));
  expect((await other.ask('/v1/destinations')).body[0].enabled).toBe(false);
  await put(true);
  await clock.pass(2_000);
  await sendBatch(other.url, track('m2'));
  await crm.has(1);
  expect(JSON.parse(String(crm.received[0]?.body)).messageId).toBe('m2');
  expect((await put('yes')).body).toMatchObject({ code: 'invalid_field' });
});

test('a switch outlives the process, and ends when the configuration says something else', async () => {
  const crm = await startEndpoint(200);
  const storage = memoryStorage();
  const on = configOf({ destinations: [destinationOf(crm.url)] });
  const off = configOf({ destinations: [destinationOf(crm.url, { enabled: false })] });
  const first = await serving(on, { storage });
  await first.ask('/v1/destinations/crm/enabled', { method: 'PUT', json: { enabled: false } });
  await first.service.close();
  const { service, ask } = await serving(on, { storage });
  const isEnabled = async (): Promise<boolean> => (await ask('/v1/destinations')).body[0].enabled;
  expect(await isEnabled()).toBe(false);
  await service.reload(off);
  await service.reload(on);
  expect(await isEnabled()).toBe(true);
});

test('dead letters are listed page by page, by webhook and by type', async () => {
  const { ask, crm } = await gone();
  const path = '/v1/destinations/crm/dead-letters';
  const { body } = await ask(`${path}?limit=2`);
  expect(body.letters).toHaveLength(2);
  expect(body.letters[0]).toEqual({
    id: expect.any(String),
    type: 'track',
    event: 'Order Completed',
    userId: 'u1',
    acceptedAt: expect.stringMatching(/Z$/),
    endpoints: [
      {
        url: crm.url,
        reason: 'permanent',
        diedAt: expect.stringMatching(/Z$/),
        attempts: [
          { at: expect.stringMatching(/Z$/), durationMs: expect.any(Number), result: 'rejected', status: 404 },
        ],
      },
    ],
  });
  const rest = await ask(`${path}?limit=2&after=${body.next}`);
  const ids = [...body.letters, ...rest.body.letters].map(({ id }: { id: string }) => id);
  expect(ids.sort()).toEqual(['m1', 'm2', 'm3']);
  expect(rest.body).not.toHaveProperty('next');
  expect((await ask(`${path}?type=identify`)).body.letters).toHaveLength(1);
  expect((await ask(`${path}?endpoint=http://another.example`)).body.letters).toEqual([]);
  expect((await ask(`${path}/count?type=track`)).body).toEqual({ deliveries: 2 });
  for (const query of ['limit=0', 'type=delivery', 'after=x']) expect((await ask(`${path}?${query}`)).status).toBe(400);
});

test('dead letters are replayed and discarded, all of them only when that is said', async () => {
  const { ask, crm } = await gone();
  const act = (name: string, json: object) => ask(`/v1/destinations/crm/${name}`, { method: 'POST', json });
  expect((await act('replay', {})).status).toBe(422);
  expect((await act('replay', { all: false })).status).toBe(422);
  expect((await act('discard', { ids: ['m1'] })).status).toBe(422);
  expect((await act('replay', { id: 'm1' })).body).toEqual({ status: 'done', deliveries: 1 });
  await crm.has(4);
  expect((await act('discard', { type: 'identify' })).body).toMatchObject({ status: 'done', deliveries: 1, meant: 1 });
  expect((await act('discard', { all: true })).body).toMatchObject({ status: 'done', deliveries: 1 });
  expect((await ask('/v1/destinations/crm/dead-letters')).body).toEqual({ letters: [] });
  expect((await ask('/v1/destinations/none/replay', { method: 'POST', json: { all: true } })).status).toBe(404);
});

test('a webhook is shown without what is secret in its URL, and found by what is shown', async () => {
  const crm = await startEndpoint(404, 200);
  const { ask, url, service } = await serving(configOf({ destinations: [destinationOf(`${crm.url}?token=hunter2`)] }));
  await sendBatch(url, track('m1'));
  await service.destinations()[0]?.destination.idle();
  const endpoint = `${crm.url}?token=***`;
  const letters = await ask(`/v1/destinations/crm/dead-letters?endpoint=${encodeURIComponent(endpoint)}`);
  expect(letters.body.letters[0].endpoints[0].url).toBe(endpoint);
  const answers = [letters, await ask('/v1/destinations'), await ask('/v1/deliveries/m1')];
  expect(answers[2]?.body[0].endpoints[0].url).toBe(endpoint);
  expect(JSON.stringify(answers)).not.toContain('hunter2');
  const replayed = await ask('/v1/destinations/crm/replay', { method: 'POST', json: { endpoint } });
  expect(replayed.body).toMatchObject({ status: 'done', deliveries: 1 });
  await crm.has(2);
  expect(crm.received[1]?.path).toBe('/hook?token=hunter2');
});

test('a message is explained at each destination that knows it', async () => {
  const { ask, crm } = await gone();
  const { body } = await ask('/v1/deliveries/m1');
  expect(body).toMatchObject([
    { destination: 'crm', id: 'm1', type: 'track', acceptedAt: expect.stringMatching(/Z$/) },
  ]);
  expect(body[0].endpoints[0]).toMatchObject({ url: crm.url, phase: 'dead', nextAttemptAt: null });
  expect((await ask('/v1/deliveries/none')).status).toBe(404);
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

test('a method that a path does not have is refused by name, and a path nobody knows is the collector’s', async () => {
  const { ask } = await serving(configOf());
  const wrong = await ask('/v1/status', { method: 'POST', json: {} });
  expect({ status: wrong.status, allow: wrong.headers.get('allow') }).toEqual({ status: 405, allow: 'GET, HEAD' });
  expect((await ask('/v1/nothing')).body.code).toBe('not_found');
  expect((await ask('/v1/status/nothing')).status).toBe(404);
});

test('a call that the store keeps from being done may be made again', async () => {
  const storage = memoryStorage();
  const { ask } = await serving(configOf({ destinations: [destinationOf('http://127.0.0.1:9/')] }), { storage });
  storage.keyValues.write = async () => Promise.reject(new Error('no space left on device'));
  for (const [method, path, json] of [
    ['PUT', '/v1/destinations/crm/enabled', { enabled: false }],
    ['POST', '/v1/deletions', { userIds: ['u1'] }],
  ] as const) {
    const { status, body, headers } = await ask(path, { method, json });
    expect({ status, code: body.code, again: headers.get('retry-after') }).toEqual({
      status: 503,
      code: 'not_done',
      again: '5',
    });
  }
});
