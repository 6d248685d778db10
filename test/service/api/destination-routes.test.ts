import { expect, test } from 'vitest';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { FakeClock } from '../../support/fake-clock.js';
import { configOf, destinationOf, sendBatch, serving, track } from '../support.js';

test('a destination is paused in every process, keeps what comes, and goes on in every process', async () => {
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
  expect((await other.ask('/v1/deliveries/m1')).body[0].endpoints[0].why).toBe('the destination is paused');
  expect(crm.received).toHaveLength(0);
  await put(false);
  await clock.pass(2_000);
  await crm.has(1);
  expect((await put('yes')).body).toMatchObject({ code: 'invalid_field' });
});

test('a paused destination stays paused when its process starts again, from its first moment on', async () => {
  const crm = await startEndpoint(200);
  const [storage, clock] = [memoryStorage(), new FakeClock()];
  const config = configOf({ destinations: [destinationOf(crm.url)] });
  const before = await serving(config, { storage, clock });
  await before.ask('/v1/destinations/crm/paused', { method: 'PUT', json: { paused: true } });
  await sendBatch(before.url, track('m1'));
  await before.service.close();
  const after = await serving(config, { storage, clock });
  await clock.pass(60_000);
  expect((await after.ask('/v1/destinations')).body).toMatchObject([{ name: 'crm', paused: true }]);
  expect(crm.received).toHaveLength(0);
});
