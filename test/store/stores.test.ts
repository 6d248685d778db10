import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openLmdbStore } from '../../src/store/lmdb/lmdb-store.js';
import { MemoryStore } from '../../src/store/memory/memory-store.js';
import { describeStore } from './event-store-conformance.js';

describeStore({
  name: 'memory',
  lasts: false,
  setUp: async () => {
    const store = new MemoryStore();
    return async () => store;
  },
});

describeStore({
  name: 'lmdb',
  lasts: true,
  setUp: async () => {
    const path = mkdtempSync(join(tmpdir(), 'eventferry-'));
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    return () => openLmdbStore({ path, lock: 'alone' });
  },
});
