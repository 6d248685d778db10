import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { AbortedError } from '../../../src/base/errors/errors.js';
import { QueuedReceipt, Results, UnqueuedReceipt } from '../../../src/client/queue/receipt.js';
import { client, next, track } from '../../support/client.js';
import { sink } from '../../support/sink.js';

const error = new AbortedError('a test says so');

test('a receipt has the id of its message, whether generated or given', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  const ids = [analytics.track(track()).messageId, analytics.track({ ...track(), messageId: 'mine' }).messageId];
  await analytics.flush();
  expect(collector.messages.map(({ messageId }) => messageId)).toEqual(ids);
  expect(ids[1]).toBe('mine');
});

test('`delivered` resolves when the collector has accepted this very message', async () => {
  const collector = await sink(503);
  const { analytics, clock } = client({ endpoint: collector.url, flushAt: 1 });
  const { delivered } = analytics.track(track());
  const retry = await next(analytics, 'retry');
  await expect(Promise.race([delivered, Promise.resolve('not yet')])).resolves.toBe('not yet');
  clock.advance(retry.delayMs);
  await expect(delivered).resolves.toBeUndefined();
});

test('`delivered` may be read before and after the end, and any number of times', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  const receipt = analytics.track(track());
  const before = receipt.delivered;
  await analytics.flush();
  await expect(Promise.all([before, receipt.delivered, receipt.delivered])).resolves.toHaveLength(3);
});

test('a lost message causes no unhandled rejection if `delivered` is never read', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => {
    unhandled.push(reason);
  };
  process.on('unhandledRejection', note);
  const collector = await sink(401);
  const { analytics } = client({ endpoint: collector.url });
  const receipt = analytics.track(track());
  inspect(receipt);
  JSON.stringify(receipt);
  await analytics.flush();
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
  expect(analytics.stats().lost).toBe(1);
});

test('`delivered` rejects if it is read after close() has given up its message', async () => {
  const collector = await sink();
  const { analytics, clock } = client({ endpoint: collector.url });
  const receipt = analytics.track(track());
  const closed = analytics.close({ timeout: 0 });
  clock.advance(0);
  await closed;
  await expect(receipt.delivered).rejects.toBeInstanceOf(AbortedError);
});

test('the only enumerable property of a receipt is its id', () => {
  expect(Object.keys(new QueuedReceipt('m1', new Results(), 0))).toEqual(['messageId']);
});

test('the receipt of a refused message rejects `delivered` and `stored` with the reason', async () => {
  const refused = new UnqueuedReceipt('m1', error);
  expect(refused.messageId).toBe('m1');
  await expect(refused.delivered).rejects.toBe(error);
  await expect(refused.stored).rejects.toBe(error);
});

test('the receipt of a filtered message says so, and resolves `delivered` and `stored`', async () => {
  const filtered = new UnqueuedReceipt('m1');
  expect(filtered.filtered).toBe(true);
  await expect(filtered.delivered).resolves.toBeUndefined();
  await expect(filtered.stored).resolves.toBeUndefined();
  const others = [new QueuedReceipt('m1', new Results(), 0), new UnqueuedReceipt('m1', error)];
  expect(others.map((receipt) => receipt.filtered)).toEqual([false, false]);
});

test("`stored` is the journal's promise for the index of the message, and rejects without a journal", async () => {
  const results = new Results();
  const receipt = new QueuedReceipt('m1', results, 3);
  await expect(receipt.stored).rejects.toMatchObject({ code: 'EVENTFERRY_NO_JOURNAL' });
  const places: number[] = [];
  results.storedOf = async (index) => void places.push(index);
  await receipt.stored;
  expect(places).toEqual([3]);
});
