import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { AbortedError } from '../../src/errors.js';
import { client, next, track } from '../support/client.js';
import { sink } from '../support/sink.js';

test('a receipt names the id the message is sent with, its own or the one given', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  const ids = [analytics.track(track()).messageId, analytics.track({ ...track(), messageId: 'mine' }).messageId];
  await analytics.flush();
  expect(collector.messages.map(({ messageId }) => messageId)).toEqual(ids);
  expect(ids[1]).toBe('mine');
});

test('delivered resolves when the collector has accepted this very message', async () => {
  const collector = await sink(503);
  const { analytics, clock } = client({ endpoint: collector.url, flushAt: 1 });
  const { delivered } = analytics.track(track());
  const retry = await next(analytics, 'retry');
  await expect(Promise.race([delivered, Promise.resolve('not yet')])).resolves.toBe('not yet');
  clock.advance(retry.delayMs);
  await expect(delivered).resolves.toBeUndefined();
});

test('delivered may be read before and after the end, and as often as one likes', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  const receipt = analytics.track(track());
  const before = receipt.delivered;
  await analytics.flush();
  await expect(Promise.all([before, receipt.delivered, receipt.delivered])).resolves.toHaveLength(3);
});

test('a loss nobody reads is no unhandled rejection', async () => {
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

describe('backpressure', () => {
  /** About 30 KB as JSON. */
  const large = { ...track(), properties: { text: 'x'.repeat(30_000) } };

  test('pending tells messages and their bytes', async () => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url });
    expect(analytics.pending).toEqual({ messages: 0, bytes: 0 });
    analytics.track(track());
    analytics.track(track());
    expect(analytics.pending.messages).toBe(2);
    await analytics.flush();
    const bytes = collector.messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);
    expect(bytes).toBeGreaterThan(0);
    expect(analytics.pending).toEqual({ messages: 0, bytes: 0 });
  });

  test('pending bytes are the bytes of the messages as JSON', async () => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url });
    analytics.track(track('€'));
    const { bytes } = analytics.pending;
    await analytics.flush();
    expect(bytes).toBe(Buffer.byteLength(JSON.stringify(collector.messages[0])));
  });

  test('a full queue refuses the newest message, tells everyone, and the call does not throw', async () => {
    const collector = await sink();
    const { analytics, lost } = client({ endpoint: collector.url, maxQueueBytes: 66_000 });
    const receipts = [1, 2, 3].map((i) => analytics.track({ ...large, messageId: `m${i}` }));
    await expect(receipts[2]?.delivered).rejects.toMatchObject({ code: 'EVENTFERRY_QUEUE_FULL', limit: 66_000 });
    expect(lost).toMatchObject([
      { message: { messageId: 'm3', properties: large.properties }, error: { code: 'EVENTFERRY_QUEUE_FULL' } },
    ]);
    expect(analytics.stats()).toMatchObject({
      accepted: 3,
      lost: 1,
      pending: 2,
      lostByCode: { EVENTFERRY_QUEUE_FULL: 1 },
    });
    await analytics.flush();
    expect(collector.messages.map(({ messageId }) => messageId)).toEqual(['m1', 'm2']);
  });

  test('a queue is full at the byte', async () => {
    const collector = await sink();
    const bytesOf = async (): Promise<number> => {
      const { analytics } = client({ endpoint: collector.url });
      analytics.track(track());
      const { bytes } = analytics.pending;
      await analytics.flush();
      return bytes;
    };
    const small = await bytesOf();
    const { analytics } = client({ endpoint: collector.url, flushAt: 1_000_000, maxQueueBytes: 66_000 });
    while (analytics.pending.bytes + small <= 66_000) analytics.track(track());
    const room = 66_000 - analytics.pending.bytes;
    expect(room).toBeLessThan(small);
    expect(analytics.stats().lost).toBe(0);
    analytics.track(track());
    expect(analytics.stats().lost).toBe(1);
  });

  test('ready resolves at once while there is room, without holding the process', async () => {
    const collector = await sink();
    const { analytics, clock } = client({ endpoint: collector.url });
    await analytics.ready();
    expect(clock.holds).toBe(0);
  });

  test('ready resolves when there is room again, sends what waits, and holds the process until then', async () => {
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

  test('who waits for a turn holds the process too: there may be no room any more when it comes', async () => {
    const collector = await sink(503);
    const { analytics, clock } = client({ endpoint: collector.url, maxBatchBytes: 33_000, maxQueueBytes: 200_000 });
    for (let i = 0; i < 2; i++) analytics.track(large);
    const ready = analytics.ready();
    // Somebody else is faster.
    for (let i = 0; i < 2; i++) analytics.track(large);
    const { delayMs } = await next(analytics, 'retry');
    expect(clock.holds).toBe(1);
    clock.advance(delayMs);
    await ready;
    expect(clock.holds).toBe(0);
  });

  test('who waits for room goes on only while there is some', async () => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url, maxQueueBytes: 66_000 });
    const fill = (): void => {
      for (let i = 0; i < 2; i++) analytics.track(large);
    };
    fill();
    const found = analytics.ready().then(() => analytics.pending.bytes);
    // Somebody else is faster.
    await next(analytics, 'delivered');
    fill();
    expect(await found).toBeLessThan(66_000 / 2);
  });

  test('who awaits nothing but ready lets everything else have its turn', async () => {
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

  test('who awaits ready before each message never meets a full queue', async () => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url, maxQueueBytes: 66_000 });
    for (let i = 0; i < 40; i++) {
      await analytics.ready();
      analytics.track(large);
    }
    await analytics.flush();
    expect(analytics.stats()).toMatchObject({ accepted: 40, delivered: 40, lost: 0 });
  });
});

test('what was abandoned is told to who asks later', async () => {
  const collector = await sink();
  const { analytics, clock } = client({ endpoint: collector.url });
  const receipt = analytics.track(track());
  const closed = analytics.close({ timeout: 0 });
  clock.advance(0);
  await closed;
  await expect(receipt.delivered).rejects.toBeInstanceOf(AbortedError);
});
