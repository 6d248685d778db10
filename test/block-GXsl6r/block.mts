import assert from 'node:assert/strict';
import test from 'node:test';
import type { Analytics } from 'eventferry';
import { assertSent, captureAnalytics } from 'eventferry/testing';

function checkOut(analytics: Analytics, total: number) {
  analytics.track({ userId: 'u1', event: 'Order Completed', properties: { total } });
}

test('an order is tracked with its total', async () => {
  const { analytics, events, close } = captureAnalytics();
  checkOut(analytics, 42);
  assertSent(events, { event: 'Order Completed', properties: { total: 42 } });
  assert.equal(events.track('Order Completed').length, 1);
  await close();
});
