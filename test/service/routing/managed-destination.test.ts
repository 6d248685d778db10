import { expect, test } from 'vitest';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { startEndpoint, type TestEndpoint } from '../../scheduler/test-endpoint.js';
import { FakeClock } from '../../support/fake-clock.js';
import { recordingLog } from '../recording-log.js';
import { configOf, destinationOf, sendBatch, serving, track } from '../support.js';

const idsOf = (...endpoints: TestEndpoint[]): unknown[] =>
  endpoints.flatMap(({ received }) => received.map(({ body }) => JSON.parse(body.toString()).messageId)).sort();

test('a destination that is changed continues with its waiting deliveries', async () => {
  const crm = await startEndpoint(503, 200);
  const clock = new FakeClock();
  const { service, url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { clock });
  await sendBatch(url, track('m1'));
  await crm.has(1);
  await service.reload(configOf({ destinations: [destinationOf(crm.url, { sharedSecret: 'other' })] }));
  await clock.pass(6_500);
  await crm.has(2);
  expect(idsOf(crm)).toEqual(['m1', 'm1']);
  const [first, second] = crm.received.map(({ headers }) => headers['x-signature']);
  expect(first).not.toBe(second);
});

test('the counters of a destination continue after it was changed', async () => {
  const crm = await startEndpoint(200);
  const { service, url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }));
  const settle = async (): Promise<void> => service.destinations()[0]?.destination.idle();
  await sendBatch(url, track('m1'));
  await settle();
  await service.reload(configOf({ destinations: [destinationOf(crm.url, { requestTimeout: 1_000 })] }));
  await sendBatch(url, track('m2'));
  await settle();
  expect(service.destinations()[0]?.counters()).toMatchObject({ delivered: 2, results: { success: 2 } });
});

test('a destination that cannot be reopened because of the store continues as before, and is opened when it can be', async () => {
  const crm = await startEndpoint(200);
  const [clock, log, storage] = [new FakeClock(), recordingLog(), memoryStorage()];
  const { service, url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { clock, log, storage });
  const store = await storage.deliveries('crm');
  const backlog = store.backlog.bind(store);
  const changed = configOf({ destinations: [destinationOf(crm.url, { requestTimeout: 1_000 })] });
  let failures = 1;
  store.backlog = async () => (failures-- > 0 ? Promise.reject(new Error('disk error')) : backlog());
  await expect(service.reload(changed)).rejects.toThrow('disk error');
  expect(log.lines).toContainEqual(expect.objectContaining({ level: 'error', error: 'disk error' }));
  expect((await sendBatch(url, track('m1'))).status).toBe(200);
  failures = Number.POSITIVE_INFINITY;
  await expect(service.reload(changed)).rejects.toThrow('disk error');
  expect((await sendBatch(url, track('m2'))).status).toBe(503);
  failures = 0;
  await clock.pass(5_000);
  expect((await sendBatch(url, track('m2'))).status).toBe(200);
  await crm.has(2);
});

test('a destination whose store cannot make its writes safe before a reopening continues as before', async () => {
  const crm = await startEndpoint(200);
  const [log, storage] = [recordingLog(), memoryStorage()];
  const { service, url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { log, storage });
  await sendBatch(url, track('m1'));
  await crm.has(1);
  const store = await storage.deliveries('crm');
  const flush = store.flush.bind(store);
  store.flush = async () => {
    store.flush = flush;
    throw new Error('disk error');
  };
  const changed = configOf({ destinations: [destinationOf(crm.url, { requestTimeout: 1_000 })] });
  await expect(service.reload(changed)).rejects.toThrow('disk error');
  expect(log.lines).toContainEqual(expect.objectContaining({ level: 'error', error: 'disk error' }));
  expect((await sendBatch(url, track('m2'))).status).toBe(200);
  await crm.has(2);
  await expect.poll(() => service.destinations()[0]?.counters()).toMatchObject({ accepted: 2, delivered: 2 });
});
