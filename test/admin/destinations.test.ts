import { expect, test } from 'vitest';
import { AdminClient } from '../../src/admin/index.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { configOf, destinationOf, sendBatch, serving, sourceOf, TOKEN, track } from '../service/support.js';

async function serve() {
  const crm = await startEndpoint(200);
  const { url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }));
  return { admin: new AdminClient({ url, token: TOKEN }), crm };
}

test('the admin client reads all destinations or one', async () => {
  const { admin, crm } = await serve();
  expect((await admin.destinations()).destinations).toMatchObject([{ name: 'crm', endpoints: [{ url: crm.url }] }]);
  expect(await admin.destination('crm')).toMatchObject({ name: 'crm', paused: false, enabled: true });
  await expect(admin.destination('none')).rejects.toMatchObject({ code: 'EVENTFERRY_ADMIN_NOT_FOUND' });
});

test('the history of a destination covers an hour if no range is given', async () => {
  const { admin } = await serve();
  const hour = await admin.destinationHistory('crm');
  const week = await admin.destinationHistory('crm', { range: '7d' });
  expect([hour.points.length, week.points.length]).toEqual([60, 84]);
});

test('the admin client pauses, resumes, disables and enables a destination', async () => {
  const { admin } = await serve();
  expect(await admin.setPaused('crm', true)).toMatchObject({ paused: true });
  expect(await admin.setPaused('crm', false)).toMatchObject({ paused: false });
  expect(await admin.setEnabled('crm', false)).toMatchObject({ enabled: false });
  expect(await admin.setEnabled('crm', true)).toMatchObject({ enabled: true });
});

test('a test of a destination sends the given event', async () => {
  const { admin, crm } = await serve();
  const message = { type: 'page', userId: 'u1', name: 'Home' };
  expect(await admin.testDestination('crm', { endpoint: crm.url, message })).toMatchObject([
    { attempt: { status: 200 } },
  ]);
  expect(JSON.parse(String(crm.received[0]?.body))).toMatchObject(message);
  const refused = { code: 'EVENTFERRY_ADMIN_REFUSED', message: expect.stringContaining('endpoint') };
  await expect(admin.testDestination('crm', { endpoint: 'none' })).rejects.toMatchObject(refused);
});

test('recent deliveries are listed over all pages, and one is explained', async () => {
  const hook = await startEndpoint(200);
  const names = ['crm', 'warehouse'];
  const destinations = names.map((name) => destinationOf(hook.url, { name }));
  const { url, service } = await serving(configOf({ sources: [sourceOf({ destinations: names })], destinations }));
  const admin = new AdminClient({ url, token: TOKEN });
  const ids = Array.from({ length: 300 }, (_, index) => `m${index}`);
  await sendBatch(url, ...ids.map((id) => track(id)), track('last', { userId: 'u2' }));
  await Promise.all(service.destinations().map(({ destination }) => destination.idle()));
  const listed: string[] = [];
  // A page has 500 deliveries.
  for await (const { destination, id } of admin.deliveries({ phase: 'delivered' })) listed.push(`${destination} ${id}`);
  const expected = names.flatMap((name) => [...ids, 'last'].map((id) => `${name} ${id}`));
  expect(listed.toSorted()).toEqual(expected.toSorted());
  const ofUser: string[] = [];
  for await (const { id } of admin.deliveries({ user: 'u2', destination: 'crm' })) ofUser.push(id);
  expect(ofUser).toEqual(['last']);
  const explained = await admin.delivery('last');
  expect(explained.map(({ endpoints: [endpoint] }) => endpoint?.phase)).toEqual(['delivered', 'delivered']);
});
