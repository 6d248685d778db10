import { expect, test } from 'vitest';
import { entriesOf } from '../../src/store/key-value-store.js';
import { memoryStorage } from '../../src/store/memory/memory-storage.js';

/** Creates a store with this many keys below `a/`, and one with another prefix. */
async function storeOf(count: number) {
  const { keyValues } = memoryStorage();
  const keys = Array.from({ length: count }, (_, index) => `a/${String(index).padStart(4, '0')}`);
  for (let from = 0; from < keys.length; from += 1_000) {
    await keyValues.write(keys.slice(from, from + 1_000).map((key) => ({ key, value: key })));
  }
  await keyValues.write([{ key: 'b/1', value: 'other' }]);
  return { keyValues, keys };
}

async function allOf<T>(entries: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const entry of entries) all.push(entry);
  return all;
}

test.each([0, 1, 499, 500, 501, 1_000, 1_203])(
  'each of %i entries with a prefix is yielded once and in order',
  async (count) => {
    const { keyValues, keys } = await storeOf(count);
    const entries = await allOf(entriesOf(keyValues, 'a/'));
    expect(entries).toEqual(keys.map((key) => ({ key, value: key })));
  },
);

test('entries are listed from the first one after a given key', async () => {
  const { keyValues } = await storeOf(4);
  const entries = await allOf(entriesOf(keyValues, 'a/', 'a/0001'));
  expect(entries.map(({ key }) => key)).toEqual(['a/0002', 'a/0003']);
});
