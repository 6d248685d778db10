import { expect, test } from 'vitest';
import type { KeyValueStore } from '../../../src/store/key-value-store.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock, settled } from '../../support/fake-clock.js';
import { heldWrites } from '../held-writes.js';
import { exchangedOf } from '../recent/support.js';
import { hour, MINUTE, openHistory } from './support.js';

test('the counts of several processes are added up, and the waiting deliveries are not', async () => {
  const [storage, clock] = [memoryStorage(), new FakeClock()];
  const [one, other] = [openHistory(storage, clock, 7), openHistory(storage, clock, 7)];
  one.attempted(200);
  other.attempted(200);
  await clock.pass(5_000);
  expect((await hour(one)).at(-1)).toMatchObject({ delivered: 2, waiting: 7 });
});

test('the counts survive their process', async () => {
  const [storage, clock] = [memoryStorage(), new FakeClock()];
  const before = openHistory(storage, clock);
  before.attempted(200);
  await before.history.close();
  const after = openHistory(storage, clock);
  after.attempted(200);
  await after.history.flush();
  expect((await hour(after)).at(-1)?.delivered).toBe(2);
});

test('a quiet destination writes nothing', async () => {
  const { keyValues, clock } = openHistory();
  await clock.pass(MINUTE);
  expect(await keyValues.list('history/', undefined, 10)).toEqual([]);
});

test('an attempt counts as delivered, retried or dead by its result', async () => {
  const opened = openHistory();
  const failed = exchangedOf('m1', { at: opened.clock.now(), isRetried: true });
  opened.history.record(failed);
  opened.history.record({ ...failed, entry: undefined });
  opened.attempted(200);
  await opened.history.flush();
  expect((await hour(opened)).at(-1)).toMatchObject({ delivered: 1, retried: 1, dead: 1 });
});

test('counts that were written are not written again', async () => {
  const { keyValues } = memoryStorage();
  const writes: number[] = [];
  const write: KeyValueStore['write'] = (changes) => {
    writes.push(changes.length);
    return keyValues.write(changes);
  };
  const counting = { list: keyValues.list.bind(keyValues), write } as unknown as KeyValueStore;
  const { history, clock, attempted } = openHistory({ keyValues: counting });
  attempted(200);
  await history.flush();
  await history.flush();
  clock.advance(MINUTE);
  attempted(200);
  await history.flush();
  expect(writes).toEqual([3, 3]);
});

test('counts recorded during a write are written before the history closes', async () => {
  const { keyValues } = memoryStorage();
  const { slow, held } = heldWrites(keyValues);
  const opened = openHistory({ keyValues: slow });
  opened.attempted(200);
  void opened.history.flush();
  await settled();
  opened.attempted(200);
  const closed = opened.history.close();
  held.resolve();
  await closed;
  expect((await hour(opened)).at(-1)?.delivered).toBe(2);
});

test('the sweep removes counts that are older than their range, so the size stays constant', async () => {
  const { history, keyValues, clock, attempted } = openHistory();
  const sizes: number[] = [];
  for (let hours = 0; hours < 3; hours++) {
    for (let minutes = 0; minutes < 60; minutes++) {
      attempted(200);
      await history.flush();
      await clock.pass(MINUTE);
    }
    await history.sweep();
    sizes.push((await keyValues.list('history/destination/m/', undefined, 1_000)).length);
  }
  expect(new Set(sizes).size).toBe(1);
  expect(sizes[0]).toBeLessThanOrEqual(61);
});

test('counts that a failing store did not accept are written when it works again, each in its minute', async () => {
  const { keyValues } = memoryStorage();
  let isDown = true;
  const flaky = {
    list: keyValues.list.bind(keyValues),
    write: (...args: Parameters<KeyValueStore['write']>) =>
      isDown ? Promise.reject(new Error('away')) : keyValues.write(...args),
  } as unknown as KeyValueStore;
  const errors: unknown[] = [];
  const opened = openHistory({ keyValues: flaky }, new FakeClock(), 0, (error) => errors.push(error));
  opened.attempted(200);
  await opened.clock.pass(MINUTE);
  opened.attempted(410);
  await opened.clock.pass(MINUTE);
  expect(errors.length).toBeGreaterThan(0);
  isDown = false;
  await opened.history.flush();
  const points = await hour(opened);
  expect(points.slice(-3).map(({ delivered, dead }) => [delivered, dead])).toEqual([
    [1, 0],
    [0, 1],
    [0, 0],
  ]);
});
