import { expect, test } from 'vitest';
import { instrumentDestination } from '../../src/opentelemetry/instrument-destination.js';
import type { InstrumentOptions } from '../../src/opentelemetry/instrument-options.js';
import { openDestination } from '../destination/open.js';
import { track } from '../destination/track.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { startSdk } from './sdk.js';

async function instrumented(statuses: [number, ...number[]], more: InstrumentOptions = {}) {
  const { meter, tracer, ...sdk } = startSdk();
  const endpoint = await startEndpoint(...statuses);
  const { destination } = await openDestination({ webhooks: [{ url: `${endpoint.url}/secret-path` }] });
  const attributes = { 'eventferry.destination': 'crm' };
  const instrumentation = instrumentDestination(destination, { meter, tracer, attributes, ...more });
  return { ...sdk, destination, instrumentation, port: Number(new URL(endpoint.url).port) };
}

test('events and requests of a destination are counted and measured', async () => {
  const { collected, destination, port, samples } = await instrumented([200, 400]);
  for (const id of ['m1', 'm2']) {
    await destination.deliver(track(id));
    await destination.idle();
  }
  const crm = { 'eventferry.destination': 'crm' };
  expect(await samples('eventferry.destination.events')).toEqual([
    { value: 1, attributes: { ...crm, 'eventferry.outcome': 'delivered' } },
    { value: 1, attributes: { ...crm, 'eventferry.outcome': 'dead' } },
  ]);
  const attempts = await samples('eventferry.destination.attempts');
  expect(attempts.filter(({ value }) => value > 0)).toEqual([
    { value: 1, attributes: { ...crm, 'eventferry.result': 'success' } },
    { value: 1, attributes: { ...crm, 'eventferry.result': 'rejected' } },
  ]);
  expect(await samples('eventferry.destination.queue.events')).toEqual([{ value: 0, attributes: crm }]);
  const address = { 'server.address': '127.0.0.1', 'server.port': port, 'url.scheme': 'http' };
  expect(await samples('http.client.request.duration')).toEqual([
    { value: 1, attributes: { ...crm, ...address, 'http.request.method': 'POST', 'http.response.status_code': 200 } },
    {
      value: 1,
      attributes: {
        ...{ ...crm, ...address, 'http.request.method': 'POST' },
        ...{ 'http.response.status_code': 400, 'error.type': '400' },
      },
    },
  ]);
  expect(JSON.stringify(await collected())).not.toContain('secret-path');
});

test('a stopped instrumentation of a destination measures and traces nothing', async () => {
  const { destination, instrumentation, samples, spans } = await instrumented([200]);
  instrumentation.stop();
  await destination.deliver(track('m1'));
  await destination.idle();
  expect(spans()).toEqual([]);
  expect(await samples('eventferry.destination.events')).toEqual([]);
});

test('requests of a destination are left to another instrumentation with `requests: false`', async () => {
  const { destination, samples, spans } = await instrumented([200], { requests: false });
  await destination.deliver(track('m1'));
  await destination.idle();
  expect(await samples('http.client.request.duration')).toEqual([]);
  expect(spans()).toHaveLength(1);
});
