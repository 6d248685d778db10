import { expect, test } from 'vitest';
import { client, next, track } from '../support/client.js';
import { serve } from '../support/loopback.js';
import { type Answer, sink } from '../support/sink.js';

const forever: Answer[] = Array<Answer>(100).fill(503);

/** A collector that accepts requests and never responds. */
const silent = () => serve((request) => void request.resume());

test('flush() resolves when every message accepted before it has ended', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url, maxBatchMessages: 2 });
  for (let i = 0; i < 5; i++) analytics.track(track());
  await analytics.flush();
  expect(collector.messages).toHaveLength(5);
  expect(analytics.stats().pending).toBe(0);
});

test('flush() with nothing to send resolves at once', async () => {
  const { analytics } = client({ endpoint: 'http://127.0.0.1:1' });
  await analytics.flush();
  expect(analytics.stats().requests).toBe(0);
});

test('flush() resolves although messages are lost', async () => {
  const collector = await sink(401);
  const { analytics, lost } = client({ endpoint: collector.url });
  analytics.track(track());
  await analytics.flush();
  expect(lost).toHaveLength(1);
});

test('concurrent calls of flush() each wait for the messages before them', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  const ended: string[] = [];
  analytics.track(track());
  const first = analytics.flush().then(() => ended.push('first'));
  analytics.track(track());
  const second = analytics.flush().then(() => ended.push('second'));
  await Promise.all([first, second]);
  expect(ended).toEqual(['first', 'second']);
  expect(collector.messages).toHaveLength(2);
});

test('flush() with a timeout rejects in time, and the waiting messages are still sent', async () => {
  const collector = await sink(503);
  const { analytics, clock } = client({ endpoint: collector.url }, 0.999);
  const receipt = analytics.track(track());
  const flushed = analytics.flush({ timeout: 100 });
  await next(analytics, 'retry');
  clock.advance(100);
  await expect(flushed).rejects.toMatchObject({ code: 'EVENTFERRY_FLUSH_TIMEOUT', timeoutMs: 100, pending: 1 });
  expect(clock.holds).toBe(0);
  clock.advance(1_000);
  await receipt.delivered;
});

test('flush() keeps the process alive until it resolves', async () => {
  const collector = await sink(503);
  const { analytics, clock } = client({ endpoint: collector.url });
  analytics.track(track());
  const flushed = analytics.flush();
  const { delayMs } = await next(analytics, 'retry');
  expect(clock.holds).toBe(1);
  clock.advance(delayMs);
  await flushed;
  expect(clock.holds).toBe(0);
});

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, '5'])(
  'flush() and close() refuse a timeout of %j',
  async (timeout) => {
    const { analytics } = client({ endpoint: 'http://127.0.0.1:1' });
    await expect(analytics.flush({ timeout: timeout as number })).rejects.toMatchObject({
      code: 'EVENTFERRY_INVALID_OPTION',
      option: 'timeout',
    });
    expect(() => analytics.close({ timeout: timeout as number })).toThrow(
      expect.objectContaining({ option: 'timeout' }),
    );
  },
);

test('close() delivers the waiting messages and resolves with the final counts', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  analytics.track(track());
  await expect(analytics.close()).resolves.toMatchObject({ accepted: 1, delivered: 1, lost: 0, pending: 0 });
  expect(collector.messages).toHaveLength(1);
});

test('close() called twice returns the same promise and sends once', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  analytics.track(track());
  const [first, second] = await Promise.all([analytics.close(), analytics.close()]);
  expect(second).toBe(first);
  expect(collector.requests).toHaveLength(1);
});

test('a call after close() throws and changes nothing', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  const closed = analytics.close();
  expect(() => analytics.track(track())).toThrow(expect.objectContaining({ code: 'EVENTFERRY_CLOSED' }));
  expect(() => analytics.child({ userId: 'u' }).track(track())).toThrow(
    expect.objectContaining({ code: 'EVENTFERRY_CLOSED' }),
  );
  await expect(closed).resolves.toMatchObject({ accepted: 0 });
});

test('close() gives up after ten seconds, and undelivered messages are lost and reported', async () => {
  const { analytics, clock, lost } = client({ endpoint: await silent(), requestTimeout: 60_000 });
  analytics.track(track());
  const closed = analytics.close();
  clock.advance(9_999);
  expect(analytics.stats().pending).toBe(1);
  clock.advance(1);
  await expect(closed).resolves.toMatchObject({
    accepted: 1,
    delivered: 0,
    lost: 1,
    pending: 0,
    lostByCode: { EVENTFERRY_ABORTED: 1 },
  });
  expect(lost).toMatchObject([{ message: { type: 'track' }, error: { code: 'EVENTFERRY_ABORTED' } }]);
});

test('close() leaves no timer, no hold on the process and no connection', async () => {
  let closedConnections = 0;
  const url = await serve((request, response) => {
    request.socket.on('close', () => closedConnections++);
    request.resume();
    response.end('{}');
  });
  const { analytics, clock } = client({ endpoint: url });
  analytics.track(track());
  await analytics.close();
  expect(clock.due).toEqual([]);
  expect(clock.holds).toBe(0);
  await expect.poll(() => closedConnections).toBe(1);
});

test('close() in an outage tries once more at once, instead of waiting for the end of the pause', async () => {
  const collector = await sink(503);
  const { analytics } = client({ endpoint: collector.url, flushAt: 1 });
  analytics.track(track());
  await next(analytics, 'retry');
  await expect(analytics.close()).resolves.toMatchObject({ delivered: 1, lost: 0 });
});

test('close() in an outage loses all waiting messages at the deadline, including those behind the first batch', async () => {
  const collector = await sink(...forever);
  const { analytics, clock } = client({ endpoint: collector.url, maxBatchMessages: 1 });
  for (let i = 0; i < 3; i++) analytics.track(track());
  const closed = analytics.close({ timeout: 100 });
  await next(analytics, 'retry');
  clock.advance(100);
  await expect(closed).resolves.toMatchObject({ accepted: 3, lost: 3, pending: 0 });
});

test('a client is closed at the end of an `await using` block', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  analytics.track(track());
  await analytics[Symbol.asyncDispose]();
  expect(collector.messages).toHaveLength(1);
  expect(() => analytics.track(track())).toThrow();
});

test('a disabled client filters calls and sends waiting messages, and accepts calls again when it is enabled', async () => {
  const { url, messages } = await sink();
  const { analytics, lost } = client({ endpoint: url });
  analytics.track(track('before'));
  analytics.enabled = false;
  expect(analytics.enabled).toBe(false);
  const receipt = analytics.track(track('meanwhile'));
  expect(receipt.filtered).toBe(true);
  expect(() => analytics.track({ event: 'for nobody' } as never)).toThrow('track.userId');
  await analytics.flush();
  analytics.enabled = true;
  analytics.track(track('after'));
  await analytics.flush();
  expect(messages).toMatchObject([{ event: 'before' }, { event: 'after' }]);
  expect(lost).toEqual([]);
  expect(analytics.stats()).toMatchObject({ accepted: 2, delivered: 2, filtered: 1, pending: 0 });
});

test('`enabled` can only be set to true or false', () => {
  const { analytics } = client({ endpoint: 'http://127.0.0.1:1' });
  expect(() => Object.assign(analytics, { enabled: 'no' })).toThrow(
    'Expected `enabled` to be true or false, got string "no"',
  );
  expect(analytics.enabled).toBe(true);
});

test('a `once` listener gets one event, even if another listener tracks meanwhile, and `off` removes listeners of both kinds', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url, flushAt: 1 });
  const heard: string[] = [];
  const listener = ({ messages }: { readonly messages: number }) => void heard.push(`on ${messages}`);
  const never = () => void heard.push('never');
  analytics.on('flush', listener);
  analytics.once('flush', () => heard.push('once'));
  analytics.once('flush', never);
  analytics.off('flush', never);
  analytics.once('flush', never)();
  await analytics.track(track()).delivered;
  await analytics.track(track()).delivered;
  analytics.off('flush', listener);
  await analytics.track(track()).delivered;
  expect(heard).toEqual(['on 1', 'once', 'on 1']);
  for (const method of ['once', 'off'] as const)
    expect(() => analytics[method]('error' as never, never)).toThrow('lost');
});

test('flush() rejects with the reason of its signal when that is aborted, and waiting messages are still sent', async () => {
  const collector = await sink(503);
  const { analytics, clock } = client({ endpoint: collector.url });
  analytics.track(track());
  const controller = new AbortController();
  const retried = next(analytics, 'retry');
  const flushed = analytics.flush({ signal: controller.signal });
  await retried;
  const reason = new Error('the request was cancelled');
  controller.abort(reason);
  await expect(flushed).rejects.toBe(reason);
  await expect(analytics.flush({ signal: controller.signal })).rejects.toBe(reason);
  clock.advance(60_000);
  await expect(analytics.flush({ signal: new AbortController().signal })).resolves.toBeUndefined();
  expect(collector.messages).toHaveLength(1);
  await expect(analytics.flush({ signal: 7 as never })).rejects.toThrow('Expected `signal` to be an AbortSignal');
});

test('ready() rejects with the reason of its signal when that is aborted', async () => {
  const { analytics } = client({ endpoint: (await sink(503)).url, maxQueueBytes: 66_000 });
  const { signal } = new AbortController();
  await expect(analytics.ready({ signal })).resolves.toBeUndefined();
  while (analytics.pending.bytes < 34_000) analytics.track(track());
  const controller = new AbortController();
  const reason = new Error('the request was cancelled');
  const ready = analytics.ready({ signal: controller.signal });
  controller.abort(reason);
  await expect(ready).rejects.toBe(reason);
  await expect(analytics.ready({ signal: controller.signal })).rejects.toBe(reason);
  expect(() => analytics.ready({ signl: signal } as never)).toThrow('Did you mean `signal`?');
});

test('a child has the counts and the `enabled` of its client, also through a Proxy', async () => {
  const { analytics } = client({ endpoint: (await sink()).url });
  const child = new Proxy(analytics.child({ userId: 'u1' }), {});
  const through = new Proxy(analytics, {});
  expect(child.enabled).toBe(true);
  through.enabled = false;
  child.track({ event: 'e' } as never);
  expect([child.enabled, through.enabled, child.stats()]).toEqual([false, false, analytics.stats()]);
  expect(child.stats().filtered).toBe(1);
  child.enabled = true;
  expect([child.enabled, through.enabled]).toEqual([true, true]);
});
