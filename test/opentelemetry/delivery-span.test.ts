import * as api from '@opentelemetry/api';
import { expect, test } from 'vitest';
import type { AttemptReport } from '../../src/destination/destination-events.js';
import { recordAttempt } from '../../src/opentelemetry/delivery-span.js';
import { startSdk } from './sdk.js';

const at = Date.parse('2026-11-20T12:00:00.000Z');
const report: AttemptReport = {
  id: 'm1',
  type: 'track',
  endpoint: 'https://hooks.example.com/secret-path?token=secret',
  attempt: { at, durationMs: 120, result: 'success', status: 200 },
  number: 1,
  nextAttemptAt: undefined,
};

function spanOf(given: Partial<AttemptReport>) {
  const { tracer, spans } = startSdk();
  recordAttempt(api, tracer, { 'eventferry.destination': 'crm' }, { ...report, ...given });
  return spans()[0];
}

test('an attempt is a span of its duration, without the parts of the URL that may be secret', () => {
  const span = spanOf({});
  expect(span).toMatchObject({ name: 'deliver', kind: api.SpanKind.CLIENT, duration: [0, 120_000_000], links: [] });
  expect(span?.status.code).toBe(api.SpanStatusCode.UNSET);
  expect(span?.attributes).toEqual({
    'http.request.method': 'POST',
    'http.response.status_code': 200,
    'server.address': 'https://hooks.example.com',
    'eventferry.destination': 'crm',
    'eventferry.message_id': 'm1',
    'eventferry.type': 'track',
    'eventferry.attempt': 1,
    'eventferry.result': 'success',
  });
});

test('an attempt that failed is a span with an error and its code', () => {
  const attempt = { at, durationMs: 5, result: 'network', code: 'ECONNREFUSED' } as const;
  const span = spanOf({ attempt, type: undefined, number: undefined });
  expect(span?.status.code).toBe(api.SpanStatusCode.ERROR);
  expect(span?.attributes).toMatchObject({ 'error.type': 'ECONNREFUSED' });
  expect(span?.attributes).not.toHaveProperty('eventferry.attempt');
});

test('an attempt is linked to the trace in which its event arrived', () => {
  const [traceId, spanId] = ['a'.repeat(32), 'b'.repeat(16)];
  expect(spanOf({ trace: `00-${traceId}-${spanId}-01` })?.links).toMatchObject([{ context: { traceId, spanId } }]);
});

test.each(['no trace', `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`])(
  'an attempt is linked to no trace if its event arrived with something other than a sampled one: %s',
  (trace) => {
    expect(spanOf({ trace })?.links).toEqual([]);
  },
);

test('an endpoint that is not a URL is recorded as unknown', () => {
  expect(spanOf({ endpoint: 'somewhere' })?.attributes).toMatchObject({ 'server.address': 'unknown' });
});
