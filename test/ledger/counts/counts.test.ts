import { expect, test, vi } from 'vitest';
import { readEvents } from '../../../src/ledger/counts/read-counts.js';
import { destinationHistory } from '../../../src/service/api/history-reports.js';
import type { KeyValueStore } from '../../../src/store/key-value-store.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { heldWrites } from '../../service/held-writes.js';
import { FakeClock, settled } from '../../support/fake-clock.js';
import { exchangedOf } from '../attempts/support.js';
import { DAY, hour, MINUTE, openCounts } from './support.js';

test('the counts of several processes are added up, and the waiting deliveries are not', async () => {
  const [storage, clock] = [memoryStorage(), new FakeClock()];
  const [one, other] = [openCounts({ ...storage, clock }, 7), openCounts({ ...storage, clock }, 7)];
  one.attempted(200);
  other.attempted(200);
  await clock.pass(1_000);
  expect((await hour(one)).at(-1)).toMatchObject({ delivered: 2, waiting: 7 });
});

test('the counts are kept when their process ends', async () => {
  const [storage, clock] = [memoryStorage(), new FakeClock()];
  const before = openCounts({ ...storage, clock });
  before.attempted(200);
  await before.ledger.close();
  const after = openCounts({ ...storage, clock });
  after.attempted(200);
  await after.ledger.flush();
  expect((await hour(after)).at(-1)?.delivered).toBe(2);
});

test('the number of waiting deliveries is the latest one, even if a process that ended had counted more', async () => {
  const [storage, clock] = [memoryStorage(), new FakeClock()];
  const before = openCounts({ ...storage, clock }, 50);
  before.attempted(503);
  await before.ledger.close();
  await clock.pass(1_000);
  const after = openCounts({ ...storage, clock }, 20);
  after.attempted(200);
  await after.ledger.flush();
  const waiting = async (range: '1h' | '24h' | '7d') =>
    (await destinationHistory(after.keyValues, { name: 'crm', range, now: clock.now() })).points.at(-1)?.waiting;
  expect(await Promise.all([waiting('1h'), waiting('24h'), waiting('7d')])).toEqual([20, 20, 20]);
  after.levels.set('crm', 0);
  await clock.pass(1_000);
  expect(await Promise.all([waiting('1h'), waiting('24h'), waiting('7d')])).toEqual([0, 0, 0]);
});

test('a quiet destination writes nothing', async () => {
  const { keyValues, clock } = openCounts();
  await clock.pass(MINUTE);
  expect(await keyValues.list('counts/', undefined, 10)).toEqual([]);
});

test('an attempt counts as delivered, retried or dead by its result', async () => {
  const opened = openCounts();
  const failed = exchangedOf('m1', { at: opened.clock.now(), isRetried: true });
  opened.ledger.counts.record(failed);
  opened.ledger.counts.record({ ...failed, entry: undefined });
  opened.attempted(200);
  await opened.ledger.flush();
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
  const { ledger, clock, attempted } = openCounts({ keyValues: counting });
  attempted(200);
  await ledger.flush();
  await ledger.flush();
  clock.advance(MINUTE);
  attempted(200);
  await ledger.flush();
  expect(writes).toEqual([3, 3]);
});

test('counts recorded during a write are written before the ledger closes', async () => {
  const { keyValues } = memoryStorage();
  const { slow, held } = heldWrites(keyValues);
  const opened = openCounts({ keyValues: slow });
  opened.attempted(200);
  void opened.ledger.flush();
  await settled();
  opened.attempted(200);
  const closed = opened.ledger.close();
  held.resolve();
  await closed;
  expect((await hour(opened)).at(-1)?.delivered).toBe(2);
});

test('the sweep removes counts that are older than their range, so the size stays constant', async () => {
  const { ledger, keyValues, clock, attempted } = openCounts();
  const sizes: number[] = [];
  for (let hours = 0; hours < 3; hours++) {
    for (let minutes = 0; minutes < 60; minutes++) {
      attempted(200);
      await ledger.flush();
      await clock.pass(MINUTE);
    }
    await ledger.counts.sweep();
    sizes.push((await keyValues.list('counts/destination/m/', undefined, 1_000)).length);
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
  const opened = openCounts({ keyValues: flaky, onError: (error) => errors.push(error) });
  opened.attempted(200);
  await opened.clock.pass(MINUTE);
  opened.attempted(410);
  await opened.clock.pass(MINUTE);
  expect(errors.length).toBeGreaterThan(0);
  isDown = false;
  await opened.ledger.flush();
  const points = await hour(opened);
  expect(points.slice(-3).map(({ delivered, dead }) => [delivered, dead])).toEqual([
    [1, 0],
    [0, 1],
    [0, 0],
  ]);
});

test('received messages are counted by source, hour, type and event, within a second and across processes', async () => {
  const [storage, clock] = [memoryStorage(), new FakeClock()];
  const [{ ledger: one }, { ledger: other }] = [openCounts({ ...storage, clock }), openCounts({ ...storage, clock })];
  await clock.pass(59 * MINUTE + 59_500);
  one.counts.received('web/site', 'track', 'Order Completed', false);
  await clock.pass(600);
  one.counts.received('web/site', 'track', 'Order Completed', true);
  other.counts.received('web/site', 'track', 'Order Completed', false);
  one.counts.received('web/site', 'identify', '', false);
  await clock.pass(1_000);
  expect(await readEvents(storage.keyValues, 'web/site', 24, clock.now())).toEqual([
    { hour: '2026-11-20T13', type: 'identify', event: '', received: 1, blocked: 0 },
    { hour: '2026-11-20T13', type: 'track', event: 'Order Completed', received: 2, blocked: 1 },
    { hour: '2026-11-20T12', type: 'track', event: 'Order Completed', received: 1, blocked: 0 },
  ]);
});

test('messages that were counted while the store failed are written when it works again, each in its hour', async () => {
  const { keyValues } = memoryStorage();
  let isDown = true;
  const flaky = {
    ...{ list: keyValues.list.bind(keyValues), get: keyValues.get.bind(keyValues) },
    write: (...args: Parameters<KeyValueStore['write']>) =>
      isDown ? Promise.reject(new Error('away')) : keyValues.write(...args),
  } as unknown as KeyValueStore;
  const { ledger, clock } = openCounts({ keyValues: flaky, onError: () => {} });
  await clock.pass(59 * MINUTE + 58_500);
  ledger.counts.received('s', 'track', 'E', false);
  await clock.pass(1_000);
  ledger.counts.received('s', 'track', 'E', false);
  await clock.pass(2_000);
  ledger.counts.received('s', 'track', 'E', false);
  expect(await readEvents(keyValues, 's', 2, clock.now())).toEqual([]);
  isDown = false;
  await clock.pass(1_000);
  const counts = await readEvents(keyValues, 's', 2, clock.now());
  expect(counts.map(({ hour: of, received }) => [of, received])).toEqual([
    ['2026-11-20T13', 1],
    ['2026-11-20T12', 2],
  ]);
});

test('the events of a source are removed after thirty days', async () => {
  const { ledger, keyValues, clock } = openCounts();
  ledger.counts.received('s', 'track', 'E', false);
  await ledger.flush();
  clock.freeze(29 * DAY);
  await ledger.counts.sweep();
  expect(await keyValues.list('counts/events/', undefined, 10)).toHaveLength(1);
  clock.freeze(2 * DAY);
  await ledger.counts.sweep();
  expect(await keyValues.list('counts/', undefined, 10)).toEqual([]);
});

test('an attempt without an answer has no duration in the history', async () => {
  const opened = openCounts();
  const failed = exchangedOf('m1', { at: opened.clock.now(), isRetried: true });
  const attempt = { at: opened.clock.now(), durationMs: 10_000, result: 'timeout', code: 'TIMEOUT' } as const;
  opened.ledger.counts.record({ ...failed, attempt });
  await opened.ledger.flush();
  expect((await hour(opened)).at(-1)).toMatchObject({ retried: 1, p50Ms: null });
});

test('the deliveries that wait are recorded even if no attempt was made, and when they are gone', async () => {
  const opened = openCounts({}, 7);
  const waiting = async () => {
    await opened.ledger.flush();
    return (await hour(opened)).at(-1)?.waiting;
  };
  expect(await waiting()).toBe(7);
  opened.levels.set('crm', 3);
  expect(await waiting()).toBe(3);
  opened.levels.set('crm', 0);
  expect(await waiting()).toBe(0);
});

test('a message that was counted just before the hour ended is written, although the next one opens a new hour', async () => {
  const { ledger, keyValues, clock } = openCounts();
  clock.freeze(60 * MINUTE - 1);
  ledger.counts.received('s', 'track', 'E', false);
  clock.freeze(1);
  ledger.counts.received('s', 'track', 'E', false);
  await ledger.flush();
  const counts = await readEvents(keyValues, 's', 2, clock.now());
  expect(counts.map(({ received }) => received)).toEqual([1, 1]);
});

test('messages are counted in the hour in which they came, even after the clock was set back', async () => {
  const clock = new FakeClock();
  const { ledger, keyValues } = openCounts({ clock });
  const now = clock.now();
  ledger.counts.received('s', 'track', 'E', false);
  const back = vi.spyOn(clock, 'now').mockReturnValue(now - 60 * MINUTE);
  ledger.counts.received('s', 'track', 'E', false);
  await ledger.flush();
  back.mockRestore();
  const counts = await readEvents(keyValues, 's', 2, now);
  expect(counts.map(({ received }) => received)).toEqual([1, 1]);
});

test('the sweep keeps exactly the steps of a range', async () => {
  const { ledger, keyValues, clock, attempted } = openCounts();
  for (let minutes = 0; minutes < 70; minutes++) {
    attempted(200);
    await ledger.flush();
    if (minutes < 69) clock.freeze(MINUTE);
  }
  await ledger.counts.sweep();
  expect(await keyValues.list('counts/destination/m/', undefined, 1_000)).toHaveLength(60);
});
