import { expect, test } from 'vitest';
import { AdminClient } from '../../src/admin/index.js';
import { configOf, sendBatch, serving, sourceOf, TOKEN, track } from '../service/support.js';
import { FakeClock } from '../support/fake-clock.js';

async function serve() {
  // The clock stands still, so that no hour ends during the test.
  const { url } = await serving(configOf(), { clock: new FakeClock() });
  await sendBatch(url, track('m1'), track('m2'), { type: 'track' });
  return new AdminClient({ url, token: TOKEN });
}

test('the admin client reads the status of the service', async () => {
  const admin = await serve();
  expect(await admin.status()).toMatchObject({ process: process.pid, store: { type: 'lmdb' } });
});

test('the admin client reads sources with their last hour, their events by hour, and their history', async () => {
  const admin = await serve();
  expect((await admin.sources()).sources).toMatchObject([{ name: 'website', lastHour: { received: 2, rejected: 1 } }]);
  const counted = { type: 'track', event: 'Order Completed', received: 2, blocked: 0 };
  expect(await admin.sourceCounts('website', { hours: 1 })).toMatchObject([counted]);
  const refused = { code: 'EVENTFERRY_ADMIN_REFUSED', reason: 'invalid_query' };
  await expect(admin.sourceCounts('website', { hours: 721 })).rejects.toMatchObject(refused);
  const { stepMs, points } = await admin.sourceHistory('website', { range: '7d' });
  expect([stepMs, points.length, points.at(-1)?.received]).toEqual([2 * 60 * 60_000, 84, 2]);
  await expect(admin.sourceHistory('none')).rejects.toMatchObject({ code: 'EVENTFERRY_ADMIN_NOT_FOUND' });
});

test('the admin client reads rejections with their reason', async () => {
  const admin = await serve();
  expect(await admin.rejections('website')).toMatchObject([{ code: 'missing_event', count: 1 }]);
});

test('the admin client reads violations of the plan with their reasons', async () => {
  const trackingPlan = { plan: { events: {} }, onViolation: 'report', onUnknownEvent: 'report' } as const;
  const { url } = await serving(configOf({ sources: [sourceOf({ trackingPlan })] }));
  await sendBatch(url, track('m1'));
  const admin = new AdminClient({ url, token: TOKEN });
  expect(await admin.violations('website')).toMatchObject([{ event: 'Order Completed', reason: 'unknown_event' }]);
  expect((await admin.sources()).sources).toMatchObject([
    { trackingPlan: { events: 0, violations: { unknown_event: 1 } } },
  ]);
});
