import { context, INVALID_SPAN_CONTEXT, propagation, SpanStatusCode, trace } from '@opentelemetry/api';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import { expect, onTestFinished, test } from 'vitest';
import { instrumentAnalytics } from '../../src/opentelemetry/instrument-analytics.js';
import { type CaptureOptions, captureAnalytics } from '../../src/testing/index.js';
import { client, next, track } from '../support/client.js';
import { settled } from '../support/fake-clock.js';
import { sink } from '../support/sink.js';
import { startSdk } from './sdk.js';

const order = { userId: 'u1', event: 'Order Completed' };

function traced(options: CaptureOptions = {}) {
  const sdk = startSdk();
  const captured = captureAnalytics(options);
  const instrumentation = instrumentAnalytics(captured.analytics, { meter: sdk.meter, tracer: sdk.tracer });
  /** Tracks inside a span, like a request of an app. Returns the id of the span. */
  const trackInSpan = (name: string, times = 1): string =>
    sdk.tracer.startActiveSpan(name, (span) => {
      for (let i = 0; i < times; i++) captured.analytics.track(order);
      span.end();
      return span.spanContext().spanId;
    });
  const flushes = () => sdk.spans().filter(({ name }) => name === 'flush');
  return { ...sdk, ...captured, instrumentation, trackInSpan, flushes };
}

test('a batch is one span in its own trace, with a link to each span that tracked its messages', async () => {
  const { analytics, close, flushes, spans, tracer, trackInSpan } = traced();
  const ids = [trackInSpan('checkout', 2), trackInSpan('sign up')];
  analytics.track(order);
  await tracer.startActiveSpan('shut down', () => close());
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
    'server.address': 'collector.test',
    'server.port': 80,
  });
  expect(flush?.attributes).not.toHaveProperty('error.type');
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

test('a batch that is sent in parts is one span until the last part has ended', async () => {
  const { analytics, close, failNext, flushes, reject } = traced();
  failNext(413);
  const receipts = Array.from({ length: 6 }, () => analytics.track(order));
  for (const at of [0, 5]) reject(receipts[at]?.messageId ?? '');
  await close();
  expect(flushes().map(({ attributes }) => attributes)).toMatchObject([
    { 'eventferry.delivered': 4, 'eventferry.lost': 2 },
  ]);
});

test('a span without an identity gets no link', async () => {
  const { analytics, close, flushes } = traced();
  const nowhere = trace.setSpan(context.active(), trace.wrapSpanContext(INVALID_SPAN_CONTEXT));
  context.with(nowhere, () => analytics.track(order));
  await close();
  expect(flushes()[0]?.links).toEqual([]);
});

test('a batch with a lost message is a span with an error', async () => {
  const { analytics, close, flushes, reject } = traced();
  analytics.track(order);
  reject(analytics.track(order).messageId);
  await close();
  expect(flushes()).toMatchObject([
    {
      status: { code: SpanStatusCode.ERROR },
      attributes: {
        'eventferry.delivered': 1,
        'eventferry.lost': 1,
        'error.type': 'EVENTFERRY_REJECTED',
      },
    },
  ]);
});

test('a span has at most 128 links, however many spans tracked its messages', async () => {
  const { close, flushes, trackInSpan } = traced({ flushAt: 1_000 });
  for (let i = 0; i < 200; i++) trackInSpan('checkout');
  await close();
  expect(flushes()[0]?.links).toHaveLength(128);
  expect(flushes()[0]?.droppedLinksCount).toBe(0);
});

test('if more than a thousand batches wait, the links of the newest are kept', async () => {
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

test('a batch that is being sent when the instrumentation stops has its span ended', async () => {
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

/** The client's requests to a collector that fails once, for a message tracked inside a span and with baggage. */
async function propagated(more: { requests?: boolean }) {
  const propagators = [new W3CTraceContextPropagator(), new W3CBaggagePropagator()];
  propagation.setGlobalPropagator(new CompositePropagator({ propagators }));
  onTestFinished(() => propagation.disable());
  const { meter, tracer, spans } = startSdk();
  const collector = await sink(503);
  const { analytics, clock } = client({ endpoint: collector.url });
  instrumentAnalytics(analytics, { meter, tracer, ...more });
  const retry = next(analytics, 'retry');
  const baggage = propagation.createBaggage({ account: { value: 'secret' } });
  const { delivered } = context.with(propagation.setBaggage(context.active(), baggage), () =>
    tracer.startActiveSpan('checkout', () => {
      const receipt = analytics.track(track());
      void analytics.flush();
      return receipt;
    }),
  );
  clock.advance((await retry).delayMs);
  await delivered;
  await settled();
  const flush = spans()
    .find(({ name }) => name === 'flush')
    ?.spanContext();
  return { flush, headers: collector.requests.map(({ headers }) => headers) };
}

test('each request of a batch carries the context of its span, and no baggage', async () => {
  const { flush, headers } = await propagated({});
  const traceparent = `00-${flush?.traceId}-${flush?.spanId}-01`;
  expect(headers.map((each) => each.get('traceparent'))).toEqual([traceparent, traceparent]);
  expect(headers.map((each) => each.get('baggage'))).toEqual([null, null]);
  expect(headers[1]?.get('x-retry-count')).toBe('1');
});

test('requests carry no context if another instrumentation writes it', async () => {
  const { flush, headers } = await propagated({ requests: false });
  expect(flush).toBeDefined();
  expect(headers.map((each) => each.get('traceparent'))).toEqual([null, null]);
});
