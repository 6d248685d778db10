import { expect, test } from 'vitest';
import { jobIdAt } from '../../../src/service/jobs/job-runner.js';
import { newest } from '../../../src/service/jobs/newest.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';

const MINUTE_MS = 60_000;
const NOW = Date.UTC(2026, 10, 20);

/** Writes values that are their age in minutes, and counts how many are read. */
async function written(...minutes: number[]) {
  const { keyValues } = memoryStorage();
  const keyOf = (age: number): string => jobIdAt(NOW - age * MINUTE_MS, `${age}`);
  await keyValues.write(minutes.map((age) => ({ key: `change/${keyOf(age)}`, value: String(age) })));
  let read = 0;
  const counting: typeof keyValues = Object.assign(Object.create(keyValues), {
    list: async (...asked: Parameters<typeof keyValues.list>) => {
      const entries = await keyValues.list(...asked);
      read += entries.length;
      return entries;
    },
  });
  const list = (limit: number, before?: number) =>
    newest(counting, 'change/', { limit, before: before === undefined ? undefined : keyOf(before), now: NOW });
  return { list, read: () => read };
}

test('the newest values come first, from a minute to decades ago, also before a given one', async () => {
  const { list } = await written(0, 3, 500, 20_000_000);
  expect(await list(2)).toEqual(['0', '3']);
  expect(await list(10)).toEqual(['0', '3', '500', '20000000']);
  expect(await list(2, 3)).toEqual(['500', '20000000']);
  expect(await list(2, 20_000_000)).toEqual([]);
});

test('values far older than the newest are not read', async () => {
  const { list, read } = await written(0, 0.5, ...Array.from({ length: 400 }, (_, index) => 1_000 + index));
  expect(await list(2)).toEqual(['0', '0.5']);
  expect(read()).toBe(2);
});
