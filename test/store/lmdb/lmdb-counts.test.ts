import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import type { EventStore } from '../../../src/store/event-store.js';
import { openLmdbStore } from './open.js';

const URL_A = 'https://a.example/';

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
