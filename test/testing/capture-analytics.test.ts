import { channel } from 'node:diagnostics_channel';
import { describe, expect, expectTypeOf, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { defineEvents } from '../../src/events/index.js';
import { type Analytics, ViolationError } from '../../src/index.js';
import { captureAnalytics } from '../../src/testing/capture-analytics.js';

const order = { userId: 'u1', event: 'Order Completed', properties: { total: 42 } };

test('a message is captured as soon as its call returns, in the form that is sent', async () => {
  await using captured = captureAnalytics();
  const properties = { total: 42, at: new Date(0), nothing: undefined };
  captured.analytics.track({ ...order, properties });
  properties.total = 43;
  expect(captured.events).toStrictEqual([
    {
      type: 'track',
      messageId: '00000000-0000-4000-8000-000000000001',
      timestamp: '2026-01-01T00:00:00.000Z',
      userId: 'u1',
      event: 'Order Completed',
      properties: { total: 42, at: '1970-01-01T00:00:00.000Z' },
    },
  ]);
  expect(captured.delivered).toEqual([]);
});

test('the fields that `before`, `child` and `run` fill in are in the captured message', async () => {
  await using captured = captureAnalytics({
    before: (message) => ({ ...message, context: { app: { name: 'shop' } } }),
  });
  const { analytics, events } = captured;
  analytics.child({ userId: 'u2' }).track({ event: 'Viewed' });
  analytics.run({ userId: 'u3' }, () => analytics.current.track({ event: 'Viewed' }));
  expect(events).toMatchObject(['u2', 'u3'].map((userId) => ({ userId, context: { app: { name: 'shop' } } })));
});

test('messages that `before` drops, of a disabled client, or refused at the call are not captured', async () => {
  await using dropping = captureAnalytics({ before: () => null });
  await using disabled = captureAnalytics({ enabled: false });
  for (const { analytics, events } of [dropping, disabled]) {
    expect(analytics.track(order).filtered).toBe(true);
    expect(() => analytics.track({ userId: 'u1', event: '' })).toThrow('track.event');
    expect(events).toEqual([]);
  }
});

test('`flush` delivers to the collector in memory, and receipts resolve', async () => {
  await using captured = captureAnalytics();
  const { analytics, delivered, events, requests } = captured;
  const receipt = analytics.track(order);
  await analytics.flush();
  await receipt.delivered;
  expect(delivered).toStrictEqual([...events]);
  expect(requests).toMatchObject([{ status: 200, messages: [{ messageId: receipt.messageId }] }]);
});

test('`flushAfter` elapses only by `advance`', async () => {
  await using captured = captureAnalytics({ flushAfter: 5_000 });
  captured.analytics.track(order);
  await captured.advance(4_999);
  expect(captured.requests).toHaveLength(0);
  await captured.advance(1);
  expect(captured.delivered).toHaveLength(1);
});

test('timestamps start at the time that was passed in', async () => {
  await using captured = captureAnalytics({ now: '2026-11-20T12:00:00Z' });
  captured.analytics.track(order);
  await captured.advance(1_500);
  captured.analytics.track(order);
  await captured.analytics.flush();
  expect(captured.events.map(({ timestamp }) => timestamp)).toEqual([
    '2026-11-20T12:00:00.000Z',
    '2026-11-20T12:00:01.500Z',
  ]);
  expect(captured.requests).toMatchObject([{ sentAt: '2026-11-20T12:00:01.500Z' }]);
});

test('the requests of an import have no sentAt', async () => {
  await using captured = captureAnalytics();
  await captured.analytics.import([{ type: 'track', ...order, timestamp: '2019-05-01T09:30:00Z' }]);
  expect(captured.requests).toMatchObject([{ sentAt: undefined, status: 200 }]);
});

test('a client that retries for four hours needs no real time, and has the same pauses on every run', async () => {
  const runs = await Promise.all(
    [1, 2].map(async () => {
      await using captured = captureAnalytics();
      const retries: number[] = [];
      captured.analytics.on('retry', ({ delayMs }) => retries.push(delayMs));
      captured.offline();
      captured.analytics.track(order);
      void captured.analytics.flush();
      await captured.advance(4 * 3_600_000);
      expect(captured.lost).toMatchObject([{ error: { code: 'EVENTFERRY_RETRIES_EXHAUSTED' } }]);
      return retries;
    }),
  );
  expect(runs[0]?.slice(0, 3)).toEqual([250, 500, 1_000]);
  expect(runs[0]?.length).toBeGreaterThan(900);
  expect(runs[0]).toEqual(runs[1]);
});

test('a client that is online again delivers after its current pause', async () => {
  await using captured = captureAnalytics();
  captured.offline();
  captured.analytics.track(order);
  void captured.analytics.flush();
  await captured.advance(0);
  captured.online();
  expect(captured.delivered).toHaveLength(0);
  await captured.advance(250);
  expect(captured.delivered).toHaveLength(1);
  expect(captured.requests.map(({ status }) => status)).toEqual([undefined, 200]);
});

test('`clear` empties the lists, ends the failures, and keeps the queue', async () => {
  await using captured = captureAnalytics();
  captured.offline();
  captured.failNext(500);
  captured.analytics.track(order);
  captured.clear();
  expect(captured.events).toHaveLength(0);
  await captured.analytics.flush();
  expect(captured.delivered).toHaveLength(1);
  expect(captured.requests).toMatchObject([{ status: 200 }]);
});

describe('closing', () => {
  test('closing delivers the waiting messages', async () => {
    const { analytics, close, delivered } = captureAnalytics();
    analytics.track(order);
    expect(await close()).toMatchObject({ accepted: 1, delivered: 1 });
    expect(delivered).toHaveLength(1);
    expect(() => analytics.track(order)).toThrow('closed');
  });

  test('closing loses the messages that an offline collector did not accept, and takes no real time', async () => {
    const { analytics, close, lost, offline } = captureAnalytics();
    offline();
    analytics.track(order);
    expect(await close()).toMatchObject({ lost: 1 });
    expect(lost).toMatchObject([{ error: { code: 'EVENTFERRY_ABORTED' } }]);
  });

  test('closing happens at the end of a block with `using`', async () => {
    let closed: unknown;
    {
      using captured = captureAnalytics();
      captured.analytics.track(order);
      closed = captured.analytics;
    }
    expect(() => (closed as ReturnType<typeof captureAnalytics>['analytics']).track(order)).toThrow('closed');
  });
});

test('losses and retries of a captured client cause no process warnings', async () => {
  const warn = vi.spyOn(process, 'emitWarning');
  onTestFinished(() => warn.mockRestore());
  await using captured = captureAnalytics();
  captured.failNext(503);
  captured.failNext(401);
  captured.analytics.track(order);
  void captured.analytics.flush();
  await captured.advance(250);
  expect(captured.lost).toHaveLength(1);
  expect(warn).not.toHaveBeenCalled();
});

test('a captured client also publishes on the diagnostics channels', async () => {
  const published: unknown[] = [];
  const note = (message: unknown): void => void published.push(message);
  channel('eventferry:message:accepted').subscribe(note);
  onTestFinished(() => void channel('eventferry:message:accepted').unsubscribe(note));
  await using captured = captureAnalytics();
  captured.analytics.track(order);
  expect(published).toMatchObject([{ client: captured.analytics, message: { event: 'Order Completed' } }]);
});

test('a captured client works although a test runner has replaced the timers', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  await using captured = captureAnalytics();
  captured.failNext(503);
  captured.analytics.track(order);
  void captured.analytics.flush();
  await captured.advance(250);
  expect(captured.delivered).toHaveLength(1);
  await expect(captured.waitFor('Other', { timeout: 1 })).rejects.toThrow('Nothing came within 1 ms');
});

test('a captured client checks events against a catalogue and has its types', async () => {
  const catalogue = defineEvents({ 'Order Completed': z.object({ total: z.number() }) });
  await using captured = captureAnalytics({ events: catalogue, onViolation: 'throw' });
  expectTypeOf(captured.analytics).toEqualTypeOf<Analytics<typeof catalogue>>();
  // @ts-expect-error a total is a number
  const call = () => captured.analytics.track({ ...order, event: 'Order Completed', properties: { total: '42' } });
  expect(call).toThrow(ViolationError);
  expect(captured.events).toHaveLength(0);
});
