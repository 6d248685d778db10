import { expect, test } from 'vitest';
import { type Counts, MOST_EVENTS } from '../../../src/service/ingest/counts.js';
import type { KeyValueStore } from '../../../src/store/key-value-store.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { counting } from './counting.js';

test('received and blocked messages are counted by source, hour, type and event', async () => {
  const { counts, written } = counting();
  counts.received('web/site', 'track', 'Order Completed', false);
  counts.received('web/site', 'track', 'Order Completed', true);
  counts.received('web/site', 'identify', '', false);
  counts.add('web/site', 'rejected', 3);
  await counts.flush();
  const common = { source: 'web/site', hour: '2026-11-20T12' };
  expect(await written()).toEqual([
    { ...common, type: '*', event: '', what: 'rejected', value: '3' },
    { ...common, type: 'identify', event: '', what: 'received', value: '1' },
    { ...common, type: 'track', event: 'Order Completed', what: 'blocked', value: '1' },
    { ...common, type: 'track', event: 'Order Completed', what: 'received', value: '2' },
  ]);
});

test('counts are written within a second, each in the hour in which it was made', async () => {
  const { counts, clock, written } = counting();
  await clock.pass(59 * 60_000 + 59_500);
  counts.received('s', 'track', 'E', false);
  await clock.pass(600);
  counts.received('s', 'track', 'E', false);
  await clock.pass(1_000);
  expect((await written()).map(({ hour, value }) => [hour, value])).toEqual([
    ['2026-11-20T12', '1'],
    ['2026-11-20T13', '1'],
  ]);
});

test('a source with unlimited event names has a limited number of counters, and one for the rest', async () => {
  const { counts, keyValues, written } = counting();
  const sendMany = async (into: Counts, from: number): Promise<void> => {
    for (let number = from; number < from + MOST_EVENTS; number++) into.received('s', 'track', `E${number}`, false);
    await into.flush();
  };
  await sendMany(counts, 0);
  await sendMany(counts, 500);
  // This is another process, or the same one after a restart.
  await sendMany(counting(keyValues).counts, 5_000);
  const found = await written();
  expect(found).toHaveLength(MOST_EVENTS + 1);
  expect(found.find(({ event }) => event === '(other)')?.value).toBe(String(500 + MOST_EVENTS));
});

test('a failing key-value store is reported, and counting continues', async () => {
  const { keyValues } = memoryStorage();
  const failing = {
    list: () => Promise.reject(new Error('full')),
    add: keyValues.add.bind(keyValues),
  } as unknown as KeyValueStore;
  const { counts, errors } = counting(failing);
  counts.received('s', 'track', 'E', false);
  await counts.flush();
  expect(errors).toHaveLength(1);
});

test('counts that a failing store did not accept are written when it works again, each in its hour', async () => {
  const { keyValues } = memoryStorage();
  let isDown = true;
  const flaky = {
    list: keyValues.list.bind(keyValues),
    add: (...args: Parameters<KeyValueStore['add']>) =>
      isDown ? Promise.reject(new Error('away')) : keyValues.add(...args),
  } as unknown as KeyValueStore;
  const { counts, clock, written } = counting(flaky);
  await clock.pass(59 * 60_000 + 57_500);
  counts.received('s', 'track', 'E', false);
  await clock.pass(1_000);
  counts.received('s', 'track', 'E', true);
  await clock.pass(2_000);
  counts.received('s', 'track', 'E', false);
  await clock.pass(1_000);
  expect(await written()).toEqual([]);
  isDown = false;
  await clock.pass(1_000);
  expect((await written()).map(({ hour, what, value }) => [hour, what, value])).toEqual([
    ['2026-11-20T12', 'blocked', '1'],
    ['2026-11-20T12', 'received', '2'],
    ['2026-11-20T13', 'received', '1'],
  ]);
});

test('closing tries a failing store once more, and leaves no timer behind', async () => {
  const failing = { list: () => Promise.reject(new Error('away')) } as unknown as KeyValueStore;
  const { counts, clock, errors } = counting(failing);
  counts.received('s', 'track', 'E', false);
  await counts.flush();
  await counts.close();
  expect(errors).toHaveLength(2);
  await clock.pass(60_000);
  expect(errors).toHaveLength(2);
});
