import { expect, onTestFinished, test } from 'vitest';
import { LineEndpoint } from '../../src/scheduler/line-endpoint.js';
import { openEndpoint } from '../../src/scheduler/open-endpoint.js';
import { lmdbStorage } from '../../src/store/lmdb/lmdb-storage.js';
import { MemoryStore } from '../../src/store/memory/memory-store.js';
import { newFolder } from '../cli/files.js';
import { openLmdbStore } from '../store/lmdb/open.js';

test('what waits in memory or on lmdb is scheduled in the memory of the process', async () => {
  const lmdb = await openLmdbStore({ path: await newFolder(), lock: 'alone' });
  onTestFinished(() => lmdb.close());
  const storage = await lmdbStorage({ path: await newFolder() });
  onTestFinished(() => storage.close());
  for (const store of [new MemoryStore(), lmdb, await storage.deliveries('orders')]) {
    const endpoint = openEndpoint(store, { url: 'a', backlog: 7, limit: {}, clock: {} } as never);
    expect(endpoint).toBeInstanceOf(LineEndpoint);
    expect(endpoint).toMatchObject({ url: 'a', waiting: 7 });
  }
});
