import { expect, test } from 'vitest';
import { LeasedScheduler } from '../../src/scheduler/leased/leased-scheduler.js';
import { LocalEndpoint } from '../../src/scheduler/local-endpoint.js';
import { schedulerOf } from '../../src/scheduler/scheduler-of.js';
import { lmdbStorage } from '../../src/store/lmdb/lmdb-storage.js';
import { openLmdbStore } from '../../src/store/lmdb/lmdb-store.js';
import { MemoryStore } from '../../src/store/memory/memory-store.js';
import { newFolder } from '../cli/files.js';

test('a store of one process is scheduled in its memory', async () => {
  const lmdb = await openLmdbStore({ path: await newFolder(), lock: 'alone' });
  for (const store of [new MemoryStore(), lmdb]) {
    const scheduler = await schedulerOf(store);
    const endpoint = scheduler.endpoint({ url: 'a', backlog: 7, limit: {}, clock: {} } as never);
    expect(endpoint).toBeInstanceOf(LocalEndpoint);
    expect(endpoint).toMatchObject({ url: 'a', waiting: 7 });
  }
  await lmdb.close();
});

test('a store that several processes share on lmdb is scheduled by its lease, by one scheduler', async () => {
  const storage = await lmdbStorage({ path: await newFolder() });
  const [orders, refunds] = await Promise.all([storage.deliveries('orders'), storage.deliveries('refunds')]);
  const scheduler = await schedulerOf(orders);
  expect(scheduler).toBeInstanceOf(LeasedScheduler);
  expect(await schedulerOf(orders)).toBe(scheduler);
  expect(await schedulerOf(refunds)).not.toBe(scheduler);
  await storage.close();
});
