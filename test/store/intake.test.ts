import { expect, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import { addDelivery } from '../../src/store/intake.js';
import { MemoryStore } from '../../src/store/memory/memory-store.js';

const body = Buffer.from('{"type":"track"}');
const add = ({ records }: MemoryStore, id: string, source?: string): string | undefined =>
  addDelivery(records, newEvent(id, 'track', ['a'], 1, source === undefined ? {} : { source }), { id, body });

test('a message is added to a destination under its id, and once', async () => {
  const store = new MemoryStore();
  expect([add(store, 'm1', 'web'), add(store, 'm1', 'web')]).toEqual(['m1', undefined]);
});

test('a message is added beside that of another source with the same id, and once', async () => {
  const store = new MemoryStore();
  add(store, 'm1', 'web');
  expect([add(store, 'm1', 'app'), add(store, 'm1', 'app')]).toEqual(['//app/m1', undefined]);
  expect(await store.event('//app/m1')).toMatchObject({ id: '//app/m1', source: 'app' });
});

test('a message without a source is no other than the one of its id', async () => {
  const store = new MemoryStore();
  add(store, 'm1', 'web');
  expect(add(store, 'm1')).toBeUndefined();
});
