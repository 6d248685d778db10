import { expect, test } from 'vitest';
import { chunksOf } from '../../../src/service/recent/chunks.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock } from '../../support/fake-clock.js';
import { openRecent, range } from './support.js';

const filler = (bytes: number) => ({ message: { filler: 'x'.repeat(bytes) } });

test('the newest attempts are kept, newest first, and no more than so many', async () => {
  const { recent, add, kept, clock } = openRecent({ keep: { deliveries: 100 } });
  for (const id of range(1, 60)) add(id);
  await recent.flush();
  await clock.pass(1_000);
  for (const id of range(61, 400)) add(id);
  await recent.flush();
  expect(await kept()).toEqual(range(301, 400).toReversed());
});

test('attempts are kept within so many bytes', async () => {
  const { recent, add, keyValues } = openRecent({ keep: { bytes: 300_000 } });
  for (const id of range(1, 100)) add(id, filler(10_000));
  await recent.flush();
  const chunks = await chunksOf(keyValues, 'crm');
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
  expect(bytes).toBeLessThanOrEqual(300_000);
  expect(bytes).toBeGreaterThan(100_000);
});

test('attempts that are too old go, with the next that are written or at the sweep', async () => {
  const { recent, add, kept, clock } = openRecent({ keep: { age: 3_600_000 } });
  add('old');
  await recent.flush();
  await clock.pass(3_500_000);
  add('new');
  await recent.flush();
  await clock.pass(200_000);
  await recent.sweep();
  expect(await kept()).toEqual(['new']);
});

test('a sweep removes everything of a destination that no longer keeps anything', async () => {
  const { recent, add, configure, keyValues } = openRecent();
  add('m1');
  await recent.flush();
  configure(0);
  await recent.sweep();
  expect(recent.recorder('crm').wantsExchange()).toBe(false);
  expect(await keyValues.list('recent/', undefined, 10)).toEqual([]);
  expect(await keyValues.list('recent-index/', undefined, 10)).toEqual([]);
});

test('attempts are written within a second of being recorded', async () => {
  const { add, kept, clock } = openRecent();
  add('m1');
  await clock.pass(1_000);
  expect(await kept()).toEqual(['m1']);
});

test('the newest attempts of several processes are kept within the bounds of one', async () => {
  const [storage, clock] = [memoryStorage(), new FakeClock()];
  const one = openRecent({ keep: { deliveries: 100 }, ...storage, clock });
  const other = openRecent({ keep: { deliveries: 100 }, ...storage, clock });
  for (const id of range(1, 100)) one.add(id);
  await one.recent.flush();
  await clock.pass(2_000);
  for (const id of range(101, 180)) other.add(id);
  await other.recent.flush();
  expect((await one.kept()).slice(0, 80)).toEqual(range(101, 180).toReversed());
  expect((await one.kept()).length).toBeLessThanOrEqual(100);
});

test('two writes within the same millisecond keep the attempts of both', async () => {
  const { recent, add, kept } = openRecent();
  add('m1');
  await recent.flush();
  add('m2');
  await recent.flush();
  expect(await kept()).toEqual(['m2', 'm1']);
});

test('attempts that cannot be written are dropped, and the error is reported', async () => {
  const { recent, add, kept, errors, state } = openRecent();
  state.isFull = true;
  add('m1');
  await recent.flush();
  state.isFull = false;
  add('m2');
  await recent.flush();
  expect(await kept()).toEqual(['m2']);
  expect(errors).toEqual([new Error('full')]);
});
