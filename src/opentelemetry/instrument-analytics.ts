import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { BatchObservableCallback } from '@opentelemetry/api';
import type { Stats } from '../client/queue/stats.js';
import type { DiagnosticsMessages } from '../client/report/channels.js';
import { FlushSpans } from './flush-spans.js';
import {
  type Instrumentation,
  type InstrumentOptions,
  type ResolvedInstrumentOptions,
  resolveOptions,
} from './instrument-options.js';
import { requestDuration } from './request-duration.js';

/** The part of a client that is read. */
export interface InstrumentedClient {
  stats(): Stats;
  readonly pending: { readonly messages: number; readonly bytes: number };
}

/**
 * Reports the metrics and spans of a client to OpenTelemetry: the outcomes of messages, how many wait, the duration of
 * requests, and a span for each batch with links to the spans in which its messages were tracked.
 *
 * It reads the client's counters when metrics are collected, and Node's diagnostics channels.
 *
 * @throws OptionError
 * @example
 * const analytics = new Analytics({ writeKey, endpoint });
 * instrumentAnalytics(analytics);
 */
export function instrumentAnalytics(analytics: InstrumentedClient, options: InstrumentOptions = {}): Instrumentation {
  const resolved = resolveOptions(options, 'instrumentAnalytics(analytics');
  const stopMetrics = observeCounters(analytics, resolved);
  const spans = new FlushSpans(resolved);
  const stops = [
    listen(analytics, 'eventferry:message:accepted', (told) => spans.accepted(told)),
    listen(analytics, 'eventferry:batch:flushed', (told) => spans.flushed(told)),
    listen(analytics, 'eventferry:request:started', (told) => spans.requested(told)),
    listen(analytics, 'eventferry:batch:retried', (told) => spans.retried(told)),
    listen(analytics, 'eventferry:batch:ended', (told) => spans.ended(told)),
    ...(resolved.requests ? [measureRequests(analytics, resolved)] : []),
  ];
  const stop = (): void => {
    stopMetrics();
    for (const end of stops) end();
    spans.stop();
  };
  return { stop, [Symbol.dispose]: stop };
}

function observeCounters(analytics: InstrumentedClient, { meter, attributes }: ResolvedInstrumentOptions): () => void {
  const messages = meter.createObservableCounter('eventferry.messages', {
    description: 'Messages that have ended, by outcome.',
    unit: '{message}',
  });
  const retries = meter.createObservableCounter('eventferry.retries', {
    description: 'Requests that repeated an attempt.',
    unit: '{request}',
  });
  const queued = meter.createObservableUpDownCounter('eventferry.queue.messages', {
    description: 'Messages that wait or are in flight.',
    unit: '{message}',
  });
  const size = meter.createObservableUpDownCounter('eventferry.queue.size', {
    description: 'Bytes of the messages that wait or are in flight.',
    unit: 'By',
  });
  const observe: BatchObservableCallback = (result) => {
    const stats = analytics.stats();
    const count = (value: number, outcome: string, more = {}): void =>
      result.observe(messages, value, { ...attributes, 'eventferry.outcome': outcome, ...more });
    count(stats.delivered, 'delivered');
    count(stats.filtered, 'filtered');
    for (const [code, lost] of Object.entries(stats.lostByCode)) count(lost, 'lost', { 'error.type': code });
    result.observe(retries, stats.retries, attributes);
    result.observe(queued, analytics.pending.messages, attributes);
    result.observe(size, analytics.pending.bytes, attributes);
  };
  const observables = [messages, retries, queued, size];
  meter.addBatchObservableCallback(observe, observables);
  return () => meter.removeBatchObservableCallback(observe, observables);
}

function measureRequests(analytics: InstrumentedClient, options: ResolvedInstrumentOptions): () => void {
  const recordRequest = requestDuration(options);
  return listen(analytics, 'eventferry:request:started', ({ url, answer }) => {
    const startedAt = performance.now();
    const record = (end: { status?: number; code?: string | undefined }): void =>
      recordRequest({ url, durationMs: performance.now() - startedAt, ...end });
    answer.then(
      ({ status }) => record({ status }),
      (error: { causeCode?: string; code?: string }) => record({ code: error.causeCode ?? error.code }),
    );
  });
}

/** Listens to one client's messages on a diagnostics channel. */
function listen<Name extends keyof DiagnosticsMessages>(
  client: object,
  name: Name,
  act: (told: DiagnosticsMessages[Name]) => void,
): () => void {
  const heed = (published: unknown): void => {
    const told = published as DiagnosticsMessages[Name];
    if (told.client === client) act(told);
  };
  subscribe(name, heed);
  return () => void unsubscribe(name, heed);
}
