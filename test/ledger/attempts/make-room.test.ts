import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AttemptKind, changesTo, placeOf } from '../../../src/ledger/attempts/chunks.js';
import { placesWith } from '../../../src/ledger/attempts/id-index.js';
import { levelsOf, makeRoom } from '../../../src/ledger/attempts/make-room.js';
import type { KeyValueStore } from '../../../src/store/key-value-store.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { bytesIn, chunksIn } from './support.js';

const room = fc.integer({ min: 0, max: 20_000 });
const sumOf = (all: readonly number[], level: number): number =>
  all.reduce((sum, size) => sum + Math.min(size, level), 0);

describe('the levels of failures and successes', () => {
  const both = fc.array(
    fc.record({ failures: fc.integer({ min: 0, max: 1_000 }), successes: fc.integer({ min: 0, max: 1_000 }) }),
    { minLength: 1, maxLength: 30 },
  );
  const of = (all: readonly { failures: number; successes: number }[], kind: 'failures' | 'successes') =>
    all.map((size) => size[kind]);

  test('the levels of failures and successes keep no more than the space, and remove nothing that fits', () => {
    fc.assert(
      fc.property(both, room, (all, most) => {
        const levels = levelsOf(all, most);
        const left = sumOf(of(all, 'failures'), levels.failures) + sumOf(of(all, 'successes'), levels.successes);
        const total = sumOf(of(all, 'failures'), 1e9) + sumOf(of(all, 'successes'), 1e9);
        expect(left).toBeLessThanOrEqual(most + 1e-6);
        if (total <= most * 0.98) expect(left).toBe(total);
        else expect(left).toBeGreaterThan(Math.min(total, most * 0.95) - 1e-6);
      }),
    );
  });

  test('the levels cut failures only above nine tenths of the space, and then keep a tenth for successes', () => {
    fc.assert(
      fc.property(both, room, (all, most) => {
        const levels = levelsOf(all, most);
        if (levels.failures === Number.POSITIVE_INFINITY) return;
        const [failures, successes] = [of(all, 'failures'), of(all, 'successes')];
        expect(sumOf(failures, 1e9)).toBeGreaterThan(most * 0.95 * 0.9 - 1e-6);
        expect(sumOf(successes, levels.successes)).toBeGreaterThan(
          Math.min(sumOf(successes, 1e9), most * 0.95 * 0.1) - 1e-6,
        );
      }),
    );
  });
});

test('the levels leave some space free once the space is nearly full, so that cleanups are rare', () => {
  const all = Number.POSITIVE_INFINITY;
  expect(levelsOf([{ failures: 0, successes: 98 }], 100)).toEqual({ failures: all, successes: all });
  expect(levelsOf([{ failures: 0, successes: 99 }], 100)).toEqual({ failures: all, successes: 95 });
});

/** Writes a chunk with attempts for `events` events. */
async function put(
  keyValues: KeyValueStore,
  destination: string,
  kind: AttemptKind,
  at: number,
  events = 1,
): Promise<void> {
  const ids = Array.from({ length: events }, (_, index) => `${destination}-${at}-${index}`);
  const times = { attemptedFrom: at, acceptedFrom: at };
  const chunk = { destination, place: placeOf(kind, at, `${destination}-`, 0), attempts: events, ...times, again: [] };
  await keyValues.write(changesTo(chunk, { text: `text of ${at}`, ids, names: [] }));
}

const bounds = { bytes: 1_000_000, ageMs: 1_000_000 };
const keeps = () => true;
const spareBytes = Number.POSITIVE_INFINITY;

test('chunks that are too old are removed from all indexes', async () => {
  const { keyValues } = memoryStorage();
  for (const at of [1_000, 2_000, 3_000]) await put(keyValues, 'crm', 'failures', at);
  await put(keyValues, 'ads', 'successes', 3_000);
  await makeRoom(keyValues, { bounds: { ...bounds, ageMs: 500 }, spareBytes, now: 3_000, keeps });
  expect((await chunksIn(keyValues)).map(({ destination }) => destination).toSorted()).toEqual(['ads', 'crm']);
  expect(await placesWith(keyValues, 'crm-2000-0')).toEqual([]);
  expect(await placesWith(keyValues, 'crm-3000-0')).toHaveLength(1);
});

test('chunks with many events are removed even if they do not fit in one write', async () => {
  const { keyValues } = memoryStorage();
  for (let at = 1_000; at < 1_450; at++) await put(keyValues, 'crm', 'failures', at, at % 10 === 0 ? 50 : 1);
  const write = keyValues.write.bind(keyValues);
  const get = keyValues.get.bind(keyValues);
  let [written, writes, reads] = [0, 0, 0];
  keyValues.get = (keys) => {
    reads++;
    return get(keys);
  };
  keyValues.write = async (changes) => {
    expect(changes.length).toBeLessThanOrEqual(1_000);
    written += changes.length;
    writes++;
    return write(changes);
  };
  await makeRoom(keyValues, { bounds: { ...bounds, ageMs: 0 }, spareBytes, now: 1_449, keeps });
  // Each of the 449 chunks has its text, two index entries, and an entry for each event: 45 chunks have 50 events, the others one.
  expect(written).toBe(449 * 3 + 45 * 50 + 404);
  expect(writes).toBeLessThan(10);
  // The events are read for 200 chunks at a time.
  expect(reads).toBe(3);
  expect(await chunksIn(keyValues)).toHaveLength(1);
  expect(await keyValues.list('attempt-ids/', undefined, 100)).toHaveLength(1);
});

test('the oldest chunks of the largest destination are removed until it fits, successes before failures', async () => {
  const { keyValues } = memoryStorage();
  for (let at = 1_000; at < 1_100; at++) {
    await put(keyValues, 'crm', 'failures', at);
    await put(keyValues, 'crm', 'successes', at);
    if (at % 10 === 0) await put(keyValues, 'ads', 'successes', at);
  }
  const [before, ads] = [await bytesIn(keyValues), await bytesIn(keyValues, 'ads')];
  const bytes = before * 0.8;
  await makeRoom(keyValues, { bounds: { ...bounds, bytes }, spareBytes, now: 1_100, keeps });
  expect(await bytesIn(keyValues)).toBeLessThanOrEqual(bytes);
  expect(await bytesIn(keyValues, 'ads')).toBe(ads);
  const left = (await chunksIn(keyValues, 'crm')).map(({ place }) => place);
  expect(left.filter((place) => place.endsWith('f'))).toHaveLength(100);
  const successes = left.filter((place) => place.endsWith('s'));
  expect(successes[0]).toBe(placeOf('successes', 1_099, 'crm-', 0));
});

test('attempts that the storage has no room for are removed, oldest first, whatever the maximum size is', async () => {
  for (const [spare, least, most] of [
    [Number.POSITIVE_INFINITY, 1, 1],
    [0.5, 1, 1],
    [0, 0.9, 0.95],
    [-0.3, 0.6, 0.7],
    [-2, 0, 0],
  ] as const) {
    const { keyValues } = memoryStorage();
    for (let at = 1_000; at < 1_100; at++) await put(keyValues, 'crm', 'failures', at);
    const before = await bytesIn(keyValues);
    await makeRoom(keyValues, { bounds, spareBytes: spare * before, now: 1_100, keeps });
    const left = await bytesIn(keyValues);
    expect(left / before).toBeGreaterThanOrEqual(least);
    expect(left / before).toBeLessThanOrEqual(most);
    const [newest] = await chunksIn(keyValues);
    expect(newest?.place).toBe(left === 0 ? undefined : placeOf('failures', 1_099, 'crm-', 0));
  }
});

test('nothing is written if everything fits', async () => {
  const { keyValues } = memoryStorage();
  await put(keyValues, 'crm', 'failures', 1_000);
  keyValues.write = async () => expect.unreachable();
  keyValues.writeIf = async () => expect.unreachable();
  await makeRoom(keyValues, { bounds, spareBytes, now: 1_000, keeps });
  expect(await chunksIn(keyValues)).toHaveLength(1);
});

test('large chunks are read a megabyte at a time before they are removed', async () => {
  const { keyValues } = memoryStorage();
  for (let at = 1_000; at < 1_025; at++) {
    const times = { attemptedFrom: at, acceptedFrom: at };
    const chunk = { destination: 'crm', place: placeOf('failures', at, 'p', 0), attempts: 1, ...times, again: [] };
    const text = randomBytes(60_000).toString('hex');
    await keyValues.write(changesTo(chunk, { text, ids: [], names: [] }));
  }
  const get = keyValues.get.bind(keyValues);
  const read: number[] = [];
  keyValues.get = async (keys) => {
    const values = await get(keys);
    read.push(values.reduce((sum, value = '') => sum + value.length, 0));
    return values;
  };
  await makeRoom(keyValues, { bounds: { ...bounds, bytes: 0 }, spareBytes, now: 1_025, keeps });
  expect(Math.max(...read)).toBeLessThan(1_200_000);
  expect(await chunksIn(keyValues)).toEqual([]);
});
