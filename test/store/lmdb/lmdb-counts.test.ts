import { expect, onTestFinished, test } from 'vitest';
import { newEvent, type StoredEvent } from '../../../src/delivery/completion-rule.js';
import type { EventStore } from '../../../src/store/event-store.js';
import { newFolder } from '../../cli/files.js';
import { openLmdbStore } from './open.js';

const URL_A = 'https://a.example/';

const add = (store: EventStore, id: string): Promise<unknown> =>
  store.add(newEvent(id, 'track', [URL_A], 1, { bytes: 2 }), Buffer.from('{}'));

const died = (event: StoredEvent): StoredEvent => ({
  ...event,
  isDead: true,
  urls: { [URL_A]: { phase: 'dead', at: 2, reason: 'permanent', history: [] } },
});

test('a store has the counts of waiting and dead deliveries even after it was reopened', async () => {
  const path = await newFolder();
  const first = await openLmdbStore({ path, lock: 'alone' });
  for (const id of ['waits', 'died', 'gone']) await add(first, id);
  await first.update('died', died);
  await first.update('gone', () => undefined);
  await first.close();
  const store = await openLmdbStore({ path, lock: 'alone' });
  onTestFinished(() => store.close());
  expect(await store.backlog()).toEqual([{ url: URL_A, first: 1, retry: 0, bytes: 2 }]);
  expect(await store.deadTotals()).toMatchObject({ events: 1, deliveries: [{ url: URL_A, count: 1 }] });
  await store.update('died', () => undefined);
  expect(await store.deadTotals()).toEqual({ events: 0, bytes: 0, deliveries: [] });
});

test('a change that throws changes no counts', async () => {
  const store = await openLmdbStore({ path: await newFolder(), lock: 'alone' });
  onTestFinished(() => store.close());
  await add(store, 'waits');
  const failing = store.update('waits', () => {
    throw new Error('from the rule');
  });
  await expect(failing).rejects.toThrow('from the rule');
  expect(await store.backlog()).toEqual([{ url: URL_A, first: 1, retry: 0, bytes: 2 }]);
});
