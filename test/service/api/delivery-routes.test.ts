import { expect, test } from 'vitest';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { type Reaction, startEndpoint } from '../../scheduler/test-endpoint.js';
import { configOf, destinationOf, sendBatch, serving, sourceOf, track } from '../support.js';

/** Such a service with one destination, and what one endpoint does. */
async function servingTo(reactions: [Reaction, ...Reaction[]], fields: Parameters<typeof destinationOf>[1] = {}) {
  const crm = await startEndpoint(...reactions);
  const served = await serving(configOf({ destinations: [destinationOf(crm.url, fields)] }));
  const list = async (query = '') => (await served.ask(`/v1/deliveries${query}`)).body;
  const attempted = (count: number) =>
    expect.poll(() => served.service.destinations()[0]?.destination.counters().attempts).toBe(count);
  return { ...served, crm, list, attempted };
}

test('a delivered event is listed with its source, its webhook and how it went', async () => {
  const { url, crm, list, attempted } = await servingTo([200]);
  await sendBatch(url, track('m1'));
  await attempted(1);
  const { deliveries, since } = await list();
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
  expect(since).toMatch(/Z$/);
});

test('a delivered event is explained with what was sent and what was answered', async () => {
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

test('a delivery that is tried again is listed once, as its last attempt left it, and explained with each attempt', async () => {
  const { url, ask, list, attempted } = await servingTo([(_, response) => void response.writeHead(503).end('busy')]);
  await sendBatch(url, track('m1'));
  await attempted(1);
  const [delivery] = (await list('?phase=retrying')).deliveries;
  expect(delivery).toMatchObject({ phase: 'retrying', attempts: 1, result: '503' });
  expect(Date.parse(delivery.nextAttemptAt)).toBeGreaterThan(Date.parse(delivery.lastAttemptAt));
  const [explanation] = (await ask('/v1/deliveries/m1')).body;
  expect(explanation.endpoints[0]).toMatchObject({
    phase: 'retrying',
    attempts: [{ status: 503, sent: { headers: { 'x-signature': '***' } }, answer: { text: 'busy', isCut: false } }],
  });
});

test('a dead event is listed as dead', async () => {
  const { url, list, attempted } = await servingTo([404]);
  await sendBatch(url, track('m1'));
  await attempted(1);
  expect((await list('?phase=dead')).deliveries).toMatchObject([{ id: 'm1', phase: 'dead', result: '404' }]);
});

test('recent deliveries are found by each filter, and by none that does not fit', async () => {
  const { url, list, attempted } = await servingTo([200, 404]);
  await sendBatch(url, track('m1'));
  await attempted(1);
  await sendBatch(url, { type: 'identify', messageId: 'm2', userId: 'u2', anonymousId: 'a2' });
  await attempted(2);
  const found = async (query: string) => (await list(query)).deliveries.map(({ id }: { id: string }) => id);
  expect(await found('')).toEqual(['m2', 'm1']);
  const filters = [
    'id=m1',
    'user=u1',
    'event=Order%20Completed',
    'event=track',
    'status=200',
    'status=2xx',
    'phase=delivered',
  ];
  for (const filter of filters) expect(await found(`?${filter}`), filter).toEqual(['m1']);
  for (const filter of ['id=m2', 'user=u2', 'user=a2', 'event=identify', 'status=404', 'status=rejected', 'phase=dead'])
    expect(await found(`?${filter}`), filter).toEqual(['m2']);
  for (const filter of ['endpoint=/hook', 'destination=crm', 'from=2020-01-01', 'to=2100-01-01'])
    expect(await found(`?${filter}`), filter).toEqual(['m2', 'm1']);
  for (const filter of ['id=m', 'status=503', 'endpoint=elsewhere', 'to=2020-01-01', 'from=2100-01-01'])
    expect(await found(`?${filter}`), filter).toEqual([]);
});

test('recent deliveries come page by page, each once', async () => {
  const { url, list, attempted } = await servingTo([200]);
  for (let count = 1; count <= 7; count++) {
    await sendBatch(url, track(`m${count}`));
    await attempted(count);
  }
  const ids: string[] = [];
  let after = '';
  for (let pages = 0; pages < 5; pages++) {
    const page = await list(`?limit=3${after}`);
    ids.push(...page.deliveries.map(({ id }: { id: string }) => id));
    if (page.next === undefined) break;
    after = `&after=${page.next}`;
    // What comes meanwhile begins no page anew.
    await sendBatch(url, track(`later${pages}`));
    await attempted(8 + pages);
  }
  expect(ids).toEqual(['m7', 'm6', 'm5', 'm4', 'm3', 'm2', 'm1']);
});

test('a delivery that another webhook made needless is spared', async () => {
  const [slow, good] = [await startEndpoint(503), await startEndpoint(503, 200)];
  const webhooks = [{ url: slow.url }, { url: good.url }];
  const storage = memoryStorage();
  const { url, ask, service } = await serving(configOf({ destinations: [destinationOf('', { webhooks })] }), {
    storage,
  });
  await sendBatch(url, track('m1'));
  const destination = service.destinations()[0]?.destination;
  await expect.poll(() => destination?.counters().attempts).toBe(2);
  const store = await storage.deliveries('crm');
  // As if the other webhook had taken it.
  await store.update('m1', () => undefined);
  const { deliveries } = (await ask('/v1/deliveries?id=m1')).body;
  expect(deliveries.map(({ phase }: { phase: string }) => phase)).toEqual(['spared', 'spared']);
});

test('with `keep: 0` nothing is kept', async () => {
  const { url, ask, list, attempted } = await servingTo([200], { keep: 0 });
  await sendBatch(url, track('m1'));
  await attempted(1);
  expect(await list()).toEqual({ deliveries: [], since: null });
  expect((await ask('/v1/deliveries/m1')).status).toBe(404);
});

test('every process answers what all of them attempted, also those that have ended', async () => {
  const crm = await startEndpoint(200);
  const storage = memoryStorage();
  const config = configOf({ sources: [sourceOf()], destinations: [destinationOf(crm.url)] });
  const one = await serving(config, { storage });
  await sendBatch(one.url, track('m1'));
  await crm.has(1);
  await one.service.destinations()[0]?.destination.idle();
  await one.service.close();
  const other = await serving(config, { storage });
  expect((await other.ask('/v1/deliveries')).body.deliveries).toMatchObject([{ id: 'm1' }]);
});

test.each(['limit=0', 'phase=gone', 'from=soon', 'destination=none'])(
  'recent deliveries with %s are refused',
  async (query) => {
    const { ask } = await servingTo([200]);
    expect(await ask(`/v1/deliveries?${query}`)).toMatchObject({ status: 400, body: { code: 'invalid_query' } });
  },
);
