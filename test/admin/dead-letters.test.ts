import { expect, test } from 'vitest';
import { AdminClient } from '../../src/admin/index.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { configOf, destinationOf, sendBatch, serving, TOKEN, track, withLetters } from '../service/support.js';

/** A client of a service with `count` dead letters at the destination `crm`, and a function that counts those that are left. */
async function serve(count: number) {
  const crm = await startEndpoint(200);
  const { storage, left } = await withLetters(count, crm.url);
  const { url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { storage });
  return { admin: new AdminClient({ url, token: TOKEN }), crm, left };
}

async function idsOf(letters: AsyncIterable<{ readonly id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of letters) ids.push(id);
  return ids;
}

test('dead letters are listed over all pages, and those that match a filter', async () => {
  const { admin, crm } = await serve(1_100);
  const all = await idsOf(admin.deliveries({ phase: 'dead' }));
  expect([all.length, all[0], all.at(-1)]).toEqual([1_100, 'm0', 'm1099']);
  const [from, to] = [new Date(5).toISOString(), new Date(7).toISOString()];
  const times = { by: 'acceptance', from, to } as const;
  const filter = { phase: 'dead', destination: 'crm', endpoint: crm.url, event: 'track', ...times } as const;
  expect(await idsOf(admin.deliveries(filter))).toEqual(['m5', 'm6']);
  expect(await idsOf(admin.deliveries({ phase: 'dead', reason: 'window-over' }))).toEqual([]);
});

test('dead letters are counted, all or those that match a filter', async () => {
  const { admin, crm } = await serve(3);
  expect(await admin.countDeadLetters()).toEqual({ deliveries: 3 });
  expect(await admin.countDeadLetters({ destination: 'crm', endpoint: crm.url, reason: 'permanent' })).toEqual({
    deliveries: 3,
  });
  expect(await admin.countDeadLetters({ event: 'page' })).toEqual({ deliveries: 0 });
});

test('a dead letter is shown with its message', async () => {
  const { admin, crm } = await serve(1);
  expect(await admin.delivery('m0')).toMatchObject([
    {
      id: 'm0',
      endpoints: [{ url: crm.url, phase: 'dead' }],
      message: { type: 'track', event: 'Bought', userId: 'u0' },
    },
  ]);
});

test('a replay of one dead letter is reported as done', async () => {
  const { admin, crm, left } = await serve(3);
  const replayed = await admin.replay({ destination: 'crm', id: 'm1' });
  expect(replayed).toEqual({ status: 'done', destination: 'crm', deliveries: 1 });
  await crm.has(1);
  expect(await left()).toBe(2);
});

test('a replay with a rate is a job that reports its progress and can be stopped', async () => {
  const { admin, left } = await serve(100);
  const { id, status } = await admin.replay({ all: true, rate: 1 });
  expect(status).toBe('running');
  expect(await admin.job(id ?? '')).toMatchObject({ id, act: 'replay', status: 'running', meant: 100 });
  expect(await admin.stopJob(id ?? '')).toMatchObject({ id, status: 'stopped' });
  expect(await admin.jobs()).toMatchObject([{ id, status: 'stopped' }]);
  expect(await left()).toBeGreaterThan(90);
});

test('dead letters are discarded', async () => {
  const { admin, left } = await serve(3);
  expect(await admin.discard({ all: true })).toMatchObject({ act: 'discard', status: 'done', deliveries: 3 });
  expect(await left()).toBe(0);
});

test('an unknown destination, dead letter or job is an AdminNotFoundError', async () => {
  const { admin } = await serve(0);
  const gone = { code: 'EVENTFERRY_ADMIN_NOT_FOUND', reason: 'not_found' };
  await expect(admin.replay({ destination: 'ads', all: true })).rejects.toMatchObject(gone);
  await expect(admin.replay({ destination: 'crm', id: 'm1' })).rejects.toMatchObject(gone);
  await expect(admin.job('j1')).rejects.toMatchObject(gone);
});

test('a replay that selects no dead letters is an AdminRefusedError, and nothing is replayed', async () => {
  const { admin, left } = await serve(1);
  await expect(admin.replay({})).rejects.toMatchObject({ code: 'EVENTFERRY_ADMIN_REFUSED', status: 422 });
  expect(await left()).toBe(1);
});

test('waiting deliveries are listed over all pages, and discarded by user', async () => {
  const crm = await startEndpoint(200);
  const { url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }));
  const admin = new AdminClient({ url, token: TOKEN });
  await admin.setPaused('crm', true);
  for (const user of ['u1', 'u2']) {
    const messages = Array.from({ length: 300 }, (_, index) => ({ ...track(`${user} ${index}`), userId: user }));
    await sendBatch(url, ...messages);
  }
  expect(await idsOf(admin.deliveries({ phase: 'waiting' }))).toHaveLength(600);
  const [first] = await idsOf(admin.deliveries({ phase: 'waiting', user: 'u1', event: 'track' }));
  expect(first).toBe('u1 0');
  const discarded = await admin.discard({ destination: 'crm', state: 'waiting', user: 'u1' });
  // On a slow machine the job may still run when the call resolves.
  await expect
    .poll(() => admin.job(discarded.id ?? ''))
    .toMatchObject({ status: 'done', deliveries: 300, filter: { state: 'waiting', user: 'u1' } });
  expect(await idsOf(admin.deliveries({ phase: 'waiting', user: 'u1' }))).toEqual([]);
  await admin.setPaused('crm', false);
  await crm.has(300);
  expect(await admin.destination('crm')).toMatchObject({ counters: { discarded: 300 } });
});
