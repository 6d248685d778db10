import { expect, test } from 'vitest';
import type { EventStore } from '../../../src/store/event-store.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { basic, post } from '../../collector/support.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { configOf, destinationOf, sendBatch, serving, sourceOf, track } from '../support.js';
import { servingTo } from './serving-to.js';

test('a delivered event is listed with its source, its webhook and how it went', async () => {
  const { url, crm, list, attempted } = await servingTo([200]);
  await sendBatch(url, track('m1'));
  await attempted(1);
  const { deliveries, wholeFrom, failuresWholeFrom } = await list();
  expect(deliveries).toEqual([
    {
      destination: 'crm',
      id: 'm1',
      type: 'track',
      event: 'Order Completed',
      userId: 'u1',
      source: 'website',
      acceptedAt: expect.stringMatching(/Z$/),
      webhook: { url: crm.url },
      phase: 'delivered',
      attempts: 1,
      lastAttemptAt: expect.stringMatching(/Z$/),
      result: '200',
      durationMs: expect.any(Number),
      nextAttemptAt: null,
    },
  ]);
  expect(wholeFrom).toMatch(/Z$/);
  expect(failuresWholeFrom).toBe(wholeFrom);
});

test('a delivered event is explained with what was sent and what was answered', async () => {
  const { url, ask, attempted } = await servingTo([
    (_, response) => void response.writeHead(202, { 'X-Request-Id': 'r1' }).end('queued'),
  ]);
  await sendBatch(url, track('m1'));
  await attempted(1);
  const { status, body } = await ask('/v1/deliveries/m1');
  const whole = { wholeFrom: expect.stringMatching(/Z$/), failuresWholeFrom: expect.stringMatching(/Z$/) };
  expect({ status, body }).toMatchObject({
    status: 200,
    body: [
      {
        destination: 'crm',
        source: 'website',
        message: { messageId: 'm1', event: 'Order Completed' },
        ...whole,
        endpoints: [
          {
            phase: 'delivered',
            why: 'the endpoint took it',
            attempts: [
              {
                status: 202,
                sent: { headers: { 'user-agent': 'eventferry/1.0', 'x-signature': '***' } },
                answer: { headers: { 'x-request-id': 'r1' }, text: 'queued', isCut: false },
              },
            ],
          },
        ],
      },
    ],
  });
  expect(JSON.stringify(body)).not.toContain('shhh');
});

test('a delivery that is tried again is listed once, as its last attempt left it, and explained with each attempt', async () => {
  const { url, ask, list, attempted } = await servingTo([(_, response) => void response.writeHead(503).end('busy')]);
  await sendBatch(url, track('m1'));
  await attempted(1);
  const [delivery] = (await list('')).deliveries;
  expect(delivery).toMatchObject({ phase: 'retrying', attempts: 1, result: '503' });
  expect(Date.parse(delivery.nextAttemptAt)).toBeGreaterThan(Date.parse(delivery.lastAttemptAt));
  const [explanation] = (await ask('/v1/deliveries/m1')).body;
  expect(explanation.endpoints[0]).toMatchObject({
    phase: 'retrying',
    attempts: [{ status: 503, sent: { headers: { 'x-signature': '***' } }, answer: { text: 'busy', isCut: false } }],
  });
});

test('a message is explained at each destination that knows it', async () => {
  const { url, ask, attempted, crm } = await servingTo([404]);
  await sendBatch(url, track('m1'));
  await attempted(1);
  const { body } = await ask('/v1/deliveries/m1');
  expect(body).toMatchObject([
    { destination: 'crm', id: 'm1', type: 'track', acceptedAt: expect.stringMatching(/Z$/) },
  ]);
  expect(body[0].endpoints[0]).toMatchObject({ url: crm.url, phase: 'dead', nextAttemptAt: null });
  expect((await ask('/v1/deliveries/none')).status).toBe(404);
});

test('a dead event is listed as dead', async () => {
  const { url, list, attempted } = await servingTo([404]);
  await sendBatch(url, track('m1'));
  await attempted(1);
  expect((await list('?phase=dead')).deliveries).toMatchObject([{ id: 'm1', phase: 'dead', result: '404' }]);
});

test.each(['limit=0', 'phase=gone', 'from=soon'])('recent deliveries with %s are refused', async (query) => {
  const { ask } = await servingTo([200]);
  expect(await ask(`/v1/deliveries?${query}`)).toMatchObject({ status: 400, body: { code: 'invalid_query' } });
});

test('one delivery is looked for once in each destination, and under the sources that feed it, among many of both', async () => {
  const crm = await startEndpoint(200);
  const names = Array.from({ length: 30 }, (_, index) => `c${index}`);
  const storage = memoryStorage();
  const looked = { events: 0, texts: 0 };
  for (const name of names) {
    const store = await storage.deliveries(name);
    const event = store.event.bind(store);
    store.event = (id) => {
      looked.events++;
      return event(id);
    };
  }
  const { keyValues } = storage;
  const get = keyValues.get.bind(keyValues);
  keyValues.get = (keys) => {
    looked.texts += keys.filter((key) => key.startsWith('recent/')).length;
    return get(keys);
  };
  const { url, ask, service } = await serving(
    configOf({
      sources: names.map((name) => sourceOf({ name, writeKeys: [name === 'c7' ? 'dev' : name], destinations: [name] })),
      destinations: names.map((name) => destinationOf(crm.url, { name })),
    }),
    { storage },
  );
  await sendBatch(url, track('m1'), track('//m2'));
  await expect.poll(() => service.destinations()[7]?.destination.counters().attempts).toBe(2);
  await ask('/v1/deliveries');
  for (const id of ['m1', '//m2']) {
    Object.assign(looked, { events: 0, texts: 0 });
    expect((await ask(`/v1/deliveries/${encodeURIComponent(id)}`)).body).toMatchObject([
      { destination: 'c7', source: 'c7' },
    ]);
    expect(looked.texts).toBe(1);
    expect(looked.events).toBeLessThanOrEqual(4 * names.length);
  }
  Object.assign(looked, { events: 0, texts: 0 });
  expect((await ask('/v1/deliveries/unknown')).status).toBe(404);
  expect(looked.texts).toBe(0);
  expect(looked.events).toBeLessThanOrEqual(3 * names.length);
});

test('where every source feeds every destination, an id is looked for once in each, and a second time where its sources sent it', async () => {
  const crm = await startEndpoint(503);
  const names = Array.from({ length: 30 }, (_, index) => `c${index}`);
  const storage = memoryStorage();
  let looks = 0;
  for (const name of names) {
    const store = await storage.deliveries(name);
    const event = store.event.bind(store);
    store.event = (id) => {
      looks++;
      return event(id);
    };
  }
  const { url, ask } = await serving(
    configOf({
      sources: names.map((name) => sourceOf({ name, writeKeys: [name], destinations: names })),
      destinations: names.map((name) => destinationOf(crm.url, { name })),
    }),
    { storage },
  );
  for (const writeKey of ['c1', 'c2']) await post(url, { batch: [track('m1')] }, { authorization: basic(writeKey) });
  expect((await ask('/v1/deliveries/m1')).body).toHaveLength(2 * names.length);
  looks = 0;
  expect((await ask('/v1/deliveries/unknown')).status).toBe(404);
  expect(looks).toBe(names.length);
});

test('an event is looked for only in the stores that may have it, where the storage knows them', async () => {
  const crm = await startEndpoint(503);
  const names = Array.from({ length: 30 }, (_, index) => `c${index}`);
  const storage = memoryStorage();
  let looks = 0;
  const has = new Map<EventStore, EventStore['event']>();
  for (const name of names) {
    const store = await storage.deliveries(name);
    const event = store.event.bind(store);
    has.set(store, event);
    store.event = (id) => {
      looks++;
      return event(id);
    };
  }
  storage.mayHave = (asked) =>
    Promise.all(asked.map(async ({ store, id }) => (await has.get(store)?.(id)) !== undefined));
  const { url, ask } = await serving(
    configOf({
      sources: [sourceOf({ writeKeys: ['dev'], destinations: ['c7', 'c9'] })],
      destinations: names.map((name) => destinationOf(crm.url, { name })),
    }),
    { storage },
  );
  await sendBatch(url, track('m1'), track('//m2'));
  for (const id of ['m1', '//m2']) {
    const found = [{ destination: 'c7' }, { destination: 'c9' }];
    looks = 0;
    expect((await ask(`/v1/deliveries/${encodeURIComponent(id)}`)).body).toMatchObject(found);
    expect(looks).toBeLessThanOrEqual(2 * found.length);
  }
});
