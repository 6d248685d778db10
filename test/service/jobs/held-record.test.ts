import { expect, onTestFinished, test } from 'vitest';
import { HeldRecord, JobLostError, LEASE_MS, recordAt } from '../../../src/service/jobs/held-record.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock } from '../../support/fake-clock.js';

interface Count {
  readonly count: number;
  readonly until?: number;
}

function holding() {
  const clock = new FakeClock();
  const { keyValues } = memoryStorage();
  const options = {
    keyValues,
    clock,
    leased: (record: Count, until: number): Count => ({ ...record, until }),
  };
  const read = () => recordAt<Count>(keyValues, 'count/1');
  const take = async (record: Count) => {
    const held = await HeldRecord.take(options, 'count/1', await read(), record);
    if (held !== undefined) onTestFinished(() => held.stop());
    return held;
  };
  return { clock, keyValues, options, read, take };
}

test('a record is taken only if it is still as it was found', async () => {
  const { options, read, take } = holding();
  const found = await read();
  await take({ count: 1 });
  expect(await HeldRecord.take(options, 'count/1', found, { count: 2 })).toBeUndefined();
  expect((await read())?.record).toMatchObject({ count: 1 });
});

test('an update writes the record, its changes and a new lease together', async () => {
  const { clock, keyValues, read, take } = holding();
  const held = await take({ count: 1 });
  await clock.pass(1_000);
  await held?.update(({ count }) => ({ count: count + 1 }), [{ key: 'other/1', value: 'a' }]);
  expect((await read())?.record).toEqual({ count: 2, until: clock.wall() + LEASE_MS });
  expect(await keyValues.get(['other/1'])).toEqual(['a']);
});

test('a lease is renewed while nothing is written, together with noted changes', async () => {
  const { clock, read, take } = holding();
  const held = await take({ count: 1 });
  held?.note(() => ({ count: 5 }));
  const before = clock.wall();
  await clock.pass(LEASE_MS);
  expect((await read())?.record).toMatchObject({ count: 5 });
  expect((await read())?.record.until).toBeGreaterThan(before + LEASE_MS);
});

test('a holder that another process replaced writes nothing more', async () => {
  const { keyValues, read, take } = holding();
  const held = await take({ count: 1 });
  await take({ count: 7 });
  await expect(held?.update(({ count }) => ({ count }), [{ key: 'other/1', value: 'a' }])).rejects.toThrow(
    JobLostError,
  );
  await expect(held?.confirm()).rejects.toThrow(JobLostError);
  await expect(held?.release()).rejects.toThrow(JobLostError);
  expect((await read())?.record).toMatchObject({ count: 7 });
  expect(await keyValues.get(['other/1'])).toEqual([undefined]);
});

test('a released record is free at once, and is not renewed', async () => {
  const { clock, read, take } = holding();
  const held = await take({ count: 1 });
  await held?.release();
  await clock.pass(LEASE_MS);
  expect((await read())?.record).toEqual({ count: 1, until: 0 });
});

test('neither a renewal nor a release brings a removed record back', async () => {
  const { clock, read, take } = holding();
  const held = await take({ count: 1 });
  await held?.update(() => undefined);
  await clock.pass(LEASE_MS);
  await held?.release();
  expect((await read())?.text).toBeUndefined();
});

test('progress is written at most twice a second', async () => {
  const { clock, read, take } = holding();
  const held = await take({ count: 1 });
  await clock.pass(499);
  await held?.progress(() => ({ count: 2 }));
  expect((await read())?.record).toMatchObject({ count: 1 });
  await clock.pass(1);
  await held?.progress(() => ({ count: 3 }));
  expect((await read())?.record).toMatchObject({ count: 3 });
});
