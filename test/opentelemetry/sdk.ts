import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { onTestFinished } from 'vitest';

/** One value of a metric; for a histogram, the number of recordings. */
export interface Sample {
  readonly value: number;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A real SDK, set up as its users do, until the test ends. */
export function startSdk() {
  const spans = new InMemorySpanExporter();
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 2 ** 30 });
  const meters = new MeterProvider({ readers: [reader] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }));
  onTestFinished(async () => {
    trace.disable();
    context.disable();
    await meters.shutdown();
  });

  async function collected() {
    metrics.reset();
    await reader.forceFlush();
    return metrics.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics: all }) => all));
  }

  return {
    meter: meters.getMeter('test'),
    tracer: trace.getTracer('test'),
    spans: () => spans.getFinishedSpans(),
    collected,
    /** Returns the values of one metric. */
    async samples(name: string): Promise<Sample[]> {
      const found = (await collected()).find(({ descriptor }) => descriptor.name === name);
      return (found?.dataPoints ?? []).map(({ value, attributes }) => ({
        value: typeof value === 'number' ? value : value.count,
        attributes,
      }));
    },
  };
}
