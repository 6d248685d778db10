import { expect, test } from 'vitest';
import { instrumentAnalytics } from '../../src/opentelemetry/instrument-analytics.js';
import { type CaptureOptions, captureAnalytics } from '../../src/testing/index.js';
import { startSdk } from './sdk.js';

const order = { userId: 'u1', event: 'Order Completed' };

function instrumented(options: CaptureOptions = {}, more = {}) {
  const sdk = startSdk();
  const captured = captureAnalytics(options);
  const instrumentation = instrumentAnalytics(captured.analytics, { meter: sdk.meter, tracer: sdk.tracer, ...more });
  return { ...sdk, ...captured, instrumentation };
}

test('messages are counted by outcome, and the lost ones by code', async () => {
  const { analytics, close, reject, samples } = instrumented({
    before: (message) => (message.type === 'page' ? null : message),
  });
  for (let i = 0; i < 3; i++) analytics.track(order);
  reject(analytics.track(order).messageId);
  analytics.page({ userId: 'u1' });
  await close();
  expect(await samples('eventferry.messages')).toEqual([
    { value: 3, attributes: { 'eventferry.outcome': 'delivered' } },
    { value: 1, attributes: { 'eventferry.outcome': 'filtered' } },
    { value: 1, attributes: { 'eventferry.outcome': 'lost', 'error.type': 'EVENTFERRY_REJECTED' } },
  ]);
});

test('waiting messages are measured by number and by bytes', async () => {
  const { analytics, close, samples } = instrumented();
  for (let i = 0; i < 3; i++) analytics.track(order);
  expect(await samples('eventferry.queue.messages')).toEqual([{ value: 3, attributes: {} }]);
  expect(await samples('eventferry.queue.size')).toEqual([{ value: analytics.pending.bytes, attributes: {} }]);
  await close();
  expect(await samples('eventferry.queue.messages')).toEqual([{ value: 0, attributes: {} }]);
});

test('attributes distinguish two clients, and each is measured separately', async () => {
  const sdk = startSdk();
  const [shop, blog] = [captureAnalytics(), captureAnalytics()];
  for (const [name, { analytics }] of Object.entries({ shop, blog })) {
    instrumentAnalytics(analytics, { meter: sdk.meter, tracer: sdk.tracer, attributes: { app: name } });
  }
  shop.analytics.track(order);
  await shop.close();
  const counted = await sdk.samples('eventferry.messages');
  expect(counted.filter(({ attributes }) => attributes['eventferry.outcome'] === 'delivered')).toEqual([
    { value: 1, attributes: { app: 'shop', 'eventferry.outcome': 'delivered' } },
    { value: 0, attributes: { app: 'blog', 'eventferry.outcome': 'delivered' } },
  ]);
  expect(sdk.spans().map(({ attributes }) => attributes['app'])).toEqual(['shop']);
});

test('an instrumentation that was stopped measures and traces nothing', async () => {
  const { analytics, close, instrumentation, samples, spans } = instrumented();
  instrumentation.stop();
  analytics.track(order);
  await close();
  expect(await samples('eventferry.messages')).toEqual([]);
  expect(spans()).toEqual([]);
});

test('no metric and no span contains the write key', async () => {
  const { analytics, close, collected, failNext, spans } = instrumented({ writeKey: 'very-secret' });
  failNext(401, { body: 'very-secret is no key' });
  analytics.track(order);
  await close();
  const told = JSON.stringify(
    spans().map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
  );
  expect(told + JSON.stringify(await collected())).not.toContain('very-secret');
});
