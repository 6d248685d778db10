import { expect, test } from 'vitest';
import { waitingCursorOf } from '../../../src/destination/changes/waiting-deliveries.js';
import type { DeliveryReport } from '../../../src/service/api/delivery-answers.js';
import { MOST_ID_BYTES } from '../../../src/service/api/request-target.js';
import { cursorOf } from '../../../src/store/queue-key.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { FakeClock } from '../../support/fake-clock.js';
import { configOf, destinationOf, sendBatch, serving, sourceOf, track, withLetters } from '../support.js';
import { servingTo } from './serving-to.js';

const HOOK = 'http://127.0.0.1:9/hook?token=hunter2';

/** A service with `count` dead letters, each accepted a millisecond after the previous one, and functions that query it. */
async function withDead(count: number) {
  const { storage } = await withLetters(count, HOOK);
  const destinations = [destinationOf(HOOK), destinationOf(HOOK, { name: 'ads' })];
  const served = await serving(configOf({ destinations }), { storage });
  const page = async (query: string) => (await served.ask(`/v1/deliveries?phase=dead&${query}`)).body;
  const found = async (query: string) => (await page(query)).deliveries.map(({ id }: { id: string }) => id);
  return { ...served, page, found };
}

test('dead letters are listed page by page in the order of acceptance, and the last page has no `next`', async () => {
  const { page } = await withDead(5);
  const first = await page('limit=3');
  const rest = await page(`limit=3&after=${first.next}`);
  const ids = [first, rest].map(({ deliveries }) => deliveries.map(({ id }: { id: string }) => id));
  expect(ids).toEqual([
    ['m0', 'm1', 'm2'],
    ['m3', 'm4'],
  ]);
  expect(rest).not.toHaveProperty('next');
});

test('a dead letter is listed with its event and user, and without the secret of its webhook', async () => {
  const { page } = await withDead(1);
  expect(await page('')).toEqual({
    deliveries: [
      {
        destination: 'crm',
        id: 'm0',
        type: 'track',
        event: 'Bought',
        userId: 'u0',
        source: null,
        acceptedAt: '1970-01-01T00:00:00.000Z',
        webhook: { url: 'http://127.0.0.1:9/hook?token=***' },
        phase: 'dead',
        reason: 'permanent',
        attempts: 0,
        lastAttemptAt: null,
        result: null,
        durationMs: null,
        nextAttemptAt: null,
      },
    ],
  });
});

test.each<[string, string, string[]]>([
  ['the URL of their webhook', `endpoint=${encodeURIComponent(HOOK)}`, ['m0', 'm1', 'm2']],
  [
    'the shown URL of their webhook',
    `endpoint=${encodeURIComponent(HOOK.replace('hunter2', '***'))}`,
    ['m0', 'm1', 'm2'],
  ],
  ['a part of the URL', 'endpoint=127.0.0.1', ['m0', 'm1', 'm2']],
  ['another URL', 'endpoint=http://127.0.0.1:9/other', []],
  ['the secret in a URL', 'endpoint=hunter2', []],
  ['their type', 'event=track', ['m0', 'm1', 'm2']],
  ['another type', 'event=page', []],
  ['the name of their event', 'event=Bought', ['m0', 'm1', 'm2']],
  ['another event', 'event=Sold', []],
  ['their user', 'user=u1', ['m1']],
  ['their id', 'id=m1', ['m1']],
  ['another reason', 'reason=window-over', []],
  ['their destination', 'destination=crm', ['m0', 'm1', 'm2']],
  ['another destination', 'destination=ads', []],
  ['when they were accepted', 'by=acceptance&from=1970-01-01T00:00:00.001Z&to=1970-01-01T00:00:00.002Z', ['m1']],
  ['when they died, if none was attempted', 'from=1970-01-01T00:00:00.002Z&to=1970-01-01T00:00:00.003Z', ['m1']],
])('dead letters are found by %s, and counted in the same way', async (_, query, expected) => {
  const { page, found } = await withDead(3);
  expect(await found(query)).toEqual(expected);
  expect((await page(`${query}&count=true`)).count).toEqual({ deliveries: expected.length });
});

test('a search and a count without a match stop after 10,000 dead letters, and report that there may be more', async () => {
  const { storage } = await withLetters(1, HOOK);
  const store = await storage.deliveries('crm');
  const { ask } = await serving(configOf({ destinations: [destinationOf(HOOK)] }), { storage });
  store.dead = async (after, size) => {
    const at = after?.at ?? 0;
    return Array.from({ length: at < 20_000 ? size : 0 }, (_, index) => ({ at: at + index + 1, id: `gone${index}` }));
  };
  const { body } = await ask('/v1/deliveries?phase=dead&event=Sold&count=true');
  expect(body).toEqual({ deliveries: [], next: expect.any(String), count: { deliveries: 0, hasMore: true } });
});

test('a count between two times stops after 10,000 dead letters, and reports that there are more', async () => {
  const { page } = await withDead(10_300);
  const counted = async (ms: number) =>
    (await page(`by=acceptance&from=${new Date(ms).toISOString()}&limit=1&count=true`)).count;
  expect(await counted(10)).toEqual({ deliveries: 10_000, hasMore: true });
  expect(await counted(1_000)).toEqual({ deliveries: 9_300 });
});

test('a cursor that no answer contained is refused', async () => {
  const { ask } = await withDead(1);
  const tooLong = cursorOf({ at: 1, id: 'x'.repeat(MOST_ID_BYTES + 1) });
  const texts = ['["dead","crm",7]', '7', JSON.stringify(['dead', 'crm', tooLong])];
  for (const after of ['x', ...texts.map((text) => Buffer.from(text).toString('base64url'))])
    expect(await ask(`/v1/deliveries?phase=dead&after=${after}`)).toMatchObject({ status: 400 });
});

test('a cursor whose position belongs to another phase is refused', async () => {
  const { ask } = await withDead(1);
  const dead = cursorOf({ at: 1, id: 'm0' });
  const waiting = waitingCursorOf({ webhook: HOOK, position: 'first', at: 1, id: 'm0' });
  for (const place of [
    ['dead', 'crm', waiting],
    ['waiting', 'crm', dead],
  ] as const) {
    const after = Buffer.from(JSON.stringify(place)).toString('base64url');
    expect(await ask(`/v1/deliveries?phase=${place[0]}&after=${after}`)).toMatchObject({ status: 400 });
  }
});

test('the cursor of one phase is refused in the list of another, even if it only names a destination', async () => {
  const { ask } = await withDead(1);
  const cursors = [null, cursorOf({ at: 1, id: 'm0' })].map((cursor) => JSON.stringify(['waiting', 'crm', cursor]));
  for (const cursor of cursors) {
    const after = Buffer.from(cursor).toString('base64url');
    const { status, body } = await ask(`/v1/deliveries?phase=dead&after=${after}`);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_query' });
    expect(body.message).toMatch(/^`after`: expected the `next` of an answer with `phase=dead`, got /);
  }
});

/** A service with three customers, each with two events. The endpoints of two customers refuse them. */
async function threeCustomers() {
  const clock = new FakeClock();
  const [a, b, c] = [await startEndpoint(404, 410, 200), await startEndpoint(200), await startEndpoint(404, 500)];
  const destinations = [destinationOf(a.url, { name: 'a' }), destinationOf(b.url, { name: 'b' })];
  const served = await serving(
    configOf({
      sources: [sourceOf({ destinations: ['a', 'b', 'c'] })],
      destinations: [...destinations, destinationOf(c.url, { name: 'c' })],
    }),
    {
      clock,
    },
  );
  const counted = () => served.service.destinations().map(({ destination }) => destination.counters().attempts);
  for (const [index, id] of ['m1', 'm2'].entries()) {
    await sendBatch(served.url, track(id));
    await expect.poll(counted).toEqual([index + 1, index + 1, index + 1]);
    clock.advance(3_600_000);
  }
  const list = async (query: string) =>
    (await served.ask(`/v1/deliveries?${query}`)).body.deliveries.map(
      ({ destination, id }: Record<string, string>) => `${destination} ${id}`,
    );
  return { ...served, clock, list, a, c };
}

test('failures in a time range are found across destinations, by the time of the attempt or acceptance', async () => {
  const { list, clock } = await threeCustomers();
  const second = new Date(clock.wall() - 3_600_000).toISOString();
  expect(await list('phase=dead')).toEqual(['a m1', 'a m2', 'c m1']);
  for (const by of ['attempt', 'acceptance']) {
    expect(await list(`phase=dead&by=${by}&to=${second}`)).toEqual(['a m1', 'c m1']);
    expect(await list(`phase=dead&by=${by}&from=${second}`)).toEqual(['a m2']);
    expect(await list(`status=4xx&by=${by}&from=${second}`)).toEqual(['a m2']);
  }
  expect(await list('phase=dead&status=410')).toEqual(['a m2']);
  expect(await list('phase=waiting')).toEqual(['c m2']);
});

test('dead letters of several destinations are listed page by page, each once', async () => {
  const { ask } = await threeCustomers();
  const pages: string[][] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { body } = await ask(`/v1/deliveries?phase=dead&limit=1${after}`);
    pages.push(body.deliveries.map(({ destination, id }: Record<string, string>) => `${destination} ${id}`));
    after = body.next && `&after=${body.next}`;
  }
  expect(pages.flat()).toEqual(['a m1', 'a m2', 'c m1']);
  expect(Math.max(...pages.map(({ length }) => length))).toBe(1);
});

test('the waiting deliveries of one event are listed once, however small the pages are', async () => {
  const urls = ['http://127.0.0.1:9/one', 'http://127.0.0.1:9/two'];
  const webhooks = urls.map((url) => ({ url }));
  const { url, ask } = await serving(configOf({ destinations: [destinationOf(HOOK, { webhooks, settle: 'each' })] }));
  await ask('/v1/destinations/crm/paused', { method: 'PUT', json: { paused: true } });
  await sendBatch(url, track('m1'));
  const found: string[] = [];
  for (let after: string | undefined = ''; after !== undefined && found.length < 5; ) {
    const { body } = await ask(`/v1/deliveries?phase=waiting&id=m1&limit=1${after}`);
    found.push(...body.deliveries.map(({ webhook }: { webhook: { url: string } }) => webhook.url));
    after = body.next && `&after=${body.next}`;
  }
  expect(found.toSorted()).toEqual(urls);
});

test('a page with more deliveries of its first event than its limit is the last one if no other event matches', async () => {
  const crm = await startEndpoint(404);
  const webhooks = ['one', 'two'].map((path) => ({ url: `${crm.url}/${path}` }));
  const { url, ask, service } = await serving(
    configOf({ destinations: [destinationOf('', { webhooks, settle: 'each' })] }),
  );
  await sendBatch(url, track('m1'));
  await sendBatch(url, { ...track('m2'), userId: 'u2' });
  await expect.poll(() => service.destinations()[0]?.destination.counters().dead).toBe(4);
  const { body } = await ask('/v1/deliveries?phase=dead&user=u1&limit=1');
  expect(body.deliveries).toMatchObject([{ id: 'm1' }, { id: 'm1' }]);
  expect(body).not.toHaveProperty('next');
});

test('a replay with a filter across destinations replays exactly what the filter finds', async () => {
  const { ask, list, a, c, clock } = await threeCustomers();
  const to = new Date(clock.wall() - 3_600_000).toISOString();
  const replayed = await ask('/v1/deliveries/replay', { method: 'POST', json: { event: 'Order Completed', to } });
  expect(replayed.body).toMatchObject({ act: 'replay', destination: null, status: 'done', deliveries: 2 });
  await a.has(3);
  await c.has(3);
  expect(await list('phase=dead')).toEqual(['a m2']);
});

/** A service with a paused destination at which a message of u1 and one of u2 wait. */
async function waiting() {
  const served = await servingTo([200]);
  await served.ask('/v1/destinations/crm/paused', { method: 'PUT', json: { paused: true } });
  await sendBatch(served.url, track('m1'), { ...track('m2'), userId: 'u2' });
  const discard = (fields: object) =>
    served.ask('/v1/deliveries/discard', { method: 'POST', json: { destination: 'crm', ...fields } });
  return { ...served, discard };
}

const WAITING = '/v1/deliveries?phase=waiting';

test('waiting deliveries are listed page by page, with their users and what holds them up', async () => {
  const { ask, crm } = await waiting();
  const { body } = await ask(`${WAITING}&limit=1`);
  expect(body.deliveries).toEqual([
    {
      destination: 'crm',
      id: 'm1',
      type: 'track',
      event: 'Order Completed',
      userId: 'u1',
      source: 'website',
      acceptedAt: expect.stringMatching(/Z$/),
      webhook: { url: crm.url },
      phase: 'pending',
      attempts: 0,
      lastAttemptAt: null,
      result: null,
      durationMs: null,
      nextAttemptAt: null,
      heldUpBy: 'pause',
      pausedBy: 'admin',
    },
  ]);
  const rest = await ask(`${WAITING}&after=${body.next}`);
  expect(rest.body).toEqual({ deliveries: [expect.objectContaining({ id: 'm2', userId: 'u2' })] });
  expect((await ask(`${WAITING}&user=u2`)).body.deliveries).toHaveLength(1);
  expect((await ask(`${WAITING}&after=x`)).status).toBe(400);
});

test('a delivery that waits behind another of its user has no time for its next attempt, even when found by id', async () => {
  const { url, list } = await servingTo([500], { ordered: 'user' });
  await sendBatch(url, track('m1'), track('m2'));
  const isNextKnown = async (query: string): Promise<Record<string, boolean>> => {
    const { deliveries } = await list(`?phase=waiting${query}`);
    return Object.fromEntries(
      deliveries.map((each: DeliveryReport) => [`${each.id} ${each.phase}`, each.nextAttemptAt !== null]),
    );
  };
  await expect.poll(() => isNextKnown('')).toEqual({ 'm1 retrying': true, 'm2 pending': false });
  expect(await isNextKnown('&id=m1')).toEqual({ 'm1 retrying': true });
  expect(await isNextKnown('&id=m2')).toEqual({ 'm2 pending': false });
});

test("a discard with `state: waiting` removes a user's waiting deliveries, and without it only dead letters", async () => {
  const { ask, discard } = await waiting();
  expect((await discard({ user: 'u1' })).body).toMatchObject({ deliveries: 0 });
  expect((await discard({ user: 'u1', state: 'waiting' })).body).toMatchObject({ status: 'done', deliveries: 1 });
  expect((await ask(WAITING)).body.deliveries).toMatchObject([{ id: 'm2' }]);
  expect((await discard({ id: 'm2', state: 'waiting' })).body).toMatchObject({ status: 'done', deliveries: 1 });
  expect((await ask('/v1/destinations/crm')).body).toMatchObject({ waiting: 0, counters: { discarded: 2 } });
});

test('waiting deliveries are discarded all together only with `all: true`, and never with a reason', async () => {
  const { ask, discard } = await waiting();
  expect((await discard({ state: 'waiting' })).status).toBe(422);
  expect((await discard({ state: 'gone', all: true })).body.message).toBe(
    '`state`: expected one of dead, waiting, got string "gone"',
  );
  expect((await discard({ state: 'waiting', reason: 'permanent' })).status).toBe(422);
  const json = { destination: 'crm', state: 'waiting', all: true };
  const replay = await ask('/v1/deliveries/replay', { method: 'POST', json });
  expect(replay.body.message).toBe('`state`: expected one of dead, delivered, got string "waiting"');
  expect((await discard({ state: 'waiting', all: true })).body).toMatchObject({ deliveries: 2, meant: null });
});

test.each([
  ['discard', { all: true, state: 'waiting' }],
  ['replay', { id: 'm1' }],
  ['replay', { all: true, sendTo: 'crm' }],
])('a %s of %j is refused without a destination', async (act, json) => {
  const { ask } = await waiting();
  const { status, body } = await ask(`/v1/deliveries/${act}`, { method: 'POST', json });
  expect({ status, ...body }).toMatchObject({ status: 422, code: 'invalid_field', message: /`destination`/ });
});

test.each(['phase=waiting&reason=permanent', 'by=death', 'count=yes'])('a list with %s is refused', async (query) => {
  const { ask } = await waiting();
  expect(await ask(`/v1/deliveries?${query}`)).toMatchObject({ status: 400, body: { code: 'invalid_query' } });
});
