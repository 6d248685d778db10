import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, Span, Tracer } from '@opentelemetry/api';
import type { Handler } from '../../collector/collector-server.js';
import type { AttemptReport } from '../../destination/destination-events.js';
import type { Recorder } from '../../destination/reports/recorder.js';
import { recordAttempt } from '../../opentelemetry/delivery-span.js';
import { VERSION } from '../../version.js';

type OpenTelemetryApi = typeof import('@opentelemetry/api');

const NAME = 'eventferry';

/** The paths of the collector. Other paths are not named in a trace. */
const PATH = /^\/v1\/[a-z]{1,10}$/;

/**
 * Creates traces for the SDK that the process has registered before this call. Returns undefined if there is none, so that no
 * work is done for traces that nobody receives.
 */
export async function loadTracing(): Promise<Tracing | undefined> {
  // The package is a peer beside this one, so this is the copy that the SDK has registered with.
  const api = await import('@opentelemetry/api').catch(() => undefined);
  if (api === undefined) return undefined;
  const tracer = api.trace.getTracer(NAME, VERSION);
  // Without an SDK a span has no valid context. This span never ends, so it is not exported.
  const probe = tracer.startSpan('probe', { root: true });
  return api.isSpanContextValid(probe.spanContext()) ? new Tracing(api, tracer) : undefined;
}

/** Traces a request: its arrival, the storing of its messages, and each attempt to deliver them. */
export class Tracing implements Recorder {
  readonly #api: OpenTelemetryApi;
  readonly #tracer: Tracer;

  constructor(api: OpenTelemetryApi, tracer: Tracer) {
    this.#api = api;
    this.#tracer = tracer;
  }

  /** Wraps a handler so that each request has a span below the active one, or below the one that the client names. */
  wrap(handler: Handler): Handler {
    const { context, SpanKind, trace } = this.#api;
    return (incoming, outgoing) => {
      const [path = ''] = (incoming.url ?? '').split('?', 1);
      const name = PATH.test(path) ? `${incoming.method} ${path}` : (incoming.method ?? 'HTTP');
      const parent = this.#parentOf(incoming);
      const attributes = { 'http.request.method': incoming.method };
      const span = this.#tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
      outgoing.once('close', () => this.#endRequest(span, outgoing));
      context.with(trace.setSpan(parent, span), () => handler(incoming, outgoing));
    };
  }

  /** Stores messages within a span. */
  ingest<T>(source: string, messages: number, store: () => Promise<T>): Promise<T> {
    const { SpanStatusCode } = this.#api;
    const attributes = { 'eventferry.source': source, 'eventferry.messages': messages };
    return this.#tracer.startActiveSpan('ingest', { attributes }, async (span) => {
      try {
        return await store();
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'unknown' });
        throw error;
      } finally {
        span.end();
      }
    });
  }

  /** Returns the active span as a W3C `traceparent`, to be stored with messages; undefined if the span is not sampled. */
  current(): string | undefined {
    const { trace, TraceFlags } = this.#api;
    const span = trace.getActiveSpan()?.spanContext();
    if (span === undefined || (span.traceFlags & TraceFlags.SAMPLED) === 0) return undefined;
    return `00-${span.traceId}-${span.spanId}-01`;
  }

  /** Creates a trace for each attempt, with a link to the trace in which the message arrived. */
  attempt(report: AttemptReport, destination: string): void {
    recordAttempt(this.#api, this.#tracer, { 'eventferry.destination': destination }, report);
  }

  #parentOf({ headers }: IncomingMessage): Context {
    const { context, propagation, trace } = this.#api;
    const active = context.active();
    return trace.getSpan(active) === undefined ? propagation.extract(active, headers) : active;
  }

  #endRequest(span: Span, { statusCode, writableFinished }: ServerResponse): void {
    if (writableFinished) span.setAttribute('http.response.status_code', statusCode);
    if (!writableFinished || statusCode >= 500) span.setStatus({ code: this.#api.SpanStatusCode.ERROR });
    span.end();
  }
}
