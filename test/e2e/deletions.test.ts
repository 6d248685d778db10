import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { call, tryCall } from './api.js';
import { destinationOf } from './destinations.js';
import { WebhookReceiver } from './receiver.js';
import { Home } from './service.js';

const USERS = Array.from({ length: 5_000 }, (_, index) => `user ${index}`);

interface Deletion {
  readonly id: string;
  readonly users: number;
  readonly notifications: number;
  readonly done: number;
  readonly status: string;
}

async function office() {
  const [crm, warehouse, off] = [
    await WebhookReceiver.start(),
    await WebhookReceiver.start('another secret'),
    await WebhookReceiver.start(),
  ];
  const place = await Home.make({
    sources: [
      { name: 'shop', writeKeys: ['shop-key'], destinations: ['crm', 'off'] },
      { name: 'app', writeKeys: ['app-key'], destinations: ['warehouse'] },
      { name: 'unheard', writeKeys: ['unheard-key'], destinations: ['off'] },
    ],
    destinations: [
      destinationOf('crm', crm),
      destinationOf('warehouse', warehouse),
      destinationOf('off', off, { enabled: false }),
    ],
  });
  return { crm, warehouse, off, place };
}

async function done(url: string, id: string): Promise<Deletion> {
  for (;;) {
    const deletion = await call<Deletion>(url, 'GET', `/v1/deletions/${id}`);
    if (deletion.status === 'done') return deletion;
    await delay(50);
  }
}

const notices = USERS.map((user) => `delete ${user}`);

test('a deletion of 5,000 users notifies each destination of each user although the service is killed meanwhile', async () => {
  const { crm, warehouse, off, place } = await office();
  const service = await place.start();
  const asked = await call<Deletion>(service.url, 'POST', '/v1/deletions', { userIds: USERS });
  expect(asked).toMatchObject({ users: 5_000, notifications: 10_000, status: 'running' });
  let deletion = asked;
  while (deletion.done < 1_000) deletion = await call(service.url, 'GET', `/v1/deletions/${asked.id}`);
  expect(deletion.status).toBe('running');
  await service.kill();

  const after = await place.start();
  expect(await done(after.url, asked.id)).toMatchObject({ users: 5_000, notifications: 10_000, done: 10_000 });
  await crm.has(notices);
  await warehouse.has(notices);
  expect(crm.get('delete user 7')).toEqual({ type: 'delete', userId: 'user 7', timestamp: expect.any(String) });
  expect([off.arrived.size, crm.arrived.size, warehouse.arrived.size]).toEqual([0, 5_000, 5_000]);
  expect([...crm.refused, ...warehouse.refused]).toEqual([]);
});

test('a deletion can be limited to sources, and one user too many is refused', async () => {
  const { crm, warehouse, place } = await office();
  const { url } = await place.start();
  const { id } = await call<Deletion>(url, 'POST', '/v1/deletions', { userIds: ['u1', 'u2', 'u1'], sources: ['app'] });
  expect(await done(url, id)).toMatchObject({ users: 2, notifications: 2 });
  await warehouse.has(['delete u1', 'delete u2']);
  expect(crm.arrived.size).toBe(0);
  const tooMany = await tryCall(url, 'POST', '/v1/deletions', { userIds: [...USERS, 'one more'] });
  expect(tooMany).toMatchObject({ status: 422 });
});
