/** Metrics and spans of a client, given to an OpenTelemetry SDK; this one prints them. */
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { Analytics } from 'eventferry';
import { addTraceparent, instrumentAnalytics } from 'eventferry/opentelemetry';

// As your program has it, with an exporter that sends.
const spans = new InMemorySpanExporter();
const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const meters = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter: metrics })] });
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }));

const analytics = new Analytics({
  writeKey: process.env['EVENTFERRY_WRITE_KEY'] ?? 'dev',
  endpoint: process.env['EVENTFERRY_ENDPOINT'] ?? 'http://127.0.0.1:4100',
  before: addTraceparent,
});
instrumentAnalytics(analytics, { meter: meters.getMeter('shop') });

trace.getTracer('shop').startActiveSpan('POST /orders', (request) => {
  analytics.track({ userId: 'u1', event: 'Order Completed' });
  request.end();
});
await analytics.close();
await meters.shutdown();

for (const span of spans.getFinishedSpans()) console.log(`span ${span.name}, ${span.links.length} links`);
for (const { scopeMetrics } of metrics.getMetrics()) {
  for (const { descriptor } of scopeMetrics.flatMap(({ metrics: all }) => all))
    console.log(`metric ${descriptor.name}`);
}
