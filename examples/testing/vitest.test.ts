/** With vitest: `npx vitest run --dir examples/testing vitest` */
import { captureAnalytics, matchers, type SentMatchers } from 'eventferry/testing';
import { expect, test } from 'vitest';
import { checkOut } from './checkout.js';

expect.extend(matchers);

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: vitest declares it so
  interface Matchers<T = any> extends SentMatchers<T> {}
}

test('an order is tracked with its total', async () => {
  await using captured = captureAnalytics();
  await checkOut(captured.analytics, { userId: 'u1', total: 142 });
  expect(captured.events).toHaveSent({ event: 'Order Completed', properties: { total: expect.any(Number) } });
  expect(captured.events).toHaveSent({ type: 'identify', traits: { isBigSpender: true } });
  expect(captured.events).not.toHaveSent('Order Refunded');
});
