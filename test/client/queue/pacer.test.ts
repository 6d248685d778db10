import { expect, test } from 'vitest';
import { client, next, track } from '../../support/client.js';
import { sink } from '../../support/sink.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** About 30 KB as JSON. */
const large = { ...track(), properties: { text: 'x'.repeat(30_000) } };

test('ready() resolves at once while the queue has room, without holding the process', async () => {
  const collector = await sink();
  const { analytics, clock } = client({ endpoint: collector.url });
  await analytics.ready();
  expect(clock.holds).toBe(0);
});

test('ready() of a full queue sends waiting messages, resolves when there is room, and holds the process until then', async () => {
  const collector = await sink();
  const { analytics, clock } = client({ endpoint: collector.url, flushAt: 1_000_000, maxQueueBytes: 66_000 });
  analytics.track(large);
  analytics.track(large);
  const ready = analytics.ready();
  expect(clock.holds).toBe(1);
  await ready;
  expect(clock.holds).toBe(0);
  expect(analytics.pending.bytes).toBeLessThan(66_000 / 2);
});

test('ready() holds the process while it waits for its turn, because there may be no room left then', async () => {
  const collector = await sink(503);
  const { analytics, clock } = client({ endpoint: collector.url, maxBatchBytes: 33_000, maxQueueBytes: 200_000 });
  for (let i = 0; i < 2; i++) analytics.track(large);
  const ready = analytics.ready();
  // Another caller is faster.
  for (let i = 0; i < 2; i++) analytics.track(large);
  const { delayMs } = await next(analytics, 'retry');
  expect(clock.holds).toBe(1);
  clock.advance(delayMs);
  await ready;
  expect(clock.holds).toBe(0);
});

test('ready() resolves only while the queue has room, even if other calls fill it meanwhile', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url, maxQueueBytes: 66_000 });
  const fill = (): void => {
    for (let i = 0; i < 2; i++) analytics.track(large);
  };
  fill();
  const found = analytics.ready().then(() => analytics.pending.bytes);
  // Another caller is faster.
  await next(analytics, 'delivered');
  fill();
  expect(await found).toBeLessThan(66_000 / 2);
});

test('a loop that awaits only ready() does not block the event loop', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url, concurrency: 8 });
  let turns = 0;
  let timer = setImmediate(function turn() {
    turns++;
    timer = setImmediate(turn);
  });
  for (let i = 0; i < 40; i++) {
    await analytics.ready();
    analytics.track(large);
  }
  clearImmediate(timer);
  expect(turns).toBeGreaterThanOrEqual(2);
});

test('a caller that awaits ready() before each message never meets a full queue', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url, maxQueueBytes: 66_000 });
  for (let i = 0; i < 40; i++) {
    await analytics.ready();
    analytics.track(large);
  }
  await analytics.flush();
  expect(analytics.stats()).toMatchObject({ accepted: 40, delivered: 40, lost: 0 });
});

test('ready() of a client with a journal resolves during an outage until half of the disk is used, with constant memory', async () => {
  const journal = { path: temporaryFolder(), maxBytes: 4_000_000 };
  const { analytics } = client({ endpoint: 'http://127.0.0.1:1', journal, maxQueueBytes: 1_000_000 });
  const produced = async (): Promise<void> => {
    for (;;) {
      await analytics.ready();
      analytics.track({ userId: 'u', event: 'E', properties: { pad: 'x'.repeat(10_000) } }).delivered.catch(() => {});
    }
  };
  // The loop ends when its client is closed and refuses the next call.
  void produced().catch(() => {});
  await expect.poll(() => analytics.pending.bytes).toBeGreaterThan(1_900_000);
  expect(analytics.pending.bytes).toBeLessThan(2_100_000);
  expect(analytics.stats().lost).toBe(0);
});

test('ready() of a client with a journal waits as without one while the collector accepts messages', async () => {
  const answers: (() => void)[] = [];
  const transport = () => new Promise<{ status: number }>((resolve) => answers.push(() => resolve({ status: 200 })));
  const { analytics } = client({
    endpoint: 'http://127.0.0.1:1',
    journal: temporaryFolder(),
    maxQueueBytes: 200_000,
    transport: transport as never,
  });
  for (let n = 0; n < 15; n++) analytics.track({ userId: 'u', event: 'E', properties: { pad: 'x'.repeat(10_000) } });
  let isReady = false;
  void analytics.ready().then(() => {
    isReady = true;
  });
  await expect.poll(() => answers).toHaveLength(1);
  expect(isReady).toBe(false);
});
