import { context, INVALID_SPAN_CONTEXT, TraceFlags, trace } from '@opentelemetry/api';
import { expect, test } from 'vitest';
import { addTraceparent } from '../../src/opentelemetry/traceparent.js';
import { captureAnalytics } from '../../src/testing/index.js';
import { startSdk } from './sdk.js';

const order = { userId: 'u1', event: 'Order Completed' };

test('a message that is tracked inside a span gets its traceparent', async () => {
  const { tracer } = startSdk();
  await using captured = captureAnalytics({ before: addTraceparent, context: { app: { name: 'shop' } } });
  const { traceId, spanId } = tracer.startActiveSpan('checkout', (span) => {
    captured.analytics.track(order);
    return span.spanContext();
  });
  expect(captured.events).toMatchObject([
    { context: { app: { name: 'shop' }, traceparent: `00-${traceId}-${spanId}-01` } },
  ]);
});

test('an existing traceparent stays, and outside of a span a message gets none', async () => {
  const { tracer } = startSdk();
  await using captured = captureAnalytics({ before: addTraceparent });
  tracer.startActiveSpan('checkout', () => captured.analytics.track({ ...order, context: { traceparent: 'given' } }));
  captured.analytics.track(order);
  expect(captured.events).toMatchObject([{ context: { traceparent: 'given' } }, { event: 'Order Completed' }]);
  expect(captured.events[1]).not.toHaveProperty('context');
});

test('a span that is not sampled is written as such, and one without an identity is left out', async () => {
  startSdk();
  await using captured = captureAnalytics({ before: addTraceparent });
  const [traceId, spanId] = ['a'.repeat(32), 'b'.repeat(16)];
  for (const span of [{ traceId, spanId, traceFlags: TraceFlags.NONE }, INVALID_SPAN_CONTEXT]) {
    context.with(trace.setSpan(context.active(), trace.wrapSpanContext(span)), () => captured.analytics.track(order));
  }
  expect(captured.events[0]).toMatchObject({ context: { traceparent: `00-${traceId}-${spanId}-00` } });
  expect(captured.events[1]).not.toHaveProperty('context');
});
