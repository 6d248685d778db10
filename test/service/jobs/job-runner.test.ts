import { expect, onTestFinished, test } from 'vitest';
import { type HeldRecord, LEASE_MS, recordAt, recordsIn } from '../../../src/service/jobs/held-record.js';
import { JobRunner, jobIdAt, newestFirst, type StoredJob } from '../../../src/service/jobs/job-runner.js';
import type { KeyValueStore } from '../../../src/store/key-value-store.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { deferred } from '../../collector/support.js';
import { FakeClock, settled } from '../../support/fake-clock.js';

interface Count extends StoredJob {
  readonly id: string;
  readonly left: number;
}

type CarryOut = (job: HeldRecord<Count>, signal: AbortSignal) => Promise<void>;

/** A process that runs jobs which count down to 0. */
function runner(keyValues: KeyValueStore, clock: FakeClock, carryOut: CarryOut = countDown, inTurn = false) {
  const errors: unknown[] = [];
  const jobs = new JobRunner<Count>({
    keyValues,
    clock,
    keyOf: ({ id }) => `jobs/${id}`,
    async *unfinished() {
      for await (const found of recordsIn<Count>(keyValues, 'jobs/')) if (found.record.left !== 0) yield found;
    },
    isFinished: ({ left }) => left === 0,
    carryOut,
    inTurn,
    onError: (error) => errors.push(error),
  });
  onTestFinished(() => jobs.close());
  return { jobs, errors };
}

async function countDown(job: HeldRecord<Count>, signal: AbortSignal): Promise<void> {
  while (job.record.left > 0 && !signal.aborted) await job.update((count) => ({ ...count, left: count.left - 1 }));
}

const waitForAbort: CarryOut = (_, signal) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()));

function world() {
  const { keyValues } = memoryStorage();
  const read = async (id = 'a'): Promise<Count | undefined> => (await recordAt<Count>(keyValues, `jobs/${id}`))?.record;
  return { keyValues, clock: new FakeClock(), read };
}

test('a job is carried out to its end and then has no holder', async () => {
  const { keyValues, clock, read } = world();
  const { ended } = await runner(keyValues, clock).jobs.begin({ id: 'a', left: 3 });
  await ended;
  expect(await read()).toEqual({ id: 'a', left: 0 });
});

test('another process can take over a job as soon as its process has closed', async () => {
  const { keyValues, clock, read } = world();
  const { jobs } = runner(keyValues, clock, waitForAbort);
  await jobs.begin({ id: 'a', left: 3 });
  expect(await read()).toHaveProperty('holder');
  await jobs.close();
  expect(await read()).toEqual({ id: 'a', left: 3 });
  runner(keyValues, clock).jobs.start();
  await expect.poll(async () => (await read())?.left).toBe(0);
});

test('a job of a killed process is taken over when its lease ends', async () => {
  const { keyValues, clock, read } = world();
  const holder = { process: 'killed', until: clock.wall() + LEASE_MS };
  await keyValues.write([{ key: 'jobs/a', value: JSON.stringify({ id: 'a', left: 3, holder }) }]);
  runner(keyValues, clock).jobs.start();
  await clock.pass(LEASE_MS - 1);
  expect((await read())?.left).toBe(3);
  await clock.pass(5_000);
  await expect.poll(async () => (await read())?.left).toBe(0);
});

test('a job of a slow process is not taken over', async () => {
  const { keyValues, clock, read } = world();
  await runner(keyValues, clock, waitForAbort).jobs.begin({ id: 'a', left: 3 });
  runner(keyValues, clock).jobs.start();
  for (let step = 0; step < 20; step++) {
    await clock.pass(LEASE_MS / 10);
    await settled();
  }
  expect((await read())?.left).toBe(3);
});

test('a job that fails is reported and tried again', async () => {
  const { keyValues, clock, read } = world();
  let failures = 2;
  const { jobs, errors } = runner(keyValues, clock, async (job, signal) => {
    if (failures-- > 0) throw new Error('the disk is full');
    await countDown(job, signal);
  });
  jobs.start();
  await (await jobs.begin({ id: 'a', left: 3 })).ended;
  for (let look = 0; look < 3; look++) {
    await clock.pass(5_000);
    await settled();
  }
  await expect.poll(async () => (await read())?.left).toBe(0);
  expect(errors).toHaveLength(2);
});

test('a job whose record another process changed ends here without an error', async () => {
  const { keyValues, clock, read } = world();
  const go = deferred();
  const { jobs, errors } = runner(keyValues, clock, async (job, signal) => {
    await go.promise;
    await countDown(job, signal);
  });
  const { ended } = await jobs.begin({ id: 'a', left: 3 });
  const stopped = { id: 'a', left: 0, stopped: true };
  await keyValues.write([{ key: 'jobs/a', value: JSON.stringify(stopped) }]);
  go.resolve();
  await ended;
  expect([await read(), errors]).toEqual([stopped, []]);
});

test('a process does not begin a job again that it is already carrying out', async () => {
  const { keyValues, clock } = world();
  let begun = 0;
  const { jobs } = runner(keyValues, clock, (job, signal) => {
    begun++;
    return waitForAbort(job, signal);
  });
  await jobs.begin({ id: 'a', left: 3 });
  jobs.start();
  for (let look = 0; look < 3; look++) {
    await clock.pass(5_000);
    await settled();
  }
  expect(begun).toBe(1);
});

test('work does not begin on a job that has changed since it was found, or that this process already works on', async () => {
  const { keyValues, clock } = world();
  let begun = 0;
  const work: CarryOut = (held, signal) => {
    begun++;
    return waitForAbort(held, signal);
  };
  const { jobs } = runner(keyValues, clock, work);
  const job = { id: 'a', left: 3 };
  const taken = await Promise.all([jobs.take(undefined, job, work), jobs.take(undefined, job, work)]);
  expect(taken).toEqual([{ ended: expect.any(Promise) }, undefined]);
  await jobs.start();
  expect(begun).toBe(1);
  expect(await runner(keyValues, clock).jobs.take(undefined, job, countDown)).toBeUndefined();
});

test('work that fails throws to its caller, and the job is carried out at the next check', async () => {
  const { keyValues, clock, read } = world();
  const { jobs, errors } = runner(keyValues, clock);
  const taken = await jobs.take(undefined, { id: 'a', left: 3 }, async () => {
    throw new Error('the list broke off');
  });
  await expect(taken?.ended).rejects.toThrow('the list broke off');
  await clock.pass(5_000);
  await expect.poll(async () => (await read())?.left).toBe(0);
  expect(errors).toEqual([]);
});

test('with jobs in turn, an abandoned job ends before the next one begins', async () => {
  const { keyValues, clock } = world();
  for (const id of ['a', 'b', 'c'])
    await keyValues.write([{ key: `jobs/${id}`, value: JSON.stringify({ id, left: 1 }) }]);
  let [atOnce, most] = [0, 0];
  const { jobs } = runner(
    keyValues,
    clock,
    async (job, signal) => {
      most = Math.max(most, ++atOnce);
      await settled();
      await countDown(job, signal);
      atOnce--;
    },
    true,
  );
  await jobs.start();
  expect({ atOnce, most }).toEqual({ atOnce: 0, most: 1 });
});

test('ids sort from the newest to the oldest once they are turned, from now to decades ago', () => {
  const now = Date.UTC(2026, 10, 20);
  const ids = [0, 1, 2, 60_000, 30_000_000, 20_000_000 * 60_000].map((age) => jobIdAt(now - age));
  expect(ids.toReversed().map(newestFirst).sort().map(newestFirst)).toEqual(ids);
});
