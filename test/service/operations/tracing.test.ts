import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterEach, expect, test } from 'vitest';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { FakeClock } from '../../support/fake-clock.js';
import { configOf, destinationOf, sendBatch, serving, track } from '../support.js';

/** Starts a real SDK, as a user would set it up. */
function startSdk() {
  const exporter = new InMemorySpanExporter();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  return { spans: () => exporter.getFinishedSpans() };
}

afterEach(() => {
  trace.disable();
  context.disable();
  propagation.disable();
});

const config = async () => {
  const crm = await startEndpoint(200);
  return { crm, config: configOf({ destinations: [destinationOf(`${crm.url}/secret-path`)] }) };
};

test('a request is traced from its arrival to the delivery attempts of its messages', async () => {
  const { spans } = startSdk();
  const { url, service } = await serving((await config()).config);
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const body = JSON.stringify({ batch: [track('m1')], writeKey: 'dev' });
  await fetch(`${url}/v1/batch?writeKey=secret`, { method: 'POST', body, headers: { traceparent } });
  await service.destinations()[0]?.destination.idle();
  await expect.poll(() => spans().map(({ name }) => name)).toContain('POST /v1/batch');
  const [request, ingest, deliver] = ['POST /v1/batch', 'ingest', 'deliver'].map((name) =>
    spans().find((span) => span.name === name),
  );
  expect(request?.spanContext().traceId).toBe('a'.repeat(32));
  expect(request?.parentSpanContext?.spanId).toBe('b'.repeat(16));
  expect(request?.attributes).toMatchObject({ 'http.response.status_code': 200 });
  expect(ingest?.parentSpanContext?.spanId).toBe(request?.spanContext().spanId);
  expect(ingest?.attributes).toEqual({ 'eventferry.source': 'website', 'eventferry.messages': 1 });
  expect(deliver?.spanContext().traceId).not.toBe('a'.repeat(32));
  expect(deliver?.links[0]?.context).toMatchObject({ traceId: 'a'.repeat(32), spanId: ingest?.spanContext().spanId });
  expect(deliver?.attributes).toMatchObject({
    'eventferry.destination': 'crm',
    'eventferry.message_id': 'm1',
    'eventferry.attempt': 1,
    'http.response.status_code': 200,
  });
  const told = JSON.stringify(spans().map(({ name, attributes }) => ({ name, attributes })));
  expect(told).not.toMatch(/secret|dev|shhh/);
});

test('an attempt after a restart is linked to the trace of its request', async () => {
  const { spans } = startSdk();
  const storage = memoryStorage();
  const crm = await startEndpoint(503, 200);
  const clock = new FakeClock();
  const first = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { storage, clock });
  await sendBatch(first.url, track('m1'));
  await crm.has(1);
  await first.service.close();
  const second = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { storage, clock });
  await clock.pass(6_500);
  await second.service.destinations()[0]?.destination.idle();
  const attempts = spans().filter(({ name }) => name === 'deliver');
  expect(attempts.map(({ attributes }) => attributes['eventferry.attempt'])).toEqual([1, 2]);
  expect(attempts[1]?.links[0]?.context.traceId).toBe(attempts[0]?.links[0]?.context.traceId);
});

test('without an SDK no trace is stored with messages', async () => {
  const storage = memoryStorage();
  const crm = await startEndpoint(503);
  const { url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { storage });
  await sendBatch(url, track('m1'));
  expect(await (await storage.deliveries('crm')).event('m1')).not.toHaveProperty('trace');
});

test('a failure to store is recorded as an error in the trace', async () => {
  const { spans } = startSdk();
  const storage = memoryStorage();
  storage.takeIn = async () => Promise.reject(new Error('no space left on device'));
  const { url } = await serving((await config()).config, { storage });
  expect((await sendBatch(url, track('m1'))).status).toBe(503);
  await expect
    .poll(() => spans().map(({ name, status }) => [name, status.code]))
    .toEqual([
      ['ingest', 2],
      ['POST /v1/batch', 2],
    ]);
});
