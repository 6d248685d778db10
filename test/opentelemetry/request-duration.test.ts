import { expect, test } from 'vitest';
import { instrumentAnalytics } from '../../src/opentelemetry/instrument-analytics.js';
import { resolveOptions } from '../../src/opentelemetry/instrument-options.js';
import { requestDuration } from '../../src/opentelemetry/request-duration.js';
import { type CaptureOptions, captureAnalytics } from '../../src/testing/index.js';
import { startSdk } from './sdk.js';

const order = { userId: 'u1', event: 'Order Completed' };

function instrumented(options: CaptureOptions = {}, more = {}) {
  const sdk = startSdk();
  const captured = captureAnalytics(options);
  instrumentAnalytics(captured.analytics, { meter: sdk.meter, tracer: sdk.tracer, ...more });
  return { ...sdk, ...captured };
}

test('requests are measured according to the semantic conventions, with their statuses and failures', async () => {
  const { advance, analytics, close, failNext, offline, online, collected, samples } = instrumented();
  failNext(503);
  analytics.track(order);
  void analytics.flush();
  await advance(0);
  offline();
  await advance(250);
  online();
  await close();
  const common = {
    'http.request.method': 'POST',
    'server.address': 'collector.test',
    'server.port': 80,
    'url.scheme': 'http',
  };
  expect(await samples('http.client.request.duration')).toEqual([
    { value: 1, attributes: { ...common, 'http.response.status_code': 503, 'error.type': '503' } },
    { value: 1, attributes: { ...common, 'error.type': 'ECONNREFUSED' } },
    { value: 1, attributes: { ...common, 'http.response.status_code': 200 } },
  ]);
  expect(await samples('eventferry.retries')).toEqual([{ value: 2, attributes: {} }]);
  const duration = (await collected()).find(({ descriptor }) => descriptor.name === 'http.client.request.duration');
  expect(duration?.descriptor.unit).toBe('s');
});

test('requests are left to another instrumentation with `requests: false`', async () => {
  const { analytics, close, samples } = instrumented({}, { requests: false });
  analytics.track(order);
  await close();
  expect(await samples('http.client.request.duration')).toEqual([]);
});

test.each([
  ['https://events.example.com', { 'server.address': 'events.example.com', 'server.port': 443, 'url.scheme': 'https' }],
  ['http://[::1]:4100/path', { 'server.address': '[::1]', 'server.port': 4_100, 'url.scheme': 'http' }],
])('the address of %s is measured without its path', async (endpoint, address) => {
  const { analytics, close, samples } = instrumented({ endpoint });
  analytics.track(order);
  await close();
  const method = { 'http.request.method': 'POST', 'http.response.status_code': 200 };
  expect(await samples('http.client.request.duration')).toEqual([{ value: 1, attributes: { ...address, ...method } }]);
});

test('a request is measured in seconds, in the buckets of the conventions, and without an address for a unix socket', async () => {
  const { collected, meter, tracer } = startSdk();
  const record = requestDuration(resolveOptions({ meter, tracer }, 'test('));
  record({ url: 'unix:/run/collector.sock', durationMs: 2_500, status: 200 });
  const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
  const [
    {
      dataPoints: [point],
    } = { dataPoints: [] },
  ] = await collected();
  expect(point?.value).toMatchObject({ sum: 2.5, buckets: { boundaries } });
  expect(point?.attributes).toEqual({ 'http.request.method': 'POST', 'http.response.status_code': 200 });
});
