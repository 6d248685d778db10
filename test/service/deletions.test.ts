import { expect, onTestFinished, test } from 'vitest';
import { lmdbStorage } from '../../src/service/storage/lmdb-storage.js';
import { memoryStorage } from '../../src/service/storage/memory-storage.js';
import type { Storage } from '../../src/service/storage/storage.js';
import { newFolder } from '../cli/files.js';
import { SimulatedClock } from '../destination/simulated-clock.js';
import { startEndpoint, type TestEndpoint } from '../destination/test-endpoint.js';
import { configOf, destinationOf, serving, sourceOf } from './support.js';

const bodiesOf = ({ received }: TestEndpoint) => received.map(({ body }) => JSON.parse(body.toString()));

const usersOf = (endpoint: TestEndpoint): unknown[] =>
  bodiesOf(endpoint)
    .map(({ userId }) => userId)
    .sort();

const until = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
};

test('each user goes once for each source with an enabled destination, as three fields', async () => {
  const [crm, ads] = await Promise.all([startEndpoint(200), startEndpoint(200)]);
  const { ask } = await serving(
    configOf({
      sources: [
        sourceOf(),
        sourceOf({ name: 'app', writeKeys: ['app'], destinations: ['crm', 'ads'] }),
        sourceOf({ name: 'alone', writeKeys: ['alone'], destinations: [] }),
        sourceOf({ name: 'off', writeKeys: ['off'], destinations: ['off'] }),
      ],
      destinations: [
        destinationOf(crm.url),
        destinationOf(ads.url, { name: 'ads' }),
        destinationOf(ads.url, { name: 'off', enabled: false }),
      ],
    }),
  );
  const { status, body } = await ask('/v1/deletions', { method: 'POST', json: { userIds: ['u1', 'u2', 'u1'] } });
  expect({ status, body }).toEqual({
    status: 202,
    body: { id: expect.any(String), users: 2, notifications: 4, status: 'running' },
  });
  await Promise.all([crm.has(4), ads.has(2)]);
  expect([usersOf(crm), usersOf(ads)]).toEqual([
    ['u1', 'u1', 'u2', 'u2'],
    ['u1', 'u2'],
  ]);
  const [first] = bodiesOf(ads);
  expect(first).toEqual({ type: 'delete', userId: expect.any(String), timestamp: expect.stringMatching(/Z$/) });
  await until(async () => (await ask(`/v1/deletions/${body.id}`)).body.status === 'done');
  const report = { id: body.id, at: first.timestamp, users: 2, sources: ['website', 'app'], notifications: 4 };
  expect((await ask(`/v1/deletions/${body.id}`)).body).toEqual({ ...report, done: 4, status: 'done' });
  expect((await ask('/v1/deletions')).body).toEqual([{ ...report, done: 4, status: 'done' }]);
});

test('only the sources that were named are meant', async () => {
  const crm = await startEndpoint(200);
  const { ask } = await serving(
    configOf({
      sources: [sourceOf(), sourceOf({ name: 'app', writeKeys: ['app'] })],
      destinations: [destinationOf(crm.url)],
    }),
  );
  const { body } = await ask('/v1/deletions', { method: 'POST', json: { userIds: ['u1'], sources: ['app'] } });
  expect(body.notifications).toBe(1);
  await crm.has(1);
});

test('a deletion that concerns nobody is done at once', async () => {
  const { ask } = await serving(configOf());
  const { body } = await ask('/v1/deletions', { method: 'POST', json: { userIds: ['u1'] } });
  expect(body).toMatchObject({ notifications: 0, status: 'done' });
});

test('once it is done nothing is kept of whom it was about', async () => {
  const crm = await startEndpoint(200);
  const { ask, storage } = await serving(configOf({ destinations: [destinationOf(crm.url)] }));
  const { body } = await ask('/v1/deletions', { method: 'POST', json: { userIds: ['very-secret-user'] } });
  await until(async () => (await ask(`/v1/deletions/${body.id}`)).body.status === 'done');
  for (const prefix of ['deletion/', 'deletion-users/']) {
    expect(JSON.stringify(await storage.shelf.list(prefix, undefined, 100))).not.toContain('very-secret-user');
  }
});

/** The storage, of which the seen ids cannot be written until `mend` is called. */
function breaking(storage: Storage, after: number) {
  const { seen } = storage;
  let [calls, isMended] = [0, false];
  const claim: typeof seen.claim = async (...args) => {
    if (!isMended && ++calls > after) throw new Error('no space left on device');
    return seen.claim(...args);
  };
  const broken: Storage = {
    seen: { claim, keep: seen.keep.bind(seen), release: seen.release.bind(seen) },
    shelf: storage.shelf,
    deliveries: (name) => storage.deliveries(name),
    size: () => storage.size(),
    assertRoom: () => storage.assertRoom(),
    check: () => storage.check(),
    close: () => storage.close(),
  };
  return {
    broken,
    mend: () => {
      isMended = true;
    },
  };
}

const users = (count: number): string[] => Array.from({ length: count }, (_, index) => `u${index}`);

test('what a process left undone is done by the next, each user once', async () => {
  const crm = await startEndpoint(200);
  const storage = memoryStorage();
  const config = configOf({ destinations: [destinationOf(crm.url)] });
  const { broken } = breaking(storage, 2);
  const first = await serving(config, { storage: broken });
  const { body } = await first.ask('/v1/deletions', { method: 'POST', json: { userIds: users(700) } });
  await crm.has(500);
  await first.service.close();
  const clock = new SimulatedClock(Date.now() + 31_000);
  const second = await serving(config, { storage, clock });
  await until(async () => (await second.ask(`/v1/deletions/${body.id}`)).body.status === 'done');
  await crm.has(700);
  expect(usersOf(crm)).toEqual(users(700).sort());
});

test('a storage that fails for a while only delays it', async () => {
  const crm = await startEndpoint(200);
  const clock = new SimulatedClock();
  const { broken, mend } = breaking(memoryStorage(), 0);
  const { ask } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { storage: broken, clock });
  const { body } = await ask('/v1/deletions', { method: 'POST', json: { userIds: ['u1'] } });
  expect((await ask(`/v1/deletions/${body.id}`)).body).toMatchObject({ done: 0, status: 'running' });
  mend();
  await clock.advance(5_000);
  await crm.has(1);
  await until(async () => (await ask(`/v1/deletions/${body.id}`)).body.status === 'done');
});

test('of two processes one does it', async () => {
  const crm = await startEndpoint(200);
  const path = await newFolder();
  const clock = new SimulatedClock();
  // Time goes on while requests are under way.
  const config = configOf({ destinations: [destinationOf(crm.url, { timeout: 60_000 })] });
  const open = async () => {
    const storage = await lmdbStorage({ path });
    onTestFinished(() => storage.close());
    return serving(config, { storage, clock });
  };
  const [one, other] = [await open(), await open()];
  const { body } = await one.ask('/v1/deletions', { method: 'POST', json: { userIds: users(600) } });
  await clock.advance(5_000);
  await until(async () => (await other.ask(`/v1/deletions/${body.id}`)).body.status === 'done');
  await crm.has(600);
  await Promise.all([one, other].map(({ service }) => service.close()));
  expect(crm.received).toHaveLength(600);
});

test.each([
  [{}, 'userIds'],
  [{ userIds: [] }, 'userIds'],
  [{ userIds: users(5_001) }, 'userIds'],
  [{ userIds: ['u1', 7] }, 'userIds[1]'],
  [{ userIds: [''] }, 'userIds[0]'],
  [{ userIds: ['\ud800'] }, 'userIds[0]'],
  [{ userIds: ['u1'], sources: 'website' }, 'sources'],
  [{ userIds: ['u1'], sources: ['nobody'] }, 'sources[0]'],
])('a request that is wrong names where: %#', async (json, field) => {
  const { ask } = await serving(configOf());
  const { status, body } = await ask('/v1/deletions', { method: 'POST', json });
  expect({ status, code: body.code }).toEqual({ status: 422, code: 'invalid_field' });
  expect(body.message).toContain(`\`${field}\``);
});

test('a deletion nobody knows is not found', async () => {
  const { ask } = await serving(configOf());
  expect((await ask('/v1/deletions/none')).status).toBe(404);
});
