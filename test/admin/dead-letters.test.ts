import { expect, test } from 'vitest';
import { AdminClient } from '../../src/admin/index.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { configOf, destinationOf, sendBatch, serving, TOKEN, track, withLetters } from '../service/support.js';

/** A client of a service with so many dead letters at the destination `crm`, and how many are left. */
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

test('dead letters are listed over all pages, and by a filter', async () => {
  const { admin, crm } = await serve(1_100);
  const all = await idsOf(admin.deadLetters('crm'));
  expect([all.length, all[0], all.at(-1)]).toEqual([1_100, 'm0', 'm1099']);
  const [from, to] = [new Date(5).toISOString(), new Date(7).toISOString()];
  expect(await idsOf(admin.deadLetters('crm', { endpoint: crm.url, type: 'track', from, to }))).toEqual(['m5', 'm6']);
  expect(await idsOf(admin.deadLetters('crm', { reason: 'window-over' }))).toEqual([]);
});

test('dead letters are counted, all or by a filter', async () => {
  const { admin, crm } = await serve(3);
  expect(await admin.countDeadLetters('crm')).toEqual({ deliveries: 3 });
  expect(await admin.countDeadLetters('crm', { endpoint: crm.url, reason: 'permanent' })).toEqual({ deliveries: 3 });
  expect(await admin.countDeadLetters('crm', { type: 'page' })).toEqual({ deliveries: 0 });
});

test('a dead letter is shown with its message', async () => {
  const { admin, crm } = await serve(1);
  expect(await admin.deadLetter('crm', 'm0')).toMatchObject({
    id: 'm0',
    event: 'Bought',
    endpoints: [{ url: crm.url, reason: 'permanent' }],
    body: { type: 'track', event: 'Bought', userId: 'u0' },
  });
});

test('one dead letter is replayed, and the answer says that it is done', async () => {
  const { admin, crm, left } = await serve(3);
  expect(await admin.replay('crm', { id: 'm1' })).toEqual({ status: 'done', deliveries: 1 });
  await crm.has(1);
  expect(await left()).toBe(2);
});

test('a replay at a rate is a job that tells how far it is, and that can be stopped', async () => {
  const { admin, left } = await serve(100);
  const { id, status } = await admin.replay('crm', { all: true, rate: 1 });
  expect(status).toBe('running');
  expect(await admin.letterJob('crm', id ?? '')).toMatchObject({ id, act: 'replay', status: 'running', meant: 100 });
  expect(await admin.stopLetterJob('crm', id ?? '')).toMatchObject({ id, status: 'stopped' });
  expect(await admin.letterJobs('crm')).toMatchObject([{ id, status: 'stopped' }]);
  expect(await left()).toBeGreaterThan(90);
});

test('dead letters are discarded', async () => {
  const { admin, left } = await serve(3);
  expect(await admin.discard('crm', { all: true })).toMatchObject({ act: 'discard', status: 'done', deliveries: 3 });
  expect(await left()).toBe(0);
});

test('a destination, a letter or a job that is not there is an AdminNotFoundError', async () => {
  const { admin } = await serve(0);
  const gone = { code: 'EVENTFERRY_ADMIN_NOT_FOUND', reason: 'not_found' };
  await expect(idsOf(admin.deadLetters('ads'))).rejects.toMatchObject(gone);
  await expect(admin.deadLetter('crm', 'm1')).rejects.toMatchObject(gone);
  await expect(admin.letterJob('crm', 'j1')).rejects.toMatchObject(gone);
});

test('a replay that names no letters is an AdminRefusedError, and replays none', async () => {
  const { admin, left } = await serve(1);
  await expect(admin.replay('crm', {})).rejects.toMatchObject({ code: 'EVENTFERRY_ADMIN_REFUSED', status: 422 });
  expect(await left()).toBe(1);
});

test('what waits is listed over all pages, and discarded by its user', async () => {
  const crm = await startEndpoint(200);
  const { url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }));
  const admin = new AdminClient({ url, token: TOKEN });
  await admin.setPaused('crm', true);
  for (const user of ['u1', 'u2']) {
    const messages = Array.from({ length: 300 }, (_, index) => ({ ...track(`${user} ${index}`), userId: user }));
    await sendBatch(url, ...messages);
  }
  expect(await idsOf(admin.waitingDeliveries('crm'))).toHaveLength(600);
  const [first] = await idsOf(admin.waitingDeliveries('crm', { user: 'u1', endpoint: crm.url, type: 'track' }));
  expect(first).toBe('u1 0');
  const discarded = await admin.discard('crm', { state: 'waiting', user: 'u1' });
  expect(discarded).toMatchObject({ status: 'done', deliveries: 300, filter: { state: 'waiting', user: 'u1' } });
  expect(await idsOf(admin.waitingDeliveries('crm', { user: 'u1' }))).toEqual([]);
  await admin.setPaused('crm', false);
  await crm.has(300);
  expect(await admin.destination('crm')).toMatchObject({ counters: { discarded: 300 } });
});
