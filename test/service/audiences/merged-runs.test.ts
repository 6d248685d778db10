import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MergedRuns, runPrefix } from '../../../src/service/audiences/merged-runs.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';

async function mergedOf(runs: readonly (readonly string[])[], cursor?: string): Promise<[string, string][]> {
  const { keyValues } = memoryStorage();
  for (const [number, run] of runs.entries()) {
    await keyValues.write(run.map((place) => ({ key: runPrefix('staged/', number) + place, value: String(number) })));
  }
  const merged = await MergedRuns.open(keyValues, 'staged/', cursor);
  const found: [string, string][] = [];
  for (await merged.load(); merged.place !== undefined; await merged.load()) {
    found.push([merged.place, merged.value]);
    merged.skipIf(merged.place);
  }
  return found;
}

const places = (found: [string, string][]): string[] => found.map(([place]) => place);

test('runs are merged in order, each place once', async () => {
  expect(
    places(
      await mergedOf([
        ['a', 'c', 'e'],
        ['b', 'c'],
        ['c', 'd'],
      ]),
    ),
  ).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('no run at all is an empty list', async () => {
  expect(await mergedOf([])).toEqual([]);
});

test('runs continue after a cursor', async () => {
  expect(
    places(
      await mergedOf(
        [
          ['a', 'c'],
          ['b', 'c', 'd'],
        ],
        'b',
      ),
    ),
  ).toEqual(['c', 'd']);
});

test('runs are named in the order of their numbers', () => {
  const names = [0, 9, 10, 35, 36, 1_000, 1_000_000].map((number) => runPrefix('p/', number));
  expect(names.toSorted()).toEqual(names);
});

test('any runs give the sorted set of their places', async () => {
  const run = fc.uniqueArray(fc.constantFrom(...'abcdefghij'), { maxLength: 10 }).map((list) => list.sort());
  await fc.assert(
    fc.asyncProperty(fc.array(run, { maxLength: 6 }), async (runs) => {
      expect(places(await mergedOf(runs))).toEqual([...new Set(runs.flat())].sort());
    }),
  );
});

test('of a place in several runs, the latest run says the value', async () => {
  expect(
    await mergedOf([
      ['a', 'b'],
      ['b', 'c'],
      ['a', 'b'],
    ]),
  ).toEqual([
    ['a', '2'],
    ['b', '2'],
    ['c', '1'],
  ]);
  const run = fc.uniqueArray(fc.constantFrom(...'abcdefghij'), { maxLength: 10 }).map((list) => list.sort());
  await fc.assert(
    fc.asyncProperty(fc.array(run, { maxLength: 6 }), async (runs) => {
      for (const [place, value] of await mergedOf(runs)) {
        expect(Number(value)).toBe(runs.findLastIndex((places) => places.includes(place)));
      }
    }),
  );
});
