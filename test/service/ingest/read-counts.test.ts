import { expect, test } from 'vitest';
import { COUNTS, type CountKey, countKey, hourOf, readCountKey } from '../../../src/service/ingest/counts.js';
import { eventCounts, removeOldCounts } from '../../../src/service/ingest/read-counts.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';

test('counts of every source are removed after thirty days, and only those', async () => {
  const { keyValues } = memoryStorage();
  const day = 24 * 60 * 60_000;
  const now = Date.parse('2026-11-20T12:00:00Z');
  for (const source of ['a', 'a b', 'a0', 'b']) {
    for (const days of [0, 29, 31, 45]) {
      const key = countKey({ source, hour: hourOf(now - days * day), type: 'track', event: 'E', what: 'received' });
      await keyValues.add([{ key, by: 1 }]);
    }
  }
  await removeOldCounts(keyValues, now);
  const left = (await keyValues.list(COUNTS, undefined, 100)).map(({ key }) => readCountKey(key));
  expect(left.map((key) => key?.source)).toEqual(['a b', 'a b', 'a', 'a', 'a0', 'a0', 'b', 'b']);
  expect(new Set(left.map((key) => key?.hour))).toEqual(new Set(['2026-10-22T12', '2026-11-20T12']));
});

async function counted(counts: readonly [hour: string, type: CountKey['type'], what: CountKey['what'], by: number][]) {
  const { keyValues } = memoryStorage();
  const event = (type: string): string => (type === 'track' ? 'E' : '');
  await keyValues.add(
    counts.map(([hour, type, what, by]) => ({
      key: countKey({ source: 's', hour, type, event: event(type), what }),
      by,
    })),
  );
  return keyValues;
}

test('counts are listed by hour, newest first, with received and blocked in one entry', async () => {
  const keyValues = await counted([
    ['2026-11-20T11', 'identify', 'received', 1],
    ['2026-11-20T12', 'track', 'received', 5],
    ['2026-11-20T12', 'track', 'blocked', 2],
    ['2026-11-20T12', '*', 'forwarded', 9],
    ['2026-11-20T10', 'track', 'received', 7],
  ]);
  expect(await eventCounts(keyValues, 's', 2, Date.parse('2026-11-20T12:30:00Z'))).toEqual([
    { hour: '2026-11-20T12', type: 'track', event: 'E', received: 5, blocked: 2 },
    { hour: '2026-11-20T11', type: 'identify', event: null, received: 1, blocked: 0 },
  ]);
});
