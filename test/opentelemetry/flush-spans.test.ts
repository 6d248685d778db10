import { SpanStatusCode } from '@opentelemetry/api';
import { expect, test } from 'vitest';
import { instrumentAnalytics } from '../../src/opentelemetry/instrument-analytics.js';
import { type CaptureOptions, captureAnalytics } from '../../src/testing/index.js';
import { startSdk } from './sdk.js';

const order = { userId: 'u1', event: 'Order Completed' };

function traced(options: CaptureOptions = {}) {
  const sdk = startSdk();
  const captured = captureAnalytics(options);
  const instrumentation = instrumentAnalytics(captured.analytics, { meter: sdk.meter, tracer: sdk.tracer });
  /** Tracks in a span, as a request of an app would. Returns the id of the span. */
  const trackInSpan = (name: string, times = 1): string =>
    sdk.tracer.startActiveSpan(name, (span) => {
      for (let i = 0; i < times; i++) captured.analytics.track(order);
      span.end();
      return span.spanContext().spanId;
    });
  const flushes = () => sdk.spans().filter(({ name }) => name === 'flush');
  return { ...sdk, ...captured, instrumentation, trackInSpan, flushes };
}

test('a batch is one span with a link to each span that tracked its messages, in a trace of its own', async () => {
  const { analytics, close, flushes, spans, trackInSpan } = traced();
  const ids = [trackInSpan('checkout', 2), trackInSpan('sign up')];
  analytics.track(order);
  await close();
  const [flush, ...others] = flushes();
  expect(others).toEqual([]);
  expect(flush?.links.map(({ context }) => context.spanId)).toEqual(ids);
  expect(flush?.parentSpanContext).toBeUndefined();
  expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(3);
  expect(flush?.attributes).toMatchObject({
    'messaging.system': 'eventferry',
    'messaging.batch.message_count': 4,
    'eventferry.delivered': 4,
    'eventferry.lost': 0,
  });
  expect(flush?.status.code).toBe(SpanStatusCode.UNSET);
});

test('a batch that is repeated is one span, with an event for each repetition', async () => {
  const { analytics, advance, close, failNext, flushes, trackInSpan } = traced();
  failNext(503, { times: 2 });
  trackInSpan('checkout');
  void analytics.flush();
  await advance(60_000);
  await close();
  expect(flushes()).toHaveLength(1);
  expect(flushes()[0]?.events).toMatchObject([
    {
      name: 'retry',
      attributes: { 'eventferry.attempt': 1, 'eventferry.delay_ms': 250, 'error.type': 'EVENTFERRY_ANSWER' },
    },
    { name: 'retry', attributes: { 'eventferry.attempt': 2, 'eventferry.delay_ms': 500 } },
  ]);
});

test('a batch with a lost message is a span with an error', async () => {
  const { analytics, close, flushes, reject } = traced();
  analytics.track(order);
  reject(analytics.track(order).messageId);
  await close();
  expect(flushes()).toMatchObject([
    { status: { code: SpanStatusCode.ERROR }, attributes: { 'eventferry.delivered': 1, 'eventferry.lost': 1 } },
  ]);
});

test('a span has at most 128 links, however many spans tracked', async () => {
  const { close, flushes, trackInSpan } = traced({ flushAt: 1_000 });
  for (let i = 0; i < 200; i++) trackInSpan('checkout');
  await close();
  expect(flushes()[0]?.links).toHaveLength(128);
  expect(flushes()[0]?.droppedLinksCount).toBe(0);
});

test('of more than a thousand batches that wait, the links of the newest are kept', async () => {
  const { advance, close, flushes, offline, online, trackInSpan } = traced({ maxBatchMessages: 1, flushAt: 1 });
  offline();
  trackInSpan('first');
  await advance(0);
  for (let i = 0; i < 1_001; i++) trackInSpan('later');
  online();
  await advance(60_000);
  await close();
  const linked = flushes().map(({ links }) => links.length);
  expect(linked).toEqual([1, 0, ...Array(1_000).fill(1)]);
});

test('a batch on its way when the instrumentation stops has a span that ended', async () => {
  const { advance, analytics, close, flushes, instrumentation, offline } = traced();
  offline();
  analytics.track(order);
  void analytics.flush();
  await advance(0);
  expect(flushes()).toEqual([]);
  instrumentation.stop();
  expect(flushes()).toHaveLength(1);
  await close();
  expect(flushes()).toHaveLength(1);
});
