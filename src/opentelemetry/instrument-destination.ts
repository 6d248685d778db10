import type { BatchObservableCallback } from '@opentelemetry/api';
import * as api from '@opentelemetry/api';
import type { AttemptReport } from '../destination/destination-events.js';
import type { EndpointReport } from '../destination/endpoints/endpoint-report.js';
import type { Counters } from '../destination/reports/reports.js';
import { recordAttempt } from './delivery-span.js';
import {
  type Instrumentation,
  type InstrumentOptions,
  type ResolvedInstrumentOptions,
  resolveOptions,
} from './instrument-options.js';
import { requestDuration } from './request-duration.js';

/** The part of a destination that is read. */
export interface InstrumentedDestination {
  counters(): Counters;
  endpoints(): EndpointReport[];
  on(event: 'attempt', listener: (report: AttemptReport) => unknown): () => void;
}

/**
 * Reports the metrics and spans of a destination to OpenTelemetry: the outcomes of events, how many wait, the duration
 * of requests, and a span for each attempt.
 *
 * @throws OptionError
 * @example
 * const destination = await Destination.open({ webhooks: [{ url: 'https://example.com/hook' }] });
 * instrumentDestination(destination, { attributes: { 'eventferry.destination': 'crm' } });
 */
export function instrumentDestination(
  destination: InstrumentedDestination,
  options: InstrumentOptions = {},
): Instrumentation {
  const resolved = resolveOptions(options, 'instrumentDestination(destination');
  const { tracer, attributes, requests } = resolved;
  const stopMetrics = observeCounters(destination, resolved);
  const recordRequest = requests ? requestDuration(resolved) : undefined;
  const stopListening = destination.on('attempt', (report) => {
    const { durationMs, status, code } = report.attempt;
    recordRequest?.({ url: report.endpoint, durationMs, status, code });
    recordAttempt(api, tracer, attributes, report);
  });
  const stop = (): void => {
    stopMetrics();
    stopListening();
  };
  return { stop, [Symbol.dispose]: stop };
}

function observeCounters(
  destination: InstrumentedDestination,
  { meter, attributes }: ResolvedInstrumentOptions,
): () => void {
  const events = meter.createObservableCounter('eventferry.destination.events', {
    description: 'Events that have ended, by outcome.',
    unit: '{event}',
  });
  const attempts = meter.createObservableCounter('eventferry.destination.attempts', {
    description: 'Requests to webhooks, by class of result.',
    unit: '{request}',
  });
  const waiting = meter.createObservableUpDownCounter('eventferry.destination.queue.events', {
    description: 'Deliveries that wait or are in flight.',
    unit: '{delivery}',
  });
  const observe: BatchObservableCallback = (result) => {
    const { delivered, dead, results } = destination.counters();
    for (const [outcome, value] of Object.entries({ delivered, dead })) {
      result.observe(events, value, { ...attributes, 'eventferry.outcome': outcome });
    }
    for (const [name, value] of Object.entries(results)) {
      result.observe(attempts, value, { ...attributes, 'eventferry.result': name });
    }
    const sum = destination.endpoints().reduce((all, endpoint) => all + endpoint.waiting, 0);
    result.observe(waiting, sum, attributes);
  };
  const observables = [events, attempts, waiting];
  meter.addBatchObservableCallback(observe, observables);
  return () => meter.removeBatchObservableCallback(observe, observables);
}
