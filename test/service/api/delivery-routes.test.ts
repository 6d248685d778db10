import { expect, test } from 'vitest';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { basic, post } from '../../collector/support.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { configOf, destinationOf, sendBatch, serving, sourceOf, track } from '../support.js';
import { servingTo } from './serving-to.js';

test('a delivered event is listed with its source, its webhook and its result', async () => {
  const { url, crm, list, attempted } = await servingTo([200]);
  await sendBatch(url, track('m1'));
  await attempted(1);
  const { deliveries, oldestKept } = await list();
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
  expect(oldestKept).toMatch(/Z$/);
});

test('a delivered event is explained with its request and answer', async () => {
  const { url, ask, attempted } = await servingTo([
    (_, response) => void response.writeHead(202, { 'X-Request-Id': 'r1' }).end('queued'),
  ]);
  await sendBatch(url, track('m1'));
  await attempted(1);
  const { status, body } = await ask('/v1/deliveries/m1');
  expect({ status, body }).toMatchObject({
    status: 200,
    body: [
      {
        destination: 'crm',
        source: 'website',
        message: { messageId: 'm1', event: 'Order Completed' },
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

test('a delivery that is retried is listed once, with its last attempt, and explained with every attempt', async () => {
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

test('an event that was refused for good is listed as dead', async () => {
  const { url, list, attempted } = await servingTo([404]);
  await sendBatch(url, track('m1'));
  await attempted(1);
  expect((await list('?phase=dead')).deliveries).toMatchObject([{ id: 'm1', phase: 'dead', result: '404' }]);
});

test.each(['limit=0', 'phase=gone', 'from=soon'])('recent deliveries with %s are refused', async (query) => {
  const { ask } = await servingTo([200]);
  expect(await ask(`/v1/deliveries?${query}`)).toMatchObject({ status: 400, body: { code: 'invalid_query' } });
});

test('a delivery is looked up once in each destination and only under the sources that feed it', async () => {
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
    looked.texts += keys.filter((key) => key.startsWith('attempts/')).length;
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

test('if every source feeds every destination, an id is looked up once in each, and again only for the sources that sent it', async () => {
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

test('a message is explained while a destination that does not have it is being reopened', async () => {
  const crm = await startEndpoint(503);
  const { url, ask, service } = await serving(
    configOf({
      sources: [sourceOf({ destinations: ['a'] })],
      destinations: ['a', 'b'].map((name) => destinationOf(crm.url, { name })),
    }),
  );
  await sendBatch(url, track('m1'));
  // A destination is closed in the same way while it waits for its running requests.
  await service.destinations()[1]?.destination.close();
  expect((await ask('/v1/deliveries/m1')).body).toMatchObject([{ destination: 'a', id: 'm1' }]);
});

const PAUSED = { method: 'PUT', json: { paused: true } };
const idsIn = ({ deliveries }: { deliveries: readonly { readonly id: string }[] }) => deliveries.map(({ id }) => id);

test('a search without a phase finds attempts, waiting deliveries that were never tried, and dead letters, newest first', async () => {
  const { url, list, ask, attempted } = await servingTo([404, 200]);
  await sendBatch(url, track('dead'));
  await attempted(1);
  await sendBatch(url, track('delivered'));
  await attempted(2);
  await ask('/v1/destinations/crm/paused', PAUSED);
  await sendBatch(url, track('untried'));
  for (const query of ['', '?user=u1', '?destination=crm', '?event=track'])
    expect(idsIn(await list(query)), query).toEqual(['untried', 'delivered', 'dead']);
  const [untried] = (await list('?id=untried')).deliveries;
  expect(untried).toMatchObject({ phase: 'pending', nextAttemptAt: null, heldUpBy: 'pause', pausedBy: 'admin' });
});

test('dead letters whose attempts are not kept are also found without a phase', async () => {
  const { url, list, attempted } = await servingTo([404], { keepAttempts: false });
  await sendBatch(url, track('m1'));
  await attempted(1);
  await expect.poll(async () => idsIn(await list('?user=u1'))).toEqual(['m1']);
});

test('the pages of a search without a phase continue from attempts to waiting deliveries and dead letters', async () => {
  const { url, list, ask, service } = await servingTo([404, 200]);
  const idle = async () => service.destinations()[0]?.destination.idle();
  for (const id of ['dead', 'one', 'two', 'three']) {
    await sendBatch(url, track(id));
    await idle();
  }
  await ask('/v1/destinations/crm/paused', PAUSED);
  await sendBatch(url, track('first'), track('second'));
  const found: string[] = [];
  let next: string | undefined;
  for (let pages = 0; pages === 0 || (next !== undefined && pages < 9); pages++) {
    const page = await list(`?limit=1${next === undefined ? '' : `&after=${next}`}`);
    found.push(...idsIn(page));
    next = page.next;
  }
  const each = [...new Set(found)];
  expect([each.slice(0, 4).sort(), each.slice(4), next]).toEqual([
    ['dead', 'one', 'three', 'two'],
    ['first', 'second'],
    undefined,
  ]);
  // In a search for one user, an event that was never tried is on the first page, however many others were tried.
  expect(idsIn(await list('?user=u1&limit=1'))).toContain('first');
});

test('a delivery to a webhook that is paused after failures says so, with the time of its next attempt', async () => {
  const { url, list, ask, attempted } = await servingTo([500]);
  await sendBatch(url, ...Array.from({ length: 12 }, (_, number) => track(`m${number}`)));
  await attempted(12);
  await sendBatch(url, track('untried'));
  const { openUntil } = (await ask('/v1/destinations/crm')).body.endpoints[0];
  const [untried] = (await list('?id=untried')).deliveries;
  expect(untried).toMatchObject({ phase: 'pending', heldUpBy: 'failures', nextAttemptAt: openUntil });
});

test('waiting deliveries of a removed destination say so, tried or not', async () => {
  const { url, list, service, attempted } = await servingTo([500]);
  await sendBatch(url, track('tried'));
  await attempted(1);
  await service.reload(configOf({ destinations: [] }));
  const { deliveries } = await list('?user=u1');
  expect(deliveries).toMatchObject([{ id: 'tried', heldUpBy: 'removal', nextAttemptAt: null }]);
});
