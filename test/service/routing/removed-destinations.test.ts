import { expect, test } from 'vitest';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { FakeClock } from '../../support/fake-clock.js';
import { configOf, destinationOf, sendBatch, serving, sourceOf, track } from '../support.js';

/** A service whose destination `crm` was removed with a dead letter (m1) and a waiting delivery (m2). */
async function removed() {
  const [crm, lake] = [await startEndpoint(404, 503), await startEndpoint(200)];
  const config = (...destinations: Parameters<typeof configOf>[0][]) => configOf(Object.assign({}, ...destinations));
  const withCrm = config({ destinations: [destinationOf(crm.url), destinationOf(lake.url, { name: 'lake' })] });
  const clock = new FakeClock();
  const served = await serving(withCrm, { clock });
  await sendBatch(served.url, track('m1'));
  await crm.has(1);
  await sendBatch(served.url, track('m2'));
  await crm.has(2);
  const ofCrm = served.service.destinations()[0]?.destination;
  await expect.poll(() => ofCrm?.endpoints()[0]?.inFlight).toBe(0);
  const without = config(
    { sources: [sourceOf({ destinations: ['lake'] })] },
    { destinations: [destinationOf(lake.url, { name: 'lake' })] },
  );
  await served.service.reload(without);
  const post = (act: string, fields: object) =>
    served.ask(`/v1/deliveries/${act}`, { method: 'POST', json: { destination: 'crm', ...fields } });
  const backAt = (url: string, fields: object = {}) =>
    served.service.reload(
      configOf({ destinations: [destinationOf(url, fields), destinationOf(lake.url, { name: 'lake' })] }),
    );
  return { ...served, clock, crm, lake, post, backAt };
}

test('a removed destination is listed with the deliveries that it still holds', async () => {
  const { ask, crm } = await removed();
  const left = { waiting: 1, oldestWaitingAt: expect.any(String), deadLetters: 1 };
  const report = { name: 'crm', state: 'removed', endpoints: [{ url: crm.url }], ...left };
  expect((await ask('/v1/destinations?state=removed')).body).toMatchObject({ destinations: [report], found: 1 });
  expect((await ask('/v1/destinations/crm')).body).toMatchObject(report);
  const { destinations, summary } = (await ask('/v1/destinations')).body;
  expect(destinations.map(({ name }: { name: string }) => name)).toEqual(['lake', 'crm']);
  expect(summary).toMatchObject({ ...left, states: { removed: 1, healthy: 1, off: 0 } });
  expect((await ask('/v1/deliveries?destination=crm&phase=dead')).body.deliveries).toMatchObject([{ id: 'm1' }]);
  expect((await ask('/v1/deliveries?destination=crm&phase=waiting')).body.deliveries).toMatchObject([{ id: 'm2' }]);
  const why = 'the configuration no longer has this destination';
  expect((await ask('/v1/deliveries/m2')).body).toMatchObject([
    { destination: 'crm', id: 'm2', endpoints: [{ why, nextAttemptAt: null }] },
  ]);
});

test('deliveries of a removed destination are sent only to the destination that a replay names, with the same body', async () => {
  const { ask, post, lake, crm, service } = await removed();
  expect(await post('replay', { all: true })).toMatchObject({ status: 409, body: { code: 'replay_target' } });
  expect((await post('replay', { all: true, sendTo: 'crm' })).status).toBe(422);
  expect((await post('replay', { all: true, sendTo: 'lake' })).body).toMatchObject({ status: 'done', deliveries: 1 });
  expect((await post('replay', { id: 'm2', state: 'waiting', sendTo: 'lake' })).body).toEqual({
    ...{ status: 'done', destination: 'crm', deliveries: 1 },
  });
  await lake.has(2);
  expect(lake.received.map(({ body }) => body)).toEqual(crm.received.map(({ body }) => body));
  expect((await ask('/v1/destinations?state=removed')).body.destinations).toEqual([]);
  expect(service.destinations()).toHaveLength(1);
  expect(crm.received).toHaveLength(2);
});

test('waiting deliveries of a removed destination are moved in the order of each user, including retries', async () => {
  const [crm, lake] = [await startEndpoint(503), await startEndpoint(200)];
  const [from, to] = [
    destinationOf(crm.url, { ordered: 'user' }),
    destinationOf(lake.url, { name: 'lake', ordered: 'user' }),
  ];
  const clock = new FakeClock();
  const { service, url, ask } = await serving(configOf({ destinations: [from, to] }), { clock });
  const ids = ['a', 'b', 'c'].flatMap((user) => [1, 2, 3, 4, 5].map((number) => `${user}${number}`));
  await sendBatch(url, ...ids.map((id) => track(id, { userId: id[0] })));
  await crm.has(3);
  const ofCrm = service.destinations()[0]?.destination;
  await expect.poll(() => ofCrm?.endpoints()[0]?.inFlight).toBe(0);
  await service.reload(configOf({ sources: [sourceOf({ destinations: ['lake'] })], destinations: [to] }));
  const json = { destination: 'crm', all: true, state: 'waiting', sendTo: 'lake' };
  const moved = await ask('/v1/deliveries/replay', { method: 'POST', json });
  expect(moved.body).toMatchObject({ status: 'done', deliveries: ids.length });
  await lake.has(ids.length);
  const received = lake.received.map(({ body }) => JSON.parse(String(body)).messageId as string);
  expect(['a', 'b', 'c'].flatMap((user) => received.filter((id) => id.startsWith(user)))).toEqual(ids);
});

test('the deliveries of a removed destination can be discarded', async () => {
  const { ask, post } = await removed();
  expect((await post('discard', { all: true, state: 'waiting' })).body).toMatchObject({ deliveries: 1 });
  expect((await post('discard', { all: true })).body).toMatchObject({ deliveries: 1 });
  expect((await ask('/v1/destinations?state=removed')).body.destinations).toEqual([]);
});

test('a new destination with the same name but other URLs gets no deliveries of the removed one', async () => {
  const { backAt, ask, post, clock } = await removed();
  const other = await startEndpoint(200);
  await backAt(other.url);
  await clock.pass(60_000);
  const letters = async () => (await ask('/v1/deliveries?destination=crm&phase=dead')).body.deliveries;
  await expect.poll(async () => (await letters()).map(({ id }: { id: string }) => id)).toEqual(['m1', 'm2']);
  expect((await post('replay', { all: true })).body).toMatchObject({ status: 'failed', deliveries: 0 });
  expect(other.received).toEqual([]);
  expect((await post('replay', { all: true, sendTo: other.url })).body).toMatchObject({ deliveries: 2 });
  await other.has(2);
});

test('a new destination with the same name is not the removed one just because a webhook id is the same', async () => {
  const [one, two] = [await startEndpoint(503), await startEndpoint(200)];
  const at = (url: string) => configOf({ destinations: [destinationOf('', { webhooks: [{ id: 'main', url }] })] });
  const clock = new FakeClock();
  const { service, url } = await serving(at(one.url), { clock });
  await sendBatch(url, track('m1'));
  await one.has(1);
  await service.reload(configOf());
  await service.reload(at(two.url));
  await clock.pass(60_000);
  await service.destinations()[0]?.destination.idle();
  expect(two.received).toEqual([]);
});

test('a destination that is configured again with one of its URLs continues its deliveries', async () => {
  const { backAt, crm, ask } = await removed();
  await backAt(crm.url);
  expect((await ask('/v1/destinations?state=removed')).body.destinations).toEqual([]);
  expect((await ask('/v1/destinations/crm')).body).toMatchObject({ waiting: 1, deadLetters: 1 });
});

test('a destination that was configured again moves to another URL with its waiting deliveries', async () => {
  const { backAt, crm, ask } = await removed();
  await backAt(crm.url);
  const other = await startEndpoint(503);
  await backAt(other.url);
  expect((await ask('/v1/destinations/crm')).body).toMatchObject({ waiting: 1, endpoints: [{ url: other.url }] });
});

test('a deletion covers dead letters and waiting deliveries of a removed destination', async () => {
  const { ask } = await removed();
  await ask('/v1/deletions', { method: 'POST', json: { userIds: ['u1'] } });
  await expect.poll(async () => (await ask('/v1/destinations?state=removed')).body.destinations).toEqual([]);
});
