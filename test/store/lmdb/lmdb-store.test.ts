import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RootDatabase } from 'lmdb';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import type { EventStore } from '../../../src/store/event-store.js';
import { openLmdbStore } from '../../../src/store/lmdb/lmdb-store.js';
import { settled } from '../../support/fake-clock.js';

const URL_A = 'https://a.example/';

/** lmdb with a disk that is as slow as the test wants it to be. */
async function withSlowDisk(): Promise<{ path: string; finish(): void }> {
  let finish = (): void => {};
  const flushed = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const lmdb = await vi.importActual<typeof import('lmdb')>('lmdb');
  const open = (options: { path: string }): RootDatabase => {
    const db = lmdb.open(options);
    Object.defineProperty(db, 'flushed', { get: () => flushed });
    return db;
  };
  vi.doMock('lmdb', () => ({ ...lmdb, open }));
  const path = mkdtempSync(join(tmpdir(), 'eventferry-'));
  onTestFinished(() => {
    vi.doUnmock('lmdb');
    rmSync(path, { recursive: true, force: true });
  });
  return { path, finish };
}

test('an event is added once the disk has it, not when it can be read', async () => {
  const { path, finish } = await withSlowDisk();
  const store = await openLmdbStore({ path, lock: 'alone' });
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

/** Takes away what earlier versions did not keep. */
async function forgetCounts(path: string, name: string): Promise<void> {
  const { open } = await import('lmdb');
  const db = open({ path, maxDbs: 32, noSubdir: false });
  await db.openDB({ name, keyEncoding: 'binary' }).clearAsync();
  await db.close();
}

test('a store of an earlier version, which kept no counts, is counted when it is opened, and goes on', async () => {
  const path = mkdtempSync(join(tmpdir(), 'eventferry-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const old = await openLmdbStore({ path, lock: 'alone' });
  const add = (store: EventStore, id: string) => store.add(newEvent(id, 'track', [URL_A], 1), Buffer.from('{}'));
  for (const id of ['waits', 'died']) await add(old, id);
  await old.update('died', (event) => ({
    ...event,
    isDead: true,
    urls: { [URL_A]: { phase: 'dead', at: 2, reason: 'permanent', history: [] } },
  }));
  await old.close();
  await forgetCounts(path, 'counts');
  const store = await openLmdbStore({ path, lock: 'alone' });
  onTestFinished(() => store.close());
  expect(await store.backlog()).toEqual([{ url: URL_A, first: 1, retry: 0, bytes: 0 }]);
  expect(await store.deadTotals()).toMatchObject({ events: 1, deliveries: [{ url: URL_A, count: 1 }] });
  await add(store, 'new');
  await store.update('died', () => undefined);
  expect(await store.backlog()).toMatchObject([{ first: 2 }]);
  expect(await store.deadTotals()).toEqual({ events: 0, bytes: 0, deliveries: [] });
});
