import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import { describeOrder, describeOrderOfIntake } from '../store/order-conformance.js';
import { deliveriesIn } from '../store/storage-under-test.js';
import { RedisServer } from './redis-server.js';
import { claimAt, openStore, redisUnderTest, roomFor } from './storage.js';

const URL_A = 'https://a.example/';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

describeOrder(deliveriesIn(redisUnderTest(() => server)));
describeOrderOfIntake(redisUnderTest(() => server));

const add = (store: Awaited<ReturnType<typeof openStore>>, id: string, at: number) =>
  store.add(newEvent(id, 'track', [URL_A], at, { bytes: 2 }), Buffer.from('{}'));

test('messages from several processes wait in the order in which Redis received them, whatever their clocks say', async () => {
  const prefix = randomUUID();
  const [fast, slow] = [await openStore(server, prefix), await openStore(server, prefix)];
  await add(fast, 'z', 3_600_000);
  await add(slow, 'y', 1_000);
  await add(fast, 'x', 3_600_000);
  expect(await claimAt(slow, URL_A, 3)).toEqual(['z', 'y', 'x']);
});

test('a delivery that is claimed while it is stored and then put back keeps its place', async () => {
  const store = await openStore(server);
  const leases = store.parts[0].leases(URL_A);
  leases.room = roomFor(2);
  // All have the same millisecond, and ids whose own order is the opposite.
  await Promise.all(['d', 'c', 'b', 'a'].map((id) => add(store, id, 1_000)));
  for (const id of ['c', 'd']) expect(leases.takeOver(id)?.()).toBe(true);
  await leases.putBack(['c', 'd']);
  expect(await claimAt(store, URL_A, 4)).toEqual(['d', 'c', 'b', 'a']);
});
