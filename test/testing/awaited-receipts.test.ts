import { expect, onTestFinished, test, vi } from 'vitest';
import { AwaitedReceipts } from '../../src/testing/awaited-receipts.js';
import { captureAnalytics } from '../../src/testing/capture-analytics.js';

const order = { userId: 'u1', event: 'Order Completed' };

function receiptOf(delivered: Promise<void>) {
  return { messageId: 'm1', delivered, stored: delivered, filtered: false };
}

test("a test that awaits a delivery while the client's clock stands still gets one hint", async () => {
  const told: string[] = [];
  const awaited = new AwaitedReceipts((hint) => told.push(hint), 0);
  for (let index = 0; index < 2; index++) void awaited.watch(receiptOf(new Promise(() => {}))).delivered;
  await expect.poll(() => told).toHaveLength(1);
  expect(told[0]).toMatch(/`receipt\.delivered` waits for its batch.*`void analytics\.flush\(\)`/);
});

test('a test that awaits a message that is delivered, or awaits nothing, gets no hint', async () => {
  const told: string[] = [];
  const awaited = new AwaitedReceipts((hint) => told.push(hint), 0);
  awaited.watch(receiptOf(new Promise(() => {})));
  await awaited.watch(receiptOf(Promise.resolve())).delivered;
  await expect(awaited.watch(receiptOf(Promise.reject(new Error('lost')))).delivered).rejects.toThrow('lost');
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(told).toEqual([]);
});

test("a captured client prints the hint on the test's console, and its receipts work as usual", async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  await using captured = captureAnalytics();
  const receipt = captured.analytics.track(order);
  expect(receipt).toMatchObject({ messageId: captured.events[0]?.messageId, filtered: false });
  const { delivered } = receipt;
  await expect.poll(() => warn).toHaveBeenCalledOnce();
  await captured.analytics.flush();
  await delivered;
});
