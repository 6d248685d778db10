import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/base/time/clock.js';
import { newEvent } from '../../src/delivery/completion-rule.js';
import { LineSweeper } from '../../src/store/redis/line-sweeper.js';
import type { RedisStore } from '../../src/store/redis/redis-store.js';
import { RedisServer } from './redis-server.js';
import { openStore } from './storage.js';

const URL_A = 'https://a.example/';
const HOUR_MS = 3_600_000;

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

const sweeperOf = (store: RedisStore): LineSweeper => {
  const nothing = (): void => {};
  const told = { onNews: nothing, onCounted: nothing, onError: nothing };
  const room = { backlog: 0, room: () => 0, ahead: () => 0 };
  return new LineSweeper({ url: URL_A, clock: systemClock(), windowMs: HOUR_MS, ...room, ...told }, store);
};

/** Three of one user, of which the first is in line, accepted one after another. */
async function addThree(store: RedisStore, at: number): Promise<void> {
  for (const index of [0, 1, 2]) {
    const event = newEvent(`m${index}`, 'track', [URL_A], at + index, { bytes: 2, user: 'ann-------------' });
    await store.add({ ...event, isOrdered: true }, Buffer.from('{}'));
  }
}

const idsOf = (taken: readonly { readonly item: { readonly id: string } }[]): string[] =>
  taken.map(({ item }) => item.id);

test('deliveries that are too old or too many are found in line and behind others, the oldest first', async () => {
  const store = await openStore(server);
  await addThree(store, 1_000);
  const sweeper = sweeperOf(store);
  expect(idsOf(await sweeper.takeOldest(2))).toEqual(['m0', 'm1']);
  expect(idsOf(await sweeper.takeOlder(1_002, 9))).toEqual(['m0', 'm1']);
  expect(idsOf(await sweeper.takeLate(Date.now()))).toEqual(['m0', 'm1', 'm2']);
  expect(await sweeper.takeLate(2_000)).toEqual([]);
});

test('only one process at a time sweeps a line', async () => {
  const store = await openStore(server);
  await addThree(store, 1_000);
  expect(await sweeperOf(store).takeOldest(9)).toHaveLength(3);
  expect(await sweeperOf(store).takeOldest(9)).toEqual([]);
});
