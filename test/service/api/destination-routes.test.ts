import { expect, test } from 'vitest';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { FakeClock } from '../../support/fake-clock.js';
import { configOf, destinationOf, sendBatch, serving, sourceOf, track } from '../support.js';

test('a destination is paused and resumed in every process, and keeps new events meanwhile', async () => {
  const crm = await startEndpoint(200);
  const [storage, clock] = [memoryStorage(), new FakeClock()];
  const config = configOf({ destinations: [destinationOf(crm.url)] });
  const [one, other] = [await serving(config, { storage, clock }), await serving(config, { storage, clock })];
  const put = (paused: unknown) => one.ask('/v1/destinations/crm/paused', { method: 'PUT', json: { paused } });
  expect(await put(true)).toMatchObject({ status: 200, body: { name: 'crm', paused: true, enabled: true } });
  await clock.pass(2_000);
  await sendBatch(other.url, track('m1'));
  expect((await other.ask('/v1/destinations/crm')).body).toMatchObject({ paused: true, waiting: 1 });
  expect((await other.ask('/metrics')).body).toContain('eventferry_destination_paused{destination="crm"} 1');
  expect((await other.ask('/v1/deliveries/m1')).body[0].endpoints[0].why).toBe('this destination was paused by admin');
  expect(crm.received).toHaveLength(0);
  await put(false);
  await clock.pass(2_000);
  await crm.has(1);
  expect((await put('yes')).body).toMatchObject({ code: 'invalid_field' });
});

test.each([
  ['paused', { paused: true, destination: 'crm' }, '`destination` is not a field of this body, which takes paused'],
  ['enabled', { enabled: false, x: 1 }, '`x` is not a field of this body, which takes enabled'],
])('setting the switch `%s` with an unknown field is refused and changes nothing', async (name, json, message) => {
  const { ask } = await serving(configOf({ destinations: [destinationOf('http://127.0.0.1:9/')] }));
  const { status, body } = await ask(`/v1/destinations/crm/${name}`, { method: 'PUT', json });
  expect({ status, body }).toMatchObject({ status: 422, body: { code: 'invalid_field', message } });
  expect((await ask('/v1/destinations/crm')).body).toMatchObject({ paused: false, enabled: true });
});

test('a destination is paused even if its report cannot be read', async () => {
  const crm = await startEndpoint(200);
  const { ask, service } = await serving(configOf({ destinations: [destinationOf(crm.url)] }));
  const [managed] = service.destinations();
  if (managed === undefined) throw new Error('Expected a destination');
  let isPaused = false;
  const { setPaused } = managed.destination;
  Object.assign(managed.destination, {
    endpoints() {
      throw new Error('the store is away');
    },
    setPaused(paused: boolean) {
      isPaused = paused;
      setPaused.call(managed.destination, paused);
    },
  });
  expect((await ask('/v1/destinations/crm/paused', { method: 'PUT', json: { paused: true } })).status).toBe(503);
  expect(isPaused).toBe(true);
});

test('a paused destination is paused from the first moment after a restart of its process', async () => {
  const crm = await startEndpoint(200);
  const [storage, clock] = [memoryStorage(), new FakeClock()];
  const config = configOf({ destinations: [destinationOf(crm.url)] });
  const before = await serving(config, { storage, clock });
  await before.ask('/v1/destinations/crm/paused', { method: 'PUT', json: { paused: true } });
  await sendBatch(before.url, track('m1'));
  await before.service.close();
  const after = await serving(config, { storage, clock });
  await clock.pass(60_000);
  expect((await after.ask('/v1/destinations')).body.destinations).toMatchObject([{ name: 'crm', paused: true }]);
  expect(crm.received).toHaveLength(0);
});

test('a destination is listed with its last hour, and with its history over each range', async () => {
  const crm = await startEndpoint(200, 404);
  // With a fake clock both attempts are in the same minute, whenever the test runs.
  const clock = new FakeClock();
  const { url, ask, service } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { clock });
  for (const id of ['m1', 'm2']) {
    await sendBatch(url, track(id));
    await service.destinations()[0]?.destination.idle();
  }
  for (const range of ['1h', '24h', '7d']) {
    const { body } = await ask(`/v1/destinations/crm/history?range=${range}`);
    const totals = body.points.map(({ delivered, dead }: Record<string, number>) => [delivered, dead]);
    expect(totals.at(-1), range).toEqual([1, 1]);
  }
  const [{ lastHour, oldestWaitingAt }] = (await ask('/v1/destinations')).body.destinations;
  expect(lastHour).toMatchObject({ attempts: 2, successRate: 0.5 });
  expect(oldestWaitingAt).toBeNull();
  expect(await ask('/v1/destinations/crm/history?range=1y')).toMatchObject({ body: { code: 'invalid_query' } });
  expect((await ask('/v1/destinations/none/history')).status).toBe(404);
});

test('the history counts an attempt that failed for good as `dead`, whether its event became a dead letter or not', async () => {
  const [bad, good] = [await startEndpoint(404), await startEndpoint(200)];
  const webhooks = [{ url: bad.url }, { url: good.url }];
  const destinations = [destinationOf(bad.url), destinationOf(bad.url, { name: 'two', webhooks })];
  const { ask, url } = await serving(configOf({ sources: [sourceOf({ destinations: ['crm', 'two'] })], destinations }));
  await sendBatch(url, track('m1'));
  await Promise.all([bad.has(2), good.has(1)]);
  const counted = async (name: string): Promise<unknown> => {
    const { body } = await ask(`/v1/destinations/${name}/history`);
    const dead = body.points.reduce((sum: number, point: { dead: number }) => sum + point.dead, 0);
    return { dead, deadLetters: (await ask(`/v1/destinations/${name}`)).body.deadLetters };
  };
  await expect.poll(() => counted('crm')).toEqual({ dead: 1, deadLetters: 1 });
  await expect.poll(() => counted('two')).toEqual({ dead: 1, deadLetters: 0 });
});

test('a source has its history over each range', async () => {
  const { url, ask } = await serving(configOf({ sources: [sourceOf({ destinations: [] })] }), {
    clock: new FakeClock(),
  });
  await sendBatch(url, track('m1'), { type: 'track' });
  const { body } = await ask('/v1/sources/website/history');
  expect(body.points.at(-1)).toMatchObject({ received: 1, rejected: 1, blocked: 0, forwarded: 0 });
  expect(body.points).toHaveLength(60);
  expect((await ask('/v1/sources/none/history')).status).toBe(404);
});

test('a destination with a waiting retry shows since when the oldest delivery has waited', async () => {
  const crm = await startEndpoint(503);
  const { url, ask, service } = await serving(configOf({ destinations: [destinationOf(crm.url)] }));
  await sendBatch(url, track('m1'));
  await expect.poll(() => service.destinations()[0]?.destination.counters().attempts).toBe(1);
  const [delivery] = (await ask('/v1/deliveries')).body.deliveries;
  expect((await ask('/v1/destinations/crm')).body.oldestWaitingAt).toBe(delivery.acceptedAt);
});

test('a destination is disabled and enabled, in this and every other process', async () => {
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
  expect((await other.ask('/v1/destinations')).body.destinations[0].enabled).toBe(false);
  await put(true);
  await clock.pass(2_000);
  await sendBatch(other.url, track('m2'));
  await crm.has(1);
  expect(JSON.parse(String(crm.received[0]?.body)).messageId).toBe('m2');
  expect((await put('yes')).body).toMatchObject({ code: 'invalid_field' });
});

test('a switch survives a restart, and ends when the configuration changes the value', async () => {
  const crm = await startEndpoint(200);
  const storage = memoryStorage();
  const on = configOf({ destinations: [destinationOf(crm.url)] });
  const off = configOf({ destinations: [destinationOf(crm.url, { enabled: false })] });
  const first = await serving(on, { storage });
  await first.ask('/v1/destinations/crm/enabled', { method: 'PUT', json: { enabled: false } });
  await first.service.close();
  const { service, ask } = await serving(on, { storage });
  const isEnabled = async (): Promise<boolean> => (await ask('/v1/destinations')).body.destinations[0].enabled;
  expect(await isEnabled()).toBe(false);
  await service.reload(off);
  await service.reload(on);
  expect(await isEnabled()).toBe(true);
});
