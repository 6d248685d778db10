import { expect, test } from 'vitest';
import { deletionKey } from '../../../src/service/deletions/deletion-records.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock } from '../../support/fake-clock.js';
import { configOf, serving } from '../support.js';

const DAY_MS = 24 * 60 * 60_000;

/** Returns the record of a deletion that was requested at that time and is finished. */
function recordOf(at: number, fields: object = {}): { key: string; value: string } {
  const id = `${at.toString(36).padStart(9, '0')}-0000`;
  const record = { id, at, users: 1, sources: ['website'], phase: 'done', erased: 0, done: 1, ...fields };
  return { key: deletionKey(id), value: JSON.stringify(record) };
}

test('finished deletions are not read repeatedly', async () => {
  const [storage, clock] = [memoryStorage(), new FakeClock()];
  await storage.keyValues.write(Array.from({ length: 900 }, (_, index) => recordOf(clock.wall() - index * 60_000)));
  await serving(configOf(), { storage, clock });
  await clock.pass(1_000);
  let read = 0;
  const list = storage.keyValues.list.bind(storage.keyValues);
  storage.keyValues.list = async (prefix, after, limit) => {
    const entries = await list(prefix, after, limit);
    if (prefix.startsWith('deletion')) read += entries.length;
    return entries;
  };
  await clock.pass(60_000);
  expect(read).toBe(0);
});

test('deletions are listed newest first, however old they are', async () => {
  const [storage, clock] = [memoryStorage(), new FakeClock()];
  const ages = [0, 1, 2, 300, 364].map((days) => days * DAY_MS);
  await storage.keyValues.write(ages.map((age) => recordOf(clock.wall() - age)));
  const { ask } = await serving(configOf(), { storage, clock });
  const listed = async (limit: number): Promise<number[]> =>
    (await ask(`/v1/deletions?limit=${limit}`)).body.map(({ at }: { at: string }) => clock.wall() - Date.parse(at));
  expect(await listed(2)).toEqual(ages.slice(0, 2));
  expect(await listed(4)).toEqual(ages.slice(0, 4));
  expect(await listed(100)).toEqual(ages);
});

test('a deletion is removed a year after it was requested', async () => {
  const [storage, clock] = [memoryStorage(), new FakeClock()];
  await storage.keyValues.write([366, 365, 10].map((days) => recordOf(clock.wall() - days * DAY_MS)));
  const { ask } = await serving(configOf(), { storage, clock });
  await clock.pass(60 * 60_000 + 1);
  expect((await ask('/v1/deletions')).body).toHaveLength(1);
});

test('old deletions are removed even if another sweep fails', async () => {
  const [storage, clock] = [memoryStorage(), new FakeClock()];
  await storage.keyValues.write([366, 10].map((days) => recordOf(clock.wall() - days * DAY_MS)));
  const { ask } = await serving(configOf(), { storage, clock });
  const list = storage.keyValues.list.bind(storage.keyValues);
  storage.keyValues.list = async (prefix, ...rest) =>
    prefix === 'change/' ? Promise.reject(new Error('disk error')) : list(prefix, ...rest);
  await clock.pass(60 * 60_000 + 1);
  expect((await ask('/v1/deletions')).body).toHaveLength(1);
});
