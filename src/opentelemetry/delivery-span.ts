import type { Attributes, Link, SpanContext, Tracer } from '@opentelemetry/api';
import type { AttemptReport } from '../destination/destination-events.js';

type OpenTelemetryApi = typeof import('@opentelemetry/api');

/** The name of the span of one attempt to deliver. */
const NAME = 'deliver';

/**
 * Records a finished attempt as a span in a trace of its own, with a link to the trace in which the event arrived.
 *
 * @param api the OpenTelemetry API; passed in because the service loads it only if it is installed
 */
export function recordAttempt(
  api: OpenTelemetryApi,
  tracer: Tracer,
  attributes: Attributes,
  report: AttemptReport,
): void {
  const { id, type, endpoint, attempt, number, trace } = report;
  const came = trace === undefined ? undefined : readTraceparent(trace);
  const links: Link[] = came === undefined ? [] : [{ context: came }];
  const span = tracer.startSpan(NAME, {
    kind: api.SpanKind.CLIENT,
    root: true,
    startTime: new Date(attempt.at),
    links,
    attributes: {
      ...attributes,
      'http.request.method': 'POST',
      'server.address': originOf(endpoint),
      'eventferry.message_id': id,
      'eventferry.result': attempt.result,
      ...(type !== undefined && { 'eventferry.type': type }),
      ...(number !== undefined && { 'eventferry.attempt': number }),
      ...(attempt.status !== undefined && { 'http.response.status_code': attempt.status }),
      ...(attempt.code !== undefined && { 'error.type': attempt.code }),
    },
  });
  if (attempt.result !== 'success') span.setStatus({ code: api.SpanStatusCode.ERROR });
  span.end(new Date(attempt.at + attempt.durationMs));
}

/** Leaves out the path and the query, which may contain secrets. */
const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : 'unknown');

/** Reads a traceparent (https://www.w3.org/TR/trace-context/#traceparent-header) in the form that the service stores. */
function readTraceparent(text: string): SpanContext | undefined {
  const [, traceId, spanId] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(text) ?? [];
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId, traceFlags: 1, isRemote: true };
}
