import { expect, test } from 'vitest';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { FakeClock } from '../../support/fake-clock.js';
import { recordingLog } from '../recording-log.js';
import { configOf, destinationOf, metricsAt, sendBatch, serving, sourceOf, TOKEN, track } from '../support.js';

test('the metrics cover messages, destinations, webhooks and the process', async () => {
  const clock = new FakeClock();
  const crm = await startEndpoint(200, 404, 503);
  const { url, service } = await serving(
    configOf({
      sources: [sourceOf({ trackSchema: { allowed: undefined, blocked: ['Blocked'] } })],
      destinations: [destinationOf(`${crm.url}?token=secret`)],
    }),
    { clock },
  );
  await sendBatch(url, track('m1'));
  await crm.has(1);
  await sendBatch(url, track('m1'), track('m2'), { type: 'nonsense' });
  await crm.has(2);
  await sendBatch(url, track('m3'), track('m4', { event: 'Blocked' }));
  await crm.has(3);
  const [managed] = service.destinations();
  await expect.poll(() => managed?.counters().attempts).toBe(3);
  await clock.pass(0);
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
  expect(response.headers.get('content-type')).toContain('text/plain');
  const text = await response.text();
  const value = (name: string): number =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length),
    );
  expect(value('eventferry_collector_messages_total{outcome="rejected"}')).toBe(1);
  expect(value('eventferry_messages_total{outcome="received"}')).toBe(4);
  expect(value('eventferry_messages_total{outcome="blocked"}')).toBe(1);
  expect(value('eventferry_forwarded_total{outcome="stored"}')).toBe(3);
  expect(value('eventferry_attempts_total{destination="crm",result="success"}')).toBe(1);
  expect(value('eventferry_attempts_total{destination="crm",result="server-error"}')).toBe(1);
  expect(value('eventferry_deliveries_total{destination="crm",outcome="dead"}')).toBe(1);
  expect(value('eventferry_dead_letters{destination="crm"}')).toBe(1);
  expect(value('eventferry_destination_enabled{destination="crm"}')).toBe(1);
  const webhook = `{destination="crm",webhook="1",host="${new URL(crm.url).origin}"}`;
  expect(value(`eventferry_waiting${webhook}`)).toBe(1);
  expect(value(`eventferry_failing${webhook}`)).toBe(0);
  const breaker = (state: string) => value(`eventferry_breaker_state${webhook.replace('}', `,state="${state}"}`)}`);
  expect(['closed', 'open', 'half-open'].map(breaker)).toEqual([1, 0, 0]);
  expect(value(`eventferry_oldest_due_seconds${webhook}`)).toBe(0);
  expect(value('eventferry_store_bytes')).toBe(0);
  expect(value('eventferry_event_loop_delay_seconds{quantile="0.99"}')).toBeGreaterThanOrEqual(0);
  expect(value('process_resident_memory_bytes')).toBeGreaterThan(1e6);
  expect(text).not.toMatch(/secret|shhh|dev|a-token/);
});

test('while the store fails, the metrics are answered without those of the store', async () => {
  const storage = memoryStorage();
  const { url } = await serving(configOf(), { storage });
  storage.size = async () => Promise.reject(new Error('connection lost'));
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
  expect(response.status).toBe(200);
  const text = await response.text();
  expect(text).toContain('eventferry_messages_total{outcome="received"} 0');
  expect(text).toMatch(/^eventferry_store_bytes Nan$/im);
});

test('if the store is known to hang, metrics and status are answered at once from what the process knows', async () => {
  const storage = memoryStorage();
  const { url, ask } = await serving(configOf({ destinations: [destinationOf('http://127.0.0.1:9/')] }), { storage });
  storage.check = async () => Promise.reject(new Error('connection lost'));
  await fetch(`${url}/readyz`);
  const never = new Promise<never>(() => {});
  [storage.check, storage.size] = [() => never, () => never];
  (await storage.deliveries('crm')).deadTotals = () => never;
  const text = await metricsAt(url);
  expect(text).toContain('\neventferry_not_ready{reason="store-failed"} 1\n');
  expect(text).toContain('\neventferry_waiting{destination="crm"');
  expect(text).not.toContain('eventferry_dead_letters{');
  expect((await ask('/v1/status')).body).toMatchObject({ readiness: { code: 'store-failed' }, store: { bytes: null } });
});

const manyOf = (count: number, metrics: object = {}) => {
  const destinations = Array.from({ length: count }, (_, number) => ({
    ...destinationOf(`https://customer-${number}.example/hook`),
    name: `customer-${number}`,
  }));
  return configOf({ destinations, sources: [sourceOf({ destinations: [] })], metrics });
};

test('the metrics of more than 200 destinations are sums that name no customer', async () => {
  const { url } = await serving(manyOf(201));
  const text = await metricsAt(url);
  expect(text).not.toContain('customer');
  expect(text).toMatch(/^eventferry_destination_enabled 201$/m);
  expect(text).toMatch(/^eventferry_breaker_state\{state="closed"\} 201$/m);
  expect(text).toMatch(/^eventferry_oldest_due_seconds 0$/m);
  // A store in memory has no disk.
  expect(text).not.toMatch(/^eventferry_disk_free_bytes/m);
});

test.each([
  [true, 201, 201],
  [false, 2, 0],
  [undefined, 200, 200],
])('with perDestination %s, the metrics of %d destinations name %d', async (perDestination, count, named) => {
  const { url } = await serving(manyOf(count, { perDestination }));
  const lines = (await metricsAt(url)).split('\n').filter((line) => line.startsWith('eventferry_destination_enabled{'));
  expect(lines).toHaveLength(named);
});

test('with perDestination, the metrics of 600 destinations name each of them', async () => {
  const { url } = await serving(manyOf(600, { perDestination: true }));
  const text = await metricsAt(url);
  expect(text.match(/^eventferry_destination_enabled\{destination="customer-\d+"\} 1$/gm)).toHaveLength(600);
  expect(text).toMatch(/^eventferry_metrics_too_long 0$/m);
});

test('metrics over 4 MB are summed, with one warning and a metric, whatever the configuration says', async () => {
  const log = recordingLog();
  const { url } = await serving(manyOf(2_000, { perDestination: true }), { log });
  const text = await metricsAt(url);
  await metricsAt(url);
  expect(text).toMatch(/^eventferry_destination_enabled 2000$/m);
  expect(text).toMatch(/^eventferry_oldest_due_seconds 0$/m);
  expect(text).toMatch(/^eventferry_metrics_too_long 1$/m);
  expect(text).not.toContain('customer');
  expect(log.lines.filter(({ text: line }) => String(line).includes('too long'))).toMatchObject([
    { level: 'warn', destinations: 2_000, most: 4_000_000 },
  ]);
});

test('the metrics contain a histogram of the durations of attempts', async () => {
  const crm = await startEndpoint(200);
  const { url, service } = await serving(configOf({ destinations: [destinationOf(crm.url)] }));
  await sendBatch(url, track('m1'));
  await expect.poll(() => service.destinations()[0]?.counters().attempts).toBe(1);
  const text = await metricsAt(url);
  expect(text).toMatch(/^eventferry_attempt_duration_seconds_count 1$/m);
  expect(text).toMatch(/^eventferry_attempt_duration_seconds_bucket\{le="60"\} 1$/m);
});
