import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RootDatabase } from 'lmdb';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import { newFolder } from '../../cli/files.js';
import { settled } from '../../support/fake-clock.js';
import { describeEventStore } from '../event-store-conformance.js';
import { openLmdbStore } from './open.js';

describeEventStore({
  name: 'lmdb, of one destination',
  lasts: true,
  setUp: async () => {
    const path = await newFolder();
    return () => openLmdbStore({ path, lock: 'alone' });
  },
});

/** Mocks lmdb with a disk that can be made as slow as the test needs. */
async function withSlowDisk(): Promise<{ path: string; slowDown(): void; finish(): void }> {
  let finish = (): void => {};
  let isSlow = false;
  const flushed = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const lmdb = await vi.importActual<typeof import('lmdb')>('lmdb');
  const open = (options: { path: string }): RootDatabase => {
    const db = lmdb.open(options);
    Object.defineProperty(db, 'flushed', { get: () => (isSlow ? flushed : Promise.resolve()) });
    return db;
  };
  vi.doMock('lmdb', () => ({ ...lmdb, open }));
  const path = mkdtempSync(join(tmpdir(), 'eventferry-'));
  onTestFinished(() => {
    vi.doUnmock('lmdb');
    rmSync(path, { recursive: true, force: true });
  });
  const slowDown = (): void => {
    isSlow = true;
  };
  return { path, slowDown, finish };
}

test('adding an event resolves once the disk has it, not when it can be read', async () => {
  const { path, slowDown, finish } = await withSlowDisk();
  const store = await openLmdbStore({ path, lock: 'alone' });
  slowDown();
  let isAdded = false;
  const added = store.add(newEvent('e1', 'track', ['https://a.example/'], 1), Buffer.from('{}')).then(() => {
    isAdded = true;
  });
  await expect.poll(() => store.event('e1')).toBeDefined();
  await settled();
  expect(isAdded).toBe(false);
  finish();
  await added;
  await store.close();
});

test('an event that is added, changed and removed in one transaction does not exist afterwards', async () => {
  const store = await openLmdbStore({ path: await newFolder(), lock: 'alone' });
  onTestFinished(() => store.close());
  await Promise.all([
    ...['e1', 'e2'].map((id) => store.add(newEvent(id, 'track', ['https://a.example/'], 1), Buffer.from('{}'))),
    store.update('e1', () => undefined),
    store.update('e2', (event) => ({ ...event, isDead: true })),
  ]);
  expect([await store.event('e1'), (await store.event('e2'))?.isDead]).toEqual([undefined, true]);
});
