import { expect, onTestFinished, test } from 'vitest';
import { deletionKey } from '../../../src/service/deletions/deletion-records.js';
import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import type { Storage } from '../../../src/store/storage.js';
import { newFolder } from '../../cli/files.js';
import { startEndpoint, type TestEndpoint } from '../../scheduler/test-endpoint.js';
import { lmdbUnderTest, memoryUnderTest } from '../../store/storage-under-test.js';
import { FakeClock } from '../../support/fake-clock.js';
import { runs } from '../../support/runs.js';
import { configOf, destinationOf, sendBatch, serving, sourceOf, TOKEN, track } from '../support.js';
import { describeErasedUsers } from './erased-user-conformance.js';

describeErasedUsers(memoryUnderTest);
describeErasedUsers(lmdbUnderTest);

/** More users than one step of a deletion covers. */
const MANY = runs(520, 900);

const bodiesOf = ({ received }: TestEndpoint) => received.map(({ body }) => JSON.parse(body.toString()));

const usersOf = (endpoint: TestEndpoint): unknown[] =>
  bodiesOf(endpoint)
    .map(({ userId }) => userId)
    .sort();

const until = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
};

test('a deletion sends one notification per user and source with an enabled destination', async () => {
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
    body: {
      ...{ id: expect.any(String), at: expect.any(String), users: 2, sources: ['website', 'app'], limited: false },
      ...{ notifications: 4, done: 0, erased: 0, status: 'running' },
    },
  });
  await Promise.all([crm.has(4), ads.has(2)]);
  expect([usersOf(crm), usersOf(ads)]).toEqual([
    ['u1', 'u1', 'u2', 'u2'],
    ['u1', 'u2'],
  ]);
  const [first] = bodiesOf(ads);
  expect(first).toEqual({ type: 'delete', userId: expect.any(String), timestamp: expect.stringMatching(/Z$/) });
  await until(async () => (await ask(`/v1/deletions/${body.id}`)).body.status === 'done');
  const report = {
    id: body.id,
    at: first.timestamp,
    users: 2,
    sources: ['website', 'app'],
    limited: false,
    notifications: 4,
  };
  expect((await ask(`/v1/deletions/${body.id}`)).body).toEqual({ ...report, done: 4, erased: 0, status: 'done' });
  expect((await ask('/v1/deletions')).body).toEqual([{ ...report, done: 4, erased: 0, status: 'done' }]);
});

test('a deletion that names sources sends notifications only for them', async () => {
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

test('the notification of a deletion is sent only after the running requests of the user are answered', async () => {
  let answer = (): void => {};
  const crm = await startEndpoint((_, response) => {
    answer = () => response.writeHead(200).end();
  }, 200);
  const { url, ask } = await serving(configOf({ destinations: [destinationOf(crm.url)] }));
  await sendBatch(url, { ...track('m1'), userId: 'u1' });
  await crm.has(1);
  const { body } = await ask('/v1/deletions', { method: 'POST', json: { userIds: ['u1'] } });
  const deletion = (): Promise<{ body: { done: number; erased: number } }> => ask(`/v1/deletions/${body.id}`);
  // A first attempt for another user's event would be sent before a notification that only waits for its turn.
  await sendBatch(url, { ...track('m2'), userId: 'u2' });
  await crm.has(2);
  expect((await deletion()).body.done).toBe(0);
  answer();
  await crm.has(3);
  expect(bodiesOf(crm).map(({ type, userId }) => `${type} ${userId}`)).toEqual(['track u1', 'track u2', 'delete u1']);
});

test('a deletion is answered only when its users are marked as deleted for every process', async () => {
  const storage = memoryStorage();
  const { ask } = await serving(configOf(), { storage });
  const writeIf = storage.keyValues.writeIf.bind(storage.keyValues);
  const held: (() => void)[] = [];
  storage.keyValues.writeIf = async (indexed, changes) => {
    if (changes.some(({ key }) => key.startsWith('recent-erased/'))) {
      await new Promise<void>((resolve) => held.push(resolve));
    }
    return writeIf(indexed, changes);
  };
  let isAnswered = false;
  const answer = ask('/v1/deletions', { method: 'POST', json: { userIds: ['u1'] } }).finally(() => (isAnswered = true));
  // The request marks the users, and so does the job, in case another process left the job unfinished.
  await until(async () => held.length === 2);
  expect(isAnswered).toBe(false);
  storage.keyValues.writeIf = writeIf;
  for (const go of held) go();
  expect((await answer).status).toBe(202);
});

test('a deletion that concerns no destination ends without a notification', async () => {
  const { ask } = await serving(configOf());
  const { body } = await ask('/v1/deletions', { method: 'POST', json: { userIds: ['u1'] } });
  expect(body.notifications).toBe(0);
  await until(async () => (await ask(`/v1/deletions/${body.id}`)).body.status === 'done');
});

/** The configuration of a service whose one destination gets events and audiences. */
// The timeout is long, because tests let time pass while requests are running.
const configWithAudiences = (crm: TestEndpoint) =>
  configOf({
    destinations: [destinationOf(crm.url, { requestTimeout: 60_000 })],
    audiences: { destinations: ['crm'] },
  });

const putAudience = (url: string, name: string, body: string | ReadableStream) =>
  fetch(`${url}/v1/audiences/${name}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/x-ndjson' },
    body,
    // This option is required for a body that is streamed.
    ...({ duplex: 'half' } as object),
  });

/** Returns what an endpoint received, as `+ann vips`, `-ann vips` and `delete ann`. */
const toldTo = (endpoint: TestEndpoint): string[] =>
  bodiesOf(endpoint).map(({ type, userId, traits = {} }) => {
    const [trait, isMember] = Object.entries(traits)[0] ?? [];
    return type === 'delete' ? `delete ${userId}` : `${isMember ? '+' : '-'}${userId} ${trait}`;
  });

const timeOf = (endpoint: TestEndpoint, told: string): number =>
  Date.parse(bodiesOf(endpoint)[toldTo(endpoint).indexOf(told)]?.timestamp);

/** Requests the deletion of a user, and waits until it is done. */
async function deleteUser(ask: Awaited<ReturnType<typeof serving>>['ask'], userId: string) {
  const { body } = await ask('/v1/deletions', { method: 'POST', json: { userIds: [userId] } });
  await until(async () => (await ask(`/v1/deletions/${body.id}`)).body.status === 'done');
  return (await ask(`/v1/deletions/${body.id}`)).body;
}

test('a deletion removes the users from the recent deliveries and counts the removed attempts', async () => {
  const crm = await startEndpoint(200);
  const { ask, url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }));
  await sendBatch(url, track('m1', { userId: 'ann' }), track('m2', { userId: 'bob' }), track('m3', { userId: 'ann' }));
  await crm.has(3);
  const listed = async () => (await ask('/v1/deliveries')).body.deliveries;
  await until(async () => (await listed()).length === 3);
  expect(await deleteUser(ask, 'ann')).toMatchObject({ notifications: 1, done: 1, erased: 2 });
  await crm.has(4);
  const isNotification = ({ type }: { type: string }): boolean => type === 'delete';
  await until(async () => (await listed()).some(isNotification));
  expect((await listed()).filter((each: { type: string }) => !isNotification(each))).toMatchObject([{ id: 'm2' }]);
  expect((await ask('/v1/deliveries/m1')).status).toBe(404);
});

test('a delivery that ends after its user was deleted is not kept', async () => {
  const answers: (() => void)[] = [];
  const crm = await startEndpoint((_, response) => void answers.push(() => response.end()), 200);
  const clock = new FakeClock();
  // The timeout is long, because time passes while the request is running.
  const config = configOf({ destinations: [destinationOf(crm.url, { requestTimeout: 60_000 })] });
  const { ask, url } = await serving(config, { clock });
  await sendBatch(url, track('m1', { userId: 'ann' }));
  await crm.has(1);
  await ask('/v1/deletions', { method: 'POST', json: { userIds: ['ann'] } });
  while ((await ask('/v1/deletions')).body[0].status !== 'done') await clock.pass(1_000);
  await crm.has(2);
  for (const answer of answers) answer();
  while ((await ask('/v1/destinations')).body.destinations[0].waiting > 0) await clock.pass(1_000);
  const { deliveries } = (await ask('/v1/deliveries')).body;
  expect(deliveries.map(({ type }: { type: string }) => type)).toEqual(['delete']);
});

test('an event from before the deletion is not sent after it, and ends as erased', async () => {
  const crm = await startEndpoint(503, 200);
  const clock = new FakeClock();
  const { service, ask, url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { clock });
  const counted = () => service.destinations()[0]?.counters();
  await sendBatch(url, { type: 'identify', messageId: 'm1', userId: 'u1', traits: { plan: 'pro' } });
  await expect.poll(() => counted()?.attempts).toBe(1);
  await ask('/v1/deletions', { method: 'POST', json: { userIds: ['u1'] } });
  await crm.has(2);
  await sendBatch(url, track('m2'));
  await crm.has(3);
  await clock.pass(6_500);
  await expect.poll(counted).toMatchObject({ accepted: 3, delivered: 2, dead: 0, erased: 1 });
  const sent = crm.received.map(({ body }) => JSON.parse(body.toString()));
  expect(sent.map(({ type }) => type)).toEqual(['identify', 'delete', 'track']);
  const { body: metrics } = await ask('/metrics');
  expect(metrics).toContain('eventferry_deliveries_total{destination="crm",outcome="erased"} 1');
});

test('an event from before the deletion is not sent after a restart with a clock that was set back', async () => {
  const crm = await startEndpoint(503, 200);
  const [storage, config] = [memoryStorage(), configOf({ destinations: [destinationOf(crm.url)] })];
  const first = await serving(config, { storage, clock: new FakeClock() });
  await sendBatch(first.url, { type: 'identify', messageId: 'm1', userId: 'u1', traits: { plan: 'pro' } });
  await expect.poll(() => first.service.destinations()[0]?.counters().attempts).toBe(1);
  await first.service.close();
  const clock = new FakeClock(new FakeClock().now() - 2_000);
  const { service, ask, url } = await serving(config, { storage, clock });
  await ask('/v1/deletions', { method: 'POST', json: { userIds: ['u1'] } });
  await crm.has(2);
  await sendBatch(url, track('m2'));
  await crm.has(3);
  await clock.pass(8_500);
  await expect.poll(() => service.destinations()[0]?.counters()).toMatchObject({ delivered: 2, erased: 1 });
  expect(crm.received.map(({ body }) => JSON.parse(body.toString()).type)).toEqual(['identify', 'delete', 'track']);
});

test.each([memoryUnderTest, lmdbUnderTest])(
  'a deletion whose process ends between two marks covers nothing that was accepted after its request, on $name',
  async ({ setUp, lasts }) => {
    const crm = await startEndpoint(200);
    const open = await setUp();
    const config = configOf({ destinations: [destinationOf(crm.url)] });
    const users = Array.from({ length: MANY }, (_, index) => `u${index}`);
    const one = await open();
    const writeIf = one.keyValues.writeIf.bind(one.keyValues);
    let marked = 0;
    one.keyValues.writeIf = async (expected, changes) => {
      const isMark = changes.some(({ key }) => key.startsWith('recent-erased/'));
      if (isMark && ++marked > 1) throw new Error('no space left on device');
      return writeIf(expected, changes);
    };
    const first = await serving(config, { storage: one });
    await first.ask('/v1/destinations/crm/paused', { method: 'PUT', json: { paused: true } });
    await sendBatch(first.url, track('before', { userId: 'u0' }), track('before too', { userId: `u${MANY - 1}` }));
    await first.ask('/v1/deletions', { method: 'POST', json: { userIds: users } });
    await until(async () => marked > 1);
    await sendBatch(first.url, track('after', { userId: 'u0' }), track('after too', { userId: `u${MANY - 1}` }));
    await first.service.close();
    one.keyValues.writeIf = writeIf;
    if (lasts) await one.close();
    const two = await open();
    if (lasts) onTestFinished(() => two.close());
    const second = await serving(config, { storage: two });
    await until(async () => (await second.ask('/v1/deletions')).body[0].status === 'done');
    await second.ask('/v1/destinations/crm/paused', { method: 'PUT', json: { paused: false } });
    await crm.has(MANY + 2);
    await second.service.destinations()[0]?.destination.idle();
    const sent = bodiesOf(crm).filter(({ type }) => type === 'track');
    expect(new Set(sent.map(({ messageId }) => messageId))).toEqual(new Set(['after', 'after too']));
  },
);

test('a deletion discards the dead letters of its users, and keeps those of other users and of deletions', async () => {
  const crm = await startEndpoint(400);
  const clock = new FakeClock();
  const storage = memoryStorage();
  const { service, ask, url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { clock, storage });
  const letters = async (query = '') => {
    const { body } = await ask(`/v1/deliveries?phase=dead${query}`);
    return body.deliveries.map(({ type, userId }: Record<string, string>) => `${type} ${userId}`);
  };
  await sendBatch(url, track('m1'), track('m2', { userId: 'u2' }));
  await expect.poll(() => service.destinations()[0]?.counters().dead).toBe(2);
  expect(await letters('&user=u2')).toEqual(['track u2']);
  expect((await ask('/v1/deliveries?phase=dead&user=u2&count=true')).body.count).toEqual({ deliveries: 1 });
  clock.advance(1);
  const { body } = await ask('/v1/deletions', { method: 'POST', json: { userIds: ['u1'] } });
  await until(async () => (await ask(`/v1/deletions/${body.id}`)).body.status === 'done');
  await expect.poll(() => service.destinations()[0]?.counters().dead).toBe(3);
  expect(await letters()).toEqual(['track u2', 'delete u1']);
  await ask('/v1/deliveries/discard', { method: 'POST', json: { user: 'u2' } });
  await expect.poll(() => letters()).toEqual(['delete u1']);
});

test('a storage that fails while recent deliveries are removed only delays the deletion', async () => {
  const crm = await startEndpoint(200);
  const [storage, clock] = [memoryStorage(), new FakeClock()];
  const { ask, url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { storage, clock });
  await sendBatch(url, track('m1', { userId: 'ann' }));
  await crm.has(1);
  await until(async () => (await ask('/v1/deliveries')).body.deliveries.length === 1);
  const list = storage.keyValues.list.bind(storage.keyValues);
  let isBroken = true;
  storage.keyValues.list = async (prefix, ...rest) => {
    if (isBroken && prefix.startsWith('attempt-times/')) throw new Error('no space left on device');
    return list(prefix, ...rest);
  };
  const { body } = await ask('/v1/deletions', { method: 'POST', json: { userIds: ['ann'] } });
  await clock.pass(10_000);
  expect((await ask(`/v1/deletions/${body.id}`)).body).toMatchObject({ done: 0, erased: 0, status: 'running' });
  isBroken = false;
  await clock.pass(5_000);
  await until(async () => (await ask(`/v1/deletions/${body.id}`)).body.status === 'done');
  expect((await ask(`/v1/deletions/${body.id}`)).body).toMatchObject({ done: 1, erased: 1 });
});

test.each(['restart', 'kill'])(
  'a deletion that a %s interrupts continues, and counts all removed attempts',
  async (end) => {
    const crm = await startEndpoint(200);
    const path = await newFolder();
    const config = configOf({ destinations: [destinationOf(crm.url)] });
    const before = await lmdbStorage({ path });
    const first = await serving(config, { storage: before });
    const ids = Array.from({ length: 120 }, (_, index) => `m${index}`);
    await sendBatch(first.url, ...ids.map((id) => track(id, { userId: 'ann' })));
    await crm.has(120);
    await until(async () => (await first.ask('/v1/deliveries?limit=500')).body.deliveries.length === 120);
    const writeIf = before.keyValues.writeIf.bind(before.keyValues);
    let rewritten = 0;
    before.keyValues.writeIf = async (expected, changes) => {
      if (expected.key.startsWith('attempt-times/') && ++rewritten > 1) throw new Error('no space left on device');
      // A killed process does not store the progress that it has in memory.
      if (end === 'kill' && rewritten > 1) throw new Error('killed');
      return writeIf(expected, changes);
    };
    const { body } = await first.ask('/v1/deletions', { method: 'POST', json: { userIds: ['ann'] } });
    await until(async () => rewritten > 1);
    await first.service.close();
    await before.close();
    const after = await lmdbStorage({ path });
    onTestFinished(() => after.close());
    const key = deletionKey(body.id);
    const [stored = ''] = await after.keyValues.get([key]);
    // This stands for the end of the lease.
    await after.keyValues.write([{ key, value: JSON.stringify({ ...JSON.parse(stored), holder: undefined }) }]);
    const second = await serving(config, { storage: after });
    await until(async () => (await second.ask(`/v1/deletions/${body.id}`)).body.status === 'done');
    expect((await second.ask(`/v1/deletions/${body.id}`)).body).toMatchObject({ done: 1, erased: 120 });
    expect((await second.ask('/v1/deliveries?user=ann&event=track')).body.deliveries).toEqual([]);
    expect(await after.keyValues.list('deletion-erased/', undefined, 1)).toEqual([]);
  },
);

test('a deleted user leaves every audience before the destinations are notified of the deletion', async () => {
  const crm = await startEndpoint(200);
  const { ask, url } = await serving(configWithAudiences(crm));
  await putAudience(url, 'VIPs', '"ann"\n"bob"');
  await putAudience(url, 'Buyers', '"ann"');
  await putAudience(url, 'Others', '"bob"');
  await crm.has(4);
  const { body } = await ask('/v1/deletions', { method: 'POST', json: { userIds: ['ann', 'nobody'] } });
  await until(async () => (await ask(`/v1/deletions/${body.id}`)).body.status === 'done');
  await crm.has(8);
  const told = toldTo(crm);
  expect(told.slice(4).toSorted()).toEqual(['-ann buyers', '-ann vips', 'delete ann', 'delete nobody']);
  for (const left of ['-ann buyers', '-ann vips']) {
    expect(timeOf(crm, left)).toBeLessThan(timeOf(crm, 'delete ann'));
  }
  const members = (await ask('/v1/audiences')).body.map(({ name, members }: Record<string, unknown>) => [
    name,
    members,
  ]);
  expect(Object.fromEntries(members)).toEqual({ VIPs: 1, Buyers: 0, Others: 1 });
  // The next list sends nothing about a user who left before.
  await putAudience(url, 'VIPs', '"bob"');
  await putAudience(url, 'Buyers', '"cy"');
  await crm.has(9);
  expect(toldTo(crm).at(-1)).toBe('+cy buyers');
});

test('a deleted user joins again with a later list, but not with one that was being sent', async () => {
  const crm = await startEndpoint(200);
  const clock = new FakeClock();
  const { ask, url } = await serving(configWithAudiences(crm), { clock });
  let finish = (): void => {};
  const list = new ReadableStream({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode('"ann"\n"bob"\n'));
      finish = () => controller.close();
    },
  });
  const syncing = putAudience(url, 'VIPs', list);
  await until(async () => (await ask('/v1/audiences')).body.length === 1);
  const { body } = await ask('/v1/deletions', { method: 'POST', json: { userIds: ['ann'] } });
  await clock.pass(10_000);
  expect((await ask(`/v1/deletions/${body.id}`)).body).toMatchObject({ done: 0, status: 'running' });
  expect(crm.received).toEqual([]);
  finish();
  expect((await syncing).status).toBe(200);
  await clock.pass(5_000);
  await until(async () => (await ask(`/v1/deletions/${body.id}`)).body.status === 'done');
  await crm.has(4);
  expect(toldTo(crm).toSorted()).toEqual(['+ann vips', '+bob vips', '-ann vips', 'delete ann']);
  expect((await ask('/v1/audiences/VIPs')).body).toMatchObject({ members: 1 });
  await putAudience(url, 'VIPs', '"ann"\n"bob"');
  await crm.has(5);
  expect(toldTo(crm).at(-1)).toBe('+ann vips');
});

test('a deletion that is interrupted while users leave audiences continues in another process, once per user', async () => {
  const crm = await startEndpoint(200);
  const storage = memoryStorage();
  const config = configWithAudiences(crm);
  const zero = await serving(config, { storage });
  await putAudience(zero.url, 'VIPs', '"ann"\n"bob"');
  await putAudience(zero.url, 'Buyers', '"ann"');
  await crm.has(3);
  await zero.service.close();
  const first = await serving(config, { storage: breaking(storage, 1).broken });
  const { body } = await first.ask('/v1/deletions', { method: 'POST', json: { userIds: ['ann'] } });
  await crm.has(4);
  await first.service.close();
  const clock = new FakeClock(Date.now() + 31_000);
  const second = await serving(config, { storage, clock });
  const isDone = async (): Promise<boolean> => (await second.ask(`/v1/deletions/${body.id}`)).body.status === 'done';
  while (!(await isDone())) await clock.pass(5_000);
  await crm.has(6);
  expect(toldTo(crm).slice(3).toSorted()).toEqual(['-ann buyers', '-ann vips', 'delete ann']);
});

test('nothing about the users of a finished deletion is kept', async () => {
  const crm = await startEndpoint(200);
  const { ask, storage } = await serving(configOf({ destinations: [destinationOf(crm.url)] }));
  const { body } = await ask('/v1/deletions', { method: 'POST', json: { userIds: ['very-secret-user'] } });
  await until(async () => (await ask(`/v1/deletions/${body.id}`)).body.status === 'done');
  for (const prefix of ['deletion/', 'deletion-users/']) {
    expect(JSON.stringify(await storage.keyValues.list(prefix, undefined, 100))).not.toContain('very-secret-user');
  }
});

/** A storage that stores nothing until `mend` is called. */
function breaking(storage: Storage, after: number) {
  let [calls, isMended] = [0, false];
  // A storage in memory is a plain object.
  const broken: Storage = {
    ...storage,
    takeIn: async (...args) => {
      if (!isMended && ++calls > after) throw new Error('no space left on device');
      return storage.takeIn(...args);
    },
  };
  return {
    broken,
    mend: () => {
      isMended = true;
    },
  };
}

const users = (count: number): string[] => Array.from({ length: count }, (_, index) => `u${index}`);

test('a deletion that a process left unfinished is completed by the next process, once per user', async () => {
  const crm = await startEndpoint(200);
  const storage = memoryStorage();
  // On a slow machine, 700 requests at once take longer than the default timeout allows for each.
  const config = configOf({ destinations: [destinationOf(crm.url, { requestTimeout: 60_000 })] });
  const { broken } = breaking(storage, 2);
  const first = await serving(config, { storage: broken });
  const { body } = await first.ask('/v1/deletions', { method: 'POST', json: { userIds: users(MANY) } });
  await crm.has(500);
  await first.service.close();
  const clock = new FakeClock(Date.now() + 31_000);
  const second = await serving(config, { storage, clock });
  await until(async () => (await second.ask(`/v1/deletions/${body.id}`)).body.status === 'done');
  await crm.has(MANY);
  expect(usersOf(crm)).toEqual(users(MANY).sort());
});

test('a storage that fails for a while only delays a deletion', async () => {
  const crm = await startEndpoint(200);
  const clock = new FakeClock();
  const { broken, mend } = breaking(memoryStorage(), 0);
  const { ask } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { storage: broken, clock });
  const { body } = await ask('/v1/deletions', { method: 'POST', json: { userIds: ['u1'] } });
  expect((await ask(`/v1/deletions/${body.id}`)).body).toMatchObject({ done: 0, status: 'running' });
  mend();
  await clock.pass(5_000);
  await crm.has(1);
  await until(async () => (await ask(`/v1/deletions/${body.id}`)).body.status === 'done');
});

test('a deletion is carried out by only one of two services that share a storage', async () => {
  const crm = await startEndpoint(200);
  // Both services read and write the record that says which of them carries it out.
  const storage = memoryStorage();
  const clock = new FakeClock();
  // The timeout is long, because time passes while requests are running.
  const config = configOf({ destinations: [destinationOf(crm.url, { requestTimeout: 60_000 })] });
  const [one, other] = [await serving(config, { storage, clock }), await serving(config, { storage, clock })];
  const { body } = await one.ask('/v1/deletions', { method: 'POST', json: { userIds: users(MANY) } });
  await clock.pass(5_000);
  await until(async () => (await other.ask(`/v1/deletions/${body.id}`)).body.status === 'done');
  await crm.has(MANY);
  await Promise.all([one, other].map(({ service }) => service.close()));
  expect(crm.received).toHaveLength(MANY);
});

test.each([
  [{}, 'userIds'],
  [{ userIds: [] }, 'userIds'],
  [{ userIds: users(5_001) }, 'userIds'],
  [{ userIds: ['u1', 7] }, 'userIds[1]'],
  [{ userIds: [''] }, 'userIds[0]'],
  [{ userIds: ['\ud800'] }, 'userIds[0]'],
  [{ userIds: ['é'.repeat(501)] }, 'userIds[0]'],
  [{ userIds: ['u1'], sources: 'website' }, 'sources'],
  [{ userIds: ['u1'], sources: [] }, 'sources'],
  [{ userIds: ['u1'], dryRun: 'yes' }, 'dryRun'],
  [{ userIds: ['u1'], sources: ['nobody'] }, 'sources[0]'],
])('a wrong request is answered with the name of the field: %#', async (json, field) => {
  const { ask } = await serving(configOf());
  const { status, body } = await ask('/v1/deletions', { method: 'POST', json });
  expect({ status, code: body.code }).toEqual({ status: 422, code: 'invalid_field' });
  expect(body.message).toContain(`\`${field}\``);
});

test('one request can delete 5,000 users with ids as long as an audience accepts', async () => {
  const { ask } = await serving(configOf());
  const userIds = Array.from({ length: 5_000 }, (_, index) => String(index).padStart(1_000, 'x'));
  expect(await ask('/v1/deletions', { method: 'POST', json: { userIds } })).toMatchObject({
    status: 202,
    body: { users: 5_000 },
  });
});

test('an unknown deletion is answered 404', async () => {
  const { ask } = await serving(configOf());
  expect((await ask('/v1/deletions/none')).status).toBe(404);
});

test.each([
  [10, undefined, 202],
  [11, undefined, 422],
  [11, 'all', 202],
  [11, ['website'], 202],
] as const)('with %i destinations a deletion of sources %s is answered %i', async (count, sources, status) => {
  const destinations = Array.from({ length: count }, (_, index) =>
    destinationOf('http://127.0.0.1:9/', { name: `customer ${index}`, enabled: false }),
  );
  const { ask } = await serving(configOf({ destinations }));
  const answer = await ask('/v1/deletions', { method: 'POST', json: { userIds: ['u1'], sources } });
  expect(answer.status).toBe(status);
  if (status === 422) expect(answer.body.message).toContain('or "all"');
});
