import { expect, test } from 'vitest';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { startEndpoint, type TestEndpoint } from '../../scheduler/test-endpoint.js';
import { configOf, destinationOf, sendBatch, serving, sourceOf, track } from '../support.js';
import { servingTo } from './serving-to.js';

test('recent deliveries are found by each matching filter, and by no other', async () => {
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

test('recent deliveries are listed page by page, each once', async () => {
  const { url, list, attempted, service } = await servingTo([200]);
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
    // Deliveries that arrive meanwhile must not appear on later pages.
    await sendBatch(url, track(`later${pages}`));
    await service.destinations()[0]?.destination.idle();
  }
  expect(ids).toEqual(['m7', 'm6', 'm5', 'm4', 'm3', 'm2', 'm1']);
});

test.each(['xyz', 'W10', Buffer.from('["crm","1 m1"]').toString('base64url')])(
  'the cursor %s, which no page has returned as `next`, is refused',
  async (after) => {
    const { ask } = await servingTo([200]);
    const { status, body } = await ask(`/v1/deliveries?after=${after}`);
    expect([status, body.code]).toEqual([400, 'invalid_query']);
  },
);

test('a delivery that became unnecessary because of another webhook is spared', async () => {
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
  // This has the same effect as a success at the other webhook.
  await store.update('m1', () => undefined);
  const { deliveries } = (await ask('/v1/deliveries?id=m1')).body;
  expect(deliveries.map(({ phase }: { phase: string }) => phase)).toEqual(['spared', 'spared']);
});

test('a delivery that ended by an attempt that is not kept is not called dead, and its explanation says what is not known', async () => {
  const { url, ask, attempted, crm, storage } = await servingTo([503]);
  await sendBatch(url, track('m1'));
  await attempted(1);
  expect((await ask('/v1/deliveries/m1')).body[0].endpoints).toMatchObject([{ phase: 'retrying' }]);
  // This has the same effect as a success of a process that is killed before it keeps the attempt.
  await (await storage.deliveries('crm')).update('m1', () => undefined);
  expect((await ask('/v1/deliveries/m1')).body[0].endpoints).toMatchObject([
    {
      url: crm.url,
      phase: 'spared',
      why: expect.stringContaining('it was delivered, another webhook took'),
      attempts: [{ status: 503 }],
    },
  ]);
  expect((await ask('/v1/deliveries?id=m1')).body.deliveries).toMatchObject([{ phase: 'spared', result: '503' }]);
});

test('with `keepAttempts: false` no recent deliveries are kept', async () => {
  const { url, ask, list, attempted } = await servingTo([200], { keepAttempts: false });
  await sendBatch(url, track('m1'));
  await attempted(1);
  expect(await list()).toEqual({ deliveries: [], oldestKept: null });
  expect((await ask('/v1/deliveries/m1')).status).toBe(404);
});

test('if only the newest successes are kept, every attempt is still counted, and the list says how far back it goes', async () => {
  const history = { maxBytes: 1_000, maxAge: 3_600_000 };
  const { url, ask, list, attempted } = await servingTo([200], {}, { history });
  const before = Date.now();
  await sendBatch(url, ...Array.from({ length: 40 }, (_, index) => track(`m${index}`)));
  await attempted(40);
  const { deliveries, oldestKept } = await list();
  expect(deliveries.length).toBeLessThan(10);
  expect((await ask('/v1/destinations/crm')).body.counters).toMatchObject({ delivered: 40, attempts: 40 });
  const { points } = (await ask('/v1/destinations/crm/history?range=24h')).body;
  expect(points.reduce((sum: number, { delivered }: { delivered: number }) => sum + delivered, 0)).toBe(40);
  expect(oldestKept === null || Date.parse(oldestKept) >= before - 1_000).toBe(true);
});

test('every process lists the attempts of all processes, even of those that have ended', async () => {
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

test('a delivery is not due before the circuit breaker of its webhook closes', async () => {
  const { url, list, ask, attempted } = await servingTo([500]);
  await sendBatch(url, ...Array.from({ length: 12 }, (_, number) => track(`m${number}`)));
  await attempted(12);
  const { openUntil } = (await ask('/v1/destinations/crm')).body.endpoints[0];
  expect(openUntil).not.toBeNull();
  const due: string[] = (await list()).deliveries.map(({ nextAttemptAt }: { nextAttemptAt: string }) => nextAttemptAt);
  expect(due).toHaveLength(12);
  expect(due.filter((at) => at < openUntil)).toEqual([]);
});

test.each(['?destination=crm', '?id=m1', '?user=u1', '?phase=delivered', '', '/m1'])(
  'kept attempts of a removed destination are still found by %s',
  async (query) => {
    const { url, list, attempted, service } = await servingTo([200]);
    await sendBatch(url, track('m1'));
    await attempted(1);
    await service.reload(configOf({ destinations: [] }));
    const answer = await list(query);
    expect(answer.deliveries ?? answer).toMatchObject([{ id: 'm1', destination: 'crm' }]);
  },
);

test('messages with the same id from two sources are two events, and only the named one is sent again', async () => {
  const crm = await startEndpoint(200);
  const config = configOf({
    sources: [sourceOf(), sourceOf({ name: 'app', writeKeys: ['app'] })],
    destinations: [destinationOf(crm.url)],
  });
  const { ask, url } = await serving(config);
  const send = async (writeKey: string, event: string, count: number): Promise<void> => {
    const body = JSON.stringify({ writeKey, batch: [{ ...track('m1'), event }] });
    await fetch(`${url}/v1/batch`, { method: 'POST', body });
    await expect.poll(async () => (await ask('/v1/deliveries')).body.deliveries).toHaveLength(count);
  };
  await send('dev', 'Of website', 1);
  await send('app', 'Of app', 2);
  const found = (await ask('/v1/deliveries/m1')).body;
  expect(found).toMatchObject([{ source: 'website' }, { source: 'app' }]);
  expect(found.map(({ message }: { message: { event: string } }) => message.event)).toEqual(['Of website', 'Of app']);
  expect((await ask(`/v1/deliveries/${encodeURIComponent('//app/m1')}`)).body).toMatchObject([{ source: 'app' }]);
  const again = (id: string) =>
    ask('/v1/deliveries/replay', { method: 'POST', json: { destination: 'crm', id, state: 'delivered' } });
  expect(await again('m1')).toMatchObject({ status: 409, body: { message: expect.stringContaining('//website/m1') } });
  expect((await again('//website/m1')).status).toBe(200);
  await crm.has(3);
  expect(JSON.parse(String(crm.received[2]?.body)).event).toBe('Of website');
});

test('two webhooks whose shown URLs are equal are two deliveries, each with its own outcome', async () => {
  const crm = await startEndpoint((request, response) => {
    response.writeHead(request.url?.endsWith('a1') === true ? 404 : 200).end();
  });
  const webhooks = ['a1', 'c3'].map((key) => ({ url: `${crm.url}?key=${key}` }));
  const config = configOf({
    sources: [sourceOf()],
    destinations: [destinationOf(crm.url, { webhooks, settle: 'each' })],
  });
  const { url, ask } = await serving(config, { storage: memoryStorage() });
  await sendBatch(url, track('m1'));
  await crm.has(2);
  for (const query of ['?id=m1', '?user=u1', '?destination=crm']) {
    const phases = async (): Promise<string[]> =>
      (await ask(`/v1/deliveries${query}`)).body.deliveries.map(({ phase }: { phase: string }) => phase).toSorted();
    await expect.poll(phases).toEqual(['dead', 'delivered']);
  }
});

test('two webhooks whose shown URLs are equal have their own answers, and each its own circuit breaker', async () => {
  const crm: TestEndpoint = await startEndpoint((request, response) => {
    const isFirst = request.url?.endsWith('a1') === true;
    const isHeld = String(crm.received.at(-1)?.body).includes('held');
    // The circuit breaker stays open for longer than it takes until the event that is held is due.
    const headers: Record<string, string> = isHeld ? {} : { 'retry-after': '60' };
    response.writeHead(isFirst || isHeld ? 503 : 200, headers).end(isFirst ? 'of a1' : 'of c3');
  });
  const webhooks = ['a1', 'c3'].map((key) => ({ url: `${crm.url}?key=${key}` }));
  const config = configOf({
    sources: [sourceOf()],
    destinations: [destinationOf(crm.url, { webhooks, settle: 'each' })],
  });
  const { url, ask } = await serving(config, { storage: memoryStorage() });
  await sendBatch(url, track('held'));
  await sendBatch(url, ...Array.from({ length: 15 }, (_, index) => track(`m${index}`)));
  const states = async () =>
    (await ask('/v1/destinations/crm')).body.endpoints.map(({ state }: { state: string }) => state);
  await expect.poll(states).toEqual(['open', 'closed']);
  for (const query of ['?id=held', '?id=held&phase=waiting']) {
    const { deliveries } = (await ask(`/v1/deliveries${query}`)).body;
    const held = deliveries.map(({ heldUpBy = 'nothing' }: { heldUpBy?: string }) => heldUpBy);
    expect(held.toSorted(), query).toEqual(['failures', 'nothing']);
  }
  const [{ endpoints }] = (await ask('/v1/deliveries/held')).body;
  const texts = endpoints.map(({ attempts }: { attempts: { sent?: unknown; answer: { text: string } }[] }) => [
    ...new Set(attempts.map(({ sent, answer }) => sent !== undefined && answer.text)),
  ]);
  expect(texts).toEqual([['of a1'], ['of c3']]);
});

test('an attempt keeps its request and answer when the URL of its webhook changes', async () => {
  const { url, ask, attempted, crm, service } = await servingTo([503]);
  await sendBatch(url, track('m1'));
  await attempted(1);
  const last = async () => (await ask('/v1/deliveries/m1')).body[0].endpoints[0];
  expect((await last()).attempts[0]).toHaveProperty('sent');
  await service.reload(configOf({ destinations: [destinationOf(`${crm.url}/moved`)] }));
  expect(await last()).toMatchObject({ url: expect.stringContaining('/moved') });
  expect((await last()).attempts[0]).toHaveProperty('sent');
});

test('a delivery that failed for good is spared if another webhook accepted its event, and dead with its reason otherwise', async () => {
  const crm = await startEndpoint((request, response) => {
    response.writeHead(request.url?.endsWith('a1') === true ? 404 : 200).end();
  });
  const webhooks = [
    { url: `${crm.url}?key=a1`, id: 'first' },
    { url: `${crm.url}?key=c3`, id: 'second' },
  ];
  const config = configOf({ sources: [sourceOf()], destinations: [destinationOf(crm.url, { webhooks })] });
  const { url, ask } = await serving(config, { storage: memoryStorage() });
  await sendBatch(url, track('m1'));
  await crm.has(2);
  const phases = async (): Promise<unknown> =>
    Object.fromEntries(
      (await ask('/v1/deliveries?id=m1')).body.deliveries.map((each: { webhook: { id: string }; phase: string }) => [
        each.webhook.id,
        each.phase,
      ]),
    );
  await expect.poll(phases).toEqual({ first: 'spared', second: 'delivered' });
});

test('a discarded dead letter is no longer dead, and one that stays has its reason', async () => {
  const { url, ask, list, attempted } = await servingTo([404]);
  await sendBatch(url, track('m1'), track('m2'));
  await attempted(2);
  expect((await list('?id=m1')).deliveries).toMatchObject([{ phase: 'dead', reason: 'permanent' }]);
  await ask('/v1/deliveries/discard', { method: 'POST', json: { destination: 'crm', id: 'm1' } });
  expect((await list('?id=m1')).deliveries).toMatchObject([{ phase: 'spared' }]);
  expect((await list('?id=m2')).deliveries).toMatchObject([{ phase: 'dead' }]);
});
