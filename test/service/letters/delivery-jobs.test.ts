import { describe, expect, test } from 'vitest';
import { OptionError } from '../../../src/base/errors/errors.js';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import type { BulkOptions } from '../../../src/destination/changes/bulk.js';
import { DestinationClosedError } from '../../../src/destination/destination-errors.js';
import type { DeliveryJob } from '../../../src/service/api/delivery-answers.js';
import { DeliveryJobs } from '../../../src/service/letters/delivery-jobs.js';
import type { JobRecord } from '../../../src/service/letters/job-record.js';
import type { ManagedDestination } from '../../../src/service/routing/managed-destination.js';
import { silentLog } from '../../../src/service/service-log.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { FakeClock, settled } from '../../support/fake-clock.js';
import { configOf, destinationOf, serving, withLetters } from '../support.js';

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn++) await settled();
};

test('a replay with a rate is a job with progress that can be stopped', async () => {
  const clock = new FakeClock();
  const crm = await startEndpoint(200);
  const { storage, left } = await withLetters(100, crm.url);
  const { ask } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { storage, clock });
  const writeIf = storage.keyValues.writeIf.bind(storage.keyValues);
  let notes = 0;
  storage.keyValues.writeIf = (condition, changes) => {
    if (condition.key.startsWith('letters/')) notes++;
    return writeIf(condition, changes);
  };
  const begun = ask('/v1/deliveries/replay', { method: 'POST', json: { destination: 'crm', all: true, rate: 20 } });
  await expect.poll(left).toBe(98);
  for (let step = 0; step < 11; step++) {
    await clock.pass(100);
    await settle();
  }
  const { status, body } = await begun;
  expect(status).toBe(202);
  // The start of the job is written, and its progress twice a second.
  expect(notes).toBe(3);
  expect(body).toMatchObject({ act: 'replay', destination: 'crm', status: 'running', meant: 100, rate: 20 });
  expect(body.deliveries).toBeGreaterThan(0);
  expect((await ask(`/v1/jobs/${body.id}`)).body).toMatchObject({ id: body.id, status: 'running' });
  const stopping = ask(`/v1/jobs/${body.id}`, { method: 'DELETE' });
  await expect.poll(async () => (await ask(`/v1/jobs/${body.id}`)).body.status).toBe('stopped');
  await clock.pass(50);
  const stopped = await left();
  expect((await stopping).body).toMatchObject({ status: 'stopped', deliveries: 100 - stopped });
  expect(stopped).toBeGreaterThan(50);
  await clock.pass(10_000);
  expect(await left()).toBe(stopped);
  expect((await ask('/v1/jobs')).body).toMatchObject([{ id: body.id, status: 'stopped' }]);
});

test('a job stores its cursor, from which another process continues when this one closes', async () => {
  const clock = new FakeClock();
  const crm = await startEndpoint(200);
  const { storage } = await withLetters(100, crm.url);
  const { ask, service } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { storage, clock });
  void ask('/v1/deliveries/discard', { method: 'POST', json: { all: true, rate: 20 } }).catch(() => {});
  const noted = async (): Promise<JobRecord | undefined> => {
    await clock.pass(100);
    await settle();
    const [entry] = await storage.keyValues.list('letters/', undefined, 1);
    return entry && JSON.parse(entry.value);
  };
  await expect.poll(async () => (await noted())?.cursor).toMatch(/^\w+$/);
  const { cursor = '', deliveries = 0 } = (await noted()) ?? {};
  expect(Buffer.from(cursor, 'base64url').toString()).toBe(`${deliveries - 1} m${deliveries - 1}`);
  await service.close();
  const [left] = await storage.keyValues.list('letters/', undefined, 1);
  expect(JSON.parse(left?.value ?? '')).toMatchObject({ status: 'running' });
  expect(left?.value).not.toContain('holder');
});

test('a job of a killed process is finished by the next, each dead letter once, without those that died again', async () => {
  const clock = new FakeClock();
  const crm = await startEndpoint(200);
  const { storage, left } = await withLetters(600, crm.url);
  const job: JobRecord = {
    id: 'job1',
    act: 'discard',
    destination: 'crm',
    filter: {},
    rate: undefined,
    startedAt: 501,
    endedAt: undefined,
    status: 'running',
    meant: 600,
    deliveries: 300,
    skipped: { 'webhook-removed': 0, 'sent-already': 0 },
    at: 'crm',
    cursor: Buffer.from('299 m299').toString('base64url'),
    error: undefined,
    holder: { process: 'killed', until: clock.wall() - 1 },
  };
  await storage.keyValues.write([{ key: 'letters/job1', value: JSON.stringify(job) }]);
  const { ask } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { storage, clock });
  await expect.poll(left).toBe(400);
  const isDone = async () => (await ask('/v1/jobs/job1')).body;
  await expect.poll(isDone).toMatchObject({ status: 'done', deliveries: 500 });
});

test('a job that another process holds is not taken over', async () => {
  const clock = new FakeClock();
  const crm = await startEndpoint(200);
  const { storage, left } = await withLetters(10, crm.url);
  const job = { id: 'job1', act: 'discard', destination: 'crm', filter: {}, startedAt: 1_000, status: 'running' };
  const held = { ...job, deliveries: 0, holder: { process: 'another', until: clock.wall() + 6_000 } };
  await storage.keyValues.write([{ key: 'letters/job1', value: JSON.stringify(held) }]);
  await serving(configOf({ destinations: [destinationOf(crm.url)] }), { storage, clock });
  await clock.pass(5_000);
  expect(await left()).toBe(10);
  await clock.pass(5_000);
  await expect.poll(left).toBe(0);
});

/** A storage with two dead letters for each of these destinations. */
async function withLettersOf(...names: string[]) {
  const storage = memoryStorage();
  const url = (name: string): string => `http://127.0.0.1:9/${name}`;
  for (const name of names) {
    const store = await storage.deliveries(name);
    for (const at of [1, 2]) {
      await store.add(newEvent(`m${at}`, 'track', [url(name)], at), Buffer.from('{"type":"track","event":"Bought"}'));
      await store.update(`m${at}`, (event) => ({
        ...event,
        isDead: true,
        urls: { [url(name)]: { phase: 'dead', at, reason: 'permanent', history: [] } },
      }));
    }
  }
  const left = async (): Promise<number[]> =>
    Promise.all(names.map(async (name) => (await (await storage.deliveries(name)).deadTotals()).events));
  return { storage, left, destinations: names.map((name) => destinationOf(url(name), { name })) };
}

test('a job for all destinations that a killed process left continues at the destination it was working on', async () => {
  const { storage, left, destinations } = await withLettersOf('a', 'b', 'c');
  const done = { status: 'running', meant: 6, deliveries: 3, skipped: { 'webhook-removed': 0, 'sent-already': 0 } };
  const cursor = Buffer.from('1 m1').toString('base64url');
  const job = { id: 'job1', act: 'discard', filter: {}, startedAt: 1_000, at: 'b', cursor, ...done };
  await storage.keyValues.write([{ key: 'letters/job1', value: JSON.stringify(job) }]);
  const { ask } = await serving(configOf({ destinations }), { storage });
  await expect.poll(async () => (await ask('/v1/jobs/job1')).body).toMatchObject({ status: 'done', deliveries: 6 });
  expect(await left()).toEqual([2, 1, 0]);
});

test('the progress of a job at many destinations is written twice a second, however few dead letters each has', async () => {
  const clock = new FakeClock();
  const { storage, destinations } = await withLettersOf('a', 'b', 'c', 'd');
  const { ask } = await serving(configOf({ destinations }), { storage, clock });
  void ask('/v1/deliveries/discard', { method: 'POST', json: { all: true, rate: 5 } }).catch(() => {});
  const written = async (): Promise<Partial<JobRecord>> => {
    await clock.pass(100);
    await settle();
    const [entry] = await storage.keyValues.list('letters/', undefined, 1);
    return entry === undefined ? {} : JSON.parse(entry.value);
  };
  await expect.poll(async () => (await written()).at).toBe('b');
  expect(await written()).toMatchObject({ status: 'running', deliveries: expect.any(Number) });
});

test('a replay of all destinations continues after one that keeps its dead letters, and reports which and why', async () => {
  const { storage, left, destinations } = await withLettersOf('a', 'b');
  const webhooks = [{ url: 'http://127.0.0.1:9/other' }, { url: 'http://127.0.0.1:9/third' }];
  const config = configOf({ destinations: [destinationOf('', { name: 'a', webhooks }), ...destinations.slice(1)] });
  const { ask } = await serving(config, { storage });
  const { body } = await ask('/v1/deliveries/replay', { method: 'POST', json: { event: 'Bought' } });
  expect(body).toMatchObject({
    ...{ destination: null, status: 'failed', deliveries: 2, skipped: { 'webhook-removed': 2, 'sent-already': 0 } },
    error: expect.stringMatching(/^a: .*the webhook that gets them/s),
  });
  expect(await left()).toEqual([2, 0]);
});

describe('a job at destinations that change while it runs', () => {
  /** Jobs for these destinations. Each function is called when everything at its destination is discarded. */
  function jobsOf(discards: Record<string, () => Promise<number>>) {
    const [storage, clock, errors] = [memoryStorage(), new FakeClock(), [] as unknown[]];
    const byName = new Map<string, ManagedDestination>();
    const open = async (name: string, discard: () => Promise<number>): Promise<void> => {
      const store = await storage.deliveries(name);
      byName.set(name, { name, store, destination: { discard } } as unknown as ManagedDestination);
    };
    const jobs = new DeliveryJobs({
      ...{ storage, clock, log: silentLog, onError: (error) => errors.push(error) },
      managedDestinations: { byName, removed: new Map() },
    });
    const discardAll = async (): Promise<DeliveryJob> => {
      for (const [name, discard] of Object.entries(discards)) await open(name, discard);
      return jobs.begin({ act: 'discard', destination: undefined, filter: {}, rate: undefined });
    };
    return { byName, open, jobs, discardAll, clock, errors };
  }

  test('a job for all destinations skips one that is removed meanwhile without deliveries', async () => {
    const { discardAll, byName } = jobsOf({ a: async () => Number(byName.delete('b')), b: async () => 1 });
    expect(await discardAll()).toMatchObject({ status: 'done', error: null });
  });

  test('a job continues at a destination that is reopened, and any other failure ends its run and is reported', async () => {
    const { discardAll, open, clock, errors, jobs } = jobsOf({
      a: async () => {
        await open('a', async () => Promise.reject(new Error('disk')));
        throw new DestinationClosedError();
      },
    });
    const begun = discardAll();
    await expect.poll(() => jobs.list()).toHaveLength(1);
    await settle();
    expect(errors).toEqual([]);
    await clock.pass(500);
    await expect.poll(() => errors).toEqual([new Error('disk')]);
    expect(await begun).toMatchObject({ status: 'running' });
  });

  test('a job for all destinations reports the reason for each that failed', async () => {
    const refuse = async () => Promise.reject(new OptionError('service', 'sendTo', 'one', 'another'));
    const { error } = await jobsOf({ a: refuse, b: async () => 1, c: refuse }).discardAll();
    expect(error).toMatch(/^a: [^;]*; c: /);
  });

  test('jobs are listed newest first', async () => {
    const { discardAll, clock, jobs } = jobsOf({});
    const first = await discardAll();
    await clock.pass(1);
    const second = await discardAll();
    expect((await jobs.list()).map(({ id }) => id)).toEqual([second.id, first.id]);
  });
});

describe('a job that is stopped between two writes of its progress', () => {
  /** A job that has reported 1 delivery since its last write, and whose next slice of 10 is running. */
  async function inASlice() {
    const [storage, clock, errors] = [memoryStorage(), new FakeClock(), [] as unknown[]];
    const store = await storage.deliveries('crm');
    let finish = (): void => {};
    const slice = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const discard = async (_: unknown, { onProgress }: BulkOptions): Promise<void> => {
      await onProgress?.({ deliveries: 1, events: 1, cursor: 'a' });
      await slice;
      // The slice after this one is already running, so it is counted even if the job is known to be lost.
      await onProgress?.({ deliveries: 11, events: 11, cursor: 'b' });
      await onProgress?.({ deliveries: 21, events: 21, cursor: 'c' });
    };
    const crm = { name: 'crm', store, destination: { discard } } as unknown as ManagedDestination;
    const open = () =>
      new DeliveryJobs({
        ...{ storage, clock, log: silentLog, onError: (error) => errors.push(error) },
        managedDestinations: { byName: new Map([['crm', crm]]), removed: new Map() },
      });
    const jobs = open();
    void jobs.begin({ act: 'discard', destination: 'crm', filter: {}, rate: undefined });
    await expect.poll(() => jobs.list()).toHaveLength(1);
    await settle();
    const id = (await jobs.list())[0]?.id ?? '';
    return { storage, jobs, other: open(), clock, finish, id, errors };
  }

  const atEnd = { status: 'stopped', deliveries: 21, endedAt: expect.any(String) };

  test.each(['jobs', 'other'] as const)(
    'counts its last slices exactly, stopped by the process of its %s',
    async (by) => {
      const job = await inASlice();
      const stopping = job[by].stop(job.id);
      await settle();
      // The job is not reported as stopped before its counts are exact.
      expect(await job.other.get(job.id)).toMatchObject({ status: 'running', endedAt: null });
      await job.clock.pass(600);
      job.finish();
      await settle();
      await job.clock.pass(50);
      expect(await stopping).toMatchObject(atEnd);
      expect(await job.other.get(job.id)).toMatchObject(atEnd);
      expect(job.errors).toEqual([]);
    },
  );

  test('answers after a second if the slice takes longer, and counts it later', async () => {
    const { other, clock, finish, id } = await inASlice();
    const stopping = other.stop(id);
    for (let step = 0; step < 20; step++) {
      await settle();
      await clock.pass(50);
    }
    expect(await stopping).toMatchObject({ status: 'running' });
    finish();
    await expect.poll(() => other.get(id)).toMatchObject(atEnd);
  });

  test('is stopped when the lease of a killed process has ended, and no process overwrites its counts', async () => {
    const { storage, other, jobs, clock, finish, id } = await inASlice();
    const [entry] = await storage.keyValues.list('letters/', undefined, 1);
    const record = JSON.parse(entry?.value ?? '');
    const holder = { process: 'another', until: clock.wall() - 1 };
    await storage.keyValues.write([{ key: entry?.key ?? '', value: JSON.stringify({ ...record, holder }) }]);
    expect(await other.stop(id)).toMatchObject({ status: 'stopped', deliveries: 0 });
    finish();
    await settle();
    expect(await jobs.get(id)).toMatchObject({ status: 'stopped', deliveries: 0 });
  });

  test('counts its slices too when its progress cannot be written', async () => {
    const { storage, jobs, clock, finish, id, errors } = await inASlice();
    const writeIf = storage.keyValues.writeIf.bind(storage.keyValues);
    storage.keyValues.writeIf = async () => {
      storage.keyValues.writeIf = writeIf;
      throw new Error('disk');
    };
    await clock.pass(600);
    finish();
    await expect.poll(() => jobs.get(id)).toMatchObject({ status: 'running', deliveries: 21 });
    expect(errors).toEqual([new Error('disk')]);
  });
});

describe('the dead letters of a webhook that is no longer configured', () => {
  const REMOVED = 'https://removed.example/hook';

  async function withTwoWebhooks() {
    const [crm, second] = [await startEndpoint(200), await startEndpoint(200)];
    const { storage } = await withLetters(3, REMOVED);
    const webhooks = [{ url: crm.url, id: 'main' }, { url: second.url }];
    const { ask, service } = await serving(
      configOf({ destinations: [destinationOf('', { webhooks, settle: 'each' })] }),
      {
        storage,
      },
    );
    const replay = (fields: object) =>
      ask('/v1/deliveries/replay', { method: 'POST', json: { destination: 'crm', ...fields } });
    const idle = () => service.destinations()[0]?.destination.idle();
    return { crm, second, replay, idle, ask };
  }

  test('dead letters of a removed webhook stay, and their replay fails, if there are several webhooks', async () => {
    const { replay, second } = await withTwoWebhooks();
    expect((await replay({ all: true })).body).toMatchObject({
      status: 'failed',
      deliveries: 0,
      error: expect.stringContaining(`: main, ${second.url}`),
      skipped: { 'webhook-removed': 3, 'sent-already': 0 },
    });
    expect(await replay({ id: 'm1' })).toMatchObject({ status: 409, body: { code: 'replay_target' } });
  });

  test('dead letters of a removed webhook are sent to the webhook in `sendTo`', async () => {
    const { replay, idle, crm, second } = await withTwoWebhooks();
    expect((await replay({ id: 'm1', sendTo: 'main' })).body).toMatchObject({ status: 'done', deliveries: 1 });
    expect((await replay({ all: true, sendTo: second.url })).body).toMatchObject({ status: 'done', deliveries: 2 });
    await idle();
    expect([crm.received.length, second.received.length]).toEqual([1, 2]);
  });

  test('a replay with an unknown `sendTo` is refused, and a discard with any', async () => {
    const { replay, ask } = await withTwoWebhooks();
    for (const sendTo of ['other', REMOVED, 5, '']) {
      expect(await replay({ all: true, sendTo })).toMatchObject({ status: 422 });
    }
    const discard = await ask('/v1/deliveries/discard', {
      method: 'POST',
      json: { destination: 'crm', all: true, sendTo: 'main' },
    });
    expect(discard.status).toBe(422);
  });
});
