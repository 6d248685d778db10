import { expect, test } from 'vitest';
import { destinationMetrics } from '../../../src/service/operations/destination-metrics.js';
import type { ManagedDestination } from '../../../src/service/routing/managed-destination.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { FakeClock } from '../../support/fake-clock.js';
import { configOf, destinationOf, metricsAt, sendBatch, serving, track } from '../support.js';

test('the metrics show an open circuit breaker, and for how long the oldest delivery has been due', async () => {
  const clock = new FakeClock();
  const crm = await startEndpoint(503);
  const config = configOf({ destinations: [destinationOf(crm.url)] });
  // Without jitter, a retry is due after 5 seconds.
  const { url, service, ask } = await serving(config, { clock, random: () => 0.5 });
  await sendBatch(url, ...Array.from({ length: 12 }, (_, index) => track(`m${index}`)));
  await expect.poll(() => service.destinations()[0]?.counters().attempts).toBe(12);
  const text = async (): Promise<string> => metricsAt(url);
  await expect.poll(text).toMatch(/^eventferry_breaker_state\{.*,state="open"\} 1$/m);
  expect(await text()).toMatch(/^eventferry_oldest_due_seconds\{.*\} 0$/m);

  // A paused destination makes no attempts, so its deliveries stay due.
  await ask('/v1/destinations/crm/paused', { method: 'PUT', json: { paused: true } });
  await clock.pass(65_000);
  expect(await text()).toMatch(/^eventferry_oldest_due_seconds\{.*\} 60$/m);
  expect(await text()).toMatch(/^eventferry_due_unclaimed_seconds\{.*\} 0$/m);
});

test('if webhooks are summed, the longest time is that of one of them', async () => {
  const reports = [1_000, 3_000].map((oldestDue) => ({ url: 'https://crm.example/', oldestDue, waiting: 2 }));
  const managed = { name: 'crm', destination: { endpoints: () => reports } } as unknown as ManagedDestination;
  const families = destinationMetrics({
    clock: { now: () => 61_000 },
    managedDestinations: { byName: new Map([['crm', managed]]) },
    switches: { isPaused: () => false },
    readiness: { assertStore: () => {} },
  });
  const text = (await families[2]?.(new Set(['destination', 'webhook', 'host'])))?.map(String).join('\n');
  expect(text).toMatch(/^eventferry_waiting 4$/m);
  expect(text).toMatch(/^eventferry_oldest_due_seconds 60$/m);
});
