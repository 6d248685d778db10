import type { ServerResponse } from 'node:http';
import { expect, test, vi } from 'vitest';
import type { AnalyticsOptions } from '../../../src/index.js';
import { client, next, track } from '../../support/client.js';
import { serve } from '../../support/loopback.js';
import { type Answer, ok, sink } from '../../support/sink.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** Lets everything run that is ready. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

const sizes = (requests: readonly { batch: readonly unknown[] }[]) => requests.map(({ batch }) => batch.length);

/** A response that a test releases when it is ready. */
function held() {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const answer: Answer = async () => {
    await released;
    return ok();
  };
  return { answer, release };
}

test('a flush starts when flushAt messages wait, and not before', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url, flushAt: 3 });
  analytics.track(track());
  analytics.track(track());
  await turn();
  expect(analytics.stats().requests).toBe(0);
  analytics.track(track());
  await next(analytics, 'delivered');
  expect(sizes(collector.requests)).toEqual([3]);
});

test('flushAt is 20 by default', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  for (let i = 0; i < 19; i++) analytics.track(track());
  await turn();
  expect(analytics.stats().requests).toBe(0);
  analytics.track(track());
  await next(analytics, 'delivered');
  expect(sizes(collector.requests)).toEqual([20]);
});

test('the option `size` is another name for flushAt', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url, size: 2 });
  analytics.track(track());
  analytics.track(track());
  await next(analytics, 'delivered');
  expect(sizes(collector.requests)).toEqual([2]);
});

test('flushAt 1 sends each message at once', async () => {
  const collector = await sink();
  const { analytics, clock } = client({ endpoint: collector.url, flushAt: 1 });
  await analytics.track(track()).delivered;
  expect(sizes(collector.requests)).toEqual([1]);
  expect(clock.passed).toBe(0);
});

test('a flush starts flushAfter milliseconds after the first waiting message', async () => {
  const collector = await sink();
  const { analytics, clock } = client({ endpoint: collector.url, flushAfter: 700 });
  analytics.track(track('first'));
  clock.advance(600);
  analytics.track(track('second'));
  clock.advance(99);
  await turn();
  expect(analytics.stats().requests).toBe(0);
  clock.advance(1);
  await next(analytics, 'delivered');
  expect(sizes(collector.requests)).toEqual([2]);
});

test('flushAfter is five seconds by default', async () => {
  const collector = await sink();
  const { analytics, clock } = client({ endpoint: collector.url });
  analytics.track(track());
  expect(clock.due).toContain(5_000);
  clock.advance(5_000);
  await next(analytics, 'delivered');
});

test('a flush sends all waiting messages, not only flushAt', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url, flushAt: 3 });
  for (let i = 0; i < 50; i++) analytics.track(track());
  await analytics.flush();
  expect(sizes(collector.requests)).toEqual([50]);
});

test('the next batch grows while a request is being sent', async () => {
  const { answer, release } = held();
  const collector = await sink(answer);
  const { analytics } = client({ endpoint: collector.url, flushAt: 2 });
  analytics.track(track());
  analytics.track(track());
  await turn();
  for (let i = 0; i < 31; i++) analytics.track(track());
  release();
  await analytics.flush();
  expect(sizes(collector.requests)).toEqual([2, 31]);
});

test('a message that is tracked after a flush has begun waits for the next flush', async () => {
  const { answer, release } = held();
  const collector = await sink(answer);
  const { analytics } = client({ endpoint: collector.url, flushAt: 2 });
  analytics.track(track());
  analytics.track(track());
  await turn();
  const later = analytics.track(track());
  const delivered = next(analytics, 'delivered');
  release();
  await delivered;
  await turn();
  expect(sizes(collector.requests)).toEqual([2]);
  await analytics.flush();
  await later.delivered;
});

test('a batch is sent when the next message would make its body exceed maxBatchBytes', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url, flushAt: 1_000_000, maxBatchBytes: 33_000 });
  const properties = { text: '€'.repeat(300) };
  for (let i = 0; i < 100; i++) analytics.track({ ...track(), properties });
  await analytics.flush();
  expect(collector.messages).toHaveLength(100);
  expect(collector.requests.length).toBeGreaterThan(1);
  const [first] = collector.requests;
  for (const { bytes } of collector.requests) expect(bytes).toBeLessThanOrEqual(33_000);
  // One more message would not have fit.
  expect(first?.bytes).toBeGreaterThan(33_000 - Buffer.byteLength(JSON.stringify(first?.batch[0])) - 1);
});

test('a batch is sent when it has maxBatchMessages', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url, maxBatchMessages: 20 });
  for (let i = 0; i < 50; i++) analytics.track(track());
  await analytics.flush();
  expect(sizes(collector.requests)).toEqual([20, 20, 10]);
});

test('with gzip, the counters and events report the bytes before compression', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url, gzip: true });
  const flushed = next(analytics, 'flush');
  analytics.track({ ...track(), properties: { text: 'x'.repeat(10_000) } });
  await analytics.flush();
  const [request] = collector.requests;
  expect(request?.headers.get('content-encoding')).toBe('gzip');
  expect(Number(request?.headers.get('content-length'))).toBeLessThan(1_000);
  expect(request?.bytes).toBe(analytics.stats().bytes);
  expect(await flushed).toEqual({ batch: request?.messageId, messages: 1, bytes: request?.bytes, headers: {} });
});

test('with one request at a time, messages arrive in the order of the calls', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url, maxBatchMessages: 3 });
  for (let i = 0; i < 40; i++) {
    analytics.track(track(String(i)));
    if (i % 7 === 0) await turn();
  }
  await analytics.flush();
  expect(collector.messages.map((message) => 'event' in message && message.event)).toEqual(
    Array.from({ length: 40 }, (_, i) => String(i)),
  );
});

test.each([1, 3])('with concurrency %i, that many requests are sent at once, and never more', async (concurrency) => {
  const open: ServerResponse[] = [];
  let most = 0;
  // Responds only when as many requests have arrived as are allowed.
  const url = await serve((request, response) => {
    most = Math.max(most, open.push(response));
    request.resume().on('end', () => {
      if (open.length === concurrency) for (const each of open.splice(0)) each.end('{}');
    });
  });
  const { analytics } = client({ endpoint: url, concurrency, maxBatchMessages: 1 });
  for (let i = 0; i < 30; i++) analytics.track(track());
  await analytics.flush();
  expect(most).toBe(concurrency);
});

test('a batch is posted below the path of the endpoint, with headers that identify the client', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: `${collector.url}/team/a/`, writeKey: 'kéy' });
  analytics.track(track());
  await analytics.flush();
  const [request] = collector.requests;
  expect(request?.path).toBe('/team/a/v1/batch');
  expect(request?.headers.get('authorization')).toBe(`Basic ${Buffer.from('kéy:').toString('base64')}`);
  expect(request?.headers.get('content-type')).toBe('application/json');
  expect(request?.headers.get('user-agent')).toMatch(/^eventferry\/\d+\.\d+\.\d+$/);
  expect(request?.context).toEqual({ library: { name: 'eventferry', version: expect.any(String) } });
});

/** About 30 KB as JSON. */
const large = { ...track(), properties: { text: 'x'.repeat(30_000) } };

test('a full queue loses the newest message, and the call does not throw', async () => {
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

test('a queue accepts messages up to the last byte of maxQueueBytes', async () => {
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

test.each<[Partial<AnalyticsOptions>]>([
  [{ maxQueueBytes: 66_000 }],
  [{ maxQueueBytes: 66_000, maxBatchBytes: 33_000, concurrency: 4 }],
])('with a journal, no call is refused because messages being sent fill the memory: %j', async (options) => {
  const collector = await sink(...Array.from({ length: 4 }, () => () => new Promise<never>(() => {})));
  const { analytics } = client({ endpoint: collector.url, journal: temporaryFolder(), flushAt: 1, ...options });
  const fill = () => {
    for (let n = 0; n < 5; n++) analytics.track(large).delivered.catch(() => {});
  };
  fill();
  await vi.waitFor(() => expect(collector.requests).toHaveLength(options.concurrency ?? 1), { timeout: 20_000 });
  for (let round = 0; round < 3; round++) {
    fill();
    await turn();
  }
  expect(analytics.stats()).toMatchObject({ accepted: 20, lost: 0, pending: 20 });
});

test.each([
  ['exactly fills the queue is accepted', 0, 0],
  ['exceeds the room in the queue by one byte is lost', 1, 1],
])('a message that %s', (_, more, lost) => {
  const filled = (bytes: number) => ({
    ...track(),
    messageId: 'm',
    properties: { text: 'é'.repeat(100) + 'x'.repeat(bytes) },
  });
  const sizeOf = (bytes: number): number => {
    const { analytics } = client({ endpoint: 'http://127.0.0.1:1' });
    analytics.track(filled(bytes));
    return analytics.pending.bytes;
  };
  const least = sizeOf(0);
  const { analytics } = client({ endpoint: 'http://127.0.0.1:1', flushAt: 1_000, maxQueueBytes: 66_000 });
  for (let sent = 0; sent < 2; sent++) analytics.track(filled(30_000));
  const room = 66_000 - analytics.pending.bytes;
  analytics.track(filled(room - least + more));
  expect(analytics.stats().lost).toBe(lost);
});

test('the memory of a batch is reused after a single answered request, and never after a retry', async () => {
  const statuses = [200, 200, 200, 503, 200, 200, 200];
  const memory: ArrayBufferLike[] = [];
  let analytics: ReturnType<typeof client>['analytics'] | undefined;
  const transport = async ({ body }: { body: Uint8Array }) => {
    memory.push(body.buffer);
    // The next batch is open before this one ends.
    if (memory.length < 8) analytics?.track(track());
    return { status: statuses[memory.length - 1] ?? 200 };
  };
  const made = client({ endpoint: 'http://127.0.0.1:1', flushAt: 1, transport });
  analytics = made.analytics;
  analytics.track(track());
  while (made.analytics.stats().pending > 0) {
    await turn();
    made.clock.advance(60_000);
  }
  expect(memory.length).toBeGreaterThan(6);
  expect(memory[2]).toBe(memory[0]);
  const repeated = memory[3];
  expect(memory.lastIndexOf(repeated as ArrayBufferLike)).toBe(4);
});

test('a message that is sent at once sets no timer', async () => {
  const { url } = await sink();
  const { analytics, clock } = client({ endpoint: url, flushAt: 2, flushAfter: 7_000 });
  analytics.track(track());
  expect(clock.due).toContain(7_000);
  await analytics.flush();
  const { analytics: eager, clock: other } = client({ endpoint: url, flushAt: 1, flushAfter: 7_000 });
  eager.track(track());
  expect(other.due).not.toContain(7_000);
  await eager.flush();
  expect(eager.stats()).toMatchObject({ delivered: 1 });
});
