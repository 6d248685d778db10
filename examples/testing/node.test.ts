/** With node:test: `node --import tsx --test examples/testing/node.test.ts` */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNotSent, assertSent, captureAnalytics } from 'eventferry/testing';
import { checkOut } from './checkout.js';

test('an order is tracked with its total', async () => {
  await using captured = captureAnalytics();
  await checkOut(captured.analytics, { userId: 'u1', total: 42 });
  assertSent(captured.events, { event: 'Order Completed', properties: { total: 42 } }, { times: 1 });
  assertNotSent(captured.events, 'identify');
});

test('an order outlives an outage of an hour', async () => {
  await using captured = captureAnalytics();
  captured.offline();
  await checkOut(captured.analytics, { userId: 'u1', total: 42 });
  await captured.advance(3_600_000);
  captured.online();
  await captured.advance(30_000);
  assert.equal(captured.delivered.track('Order Completed').length, 1);
});
