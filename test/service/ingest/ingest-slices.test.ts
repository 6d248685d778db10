import { describe, expect, test } from 'vitest';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import type { Storage } from '../../../src/store/storage.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { FakeClock, settled } from '../../support/fake-clock.js';
import { ask, configOf, destinationOf, sendBatch, serving, sourceOf, track } from '../support.js';

/** A slice that a storage was asked to store, and functions that answer. */
interface Asked {
  readonly ids: readonly string[];
  /** The number of its deliveries. */
  readonly count: number;
  readonly bytes: number;
  store(): void;
  fail(error: Error): void;
}

/** A storage in memory that stores nothing until it is told to. */
function held(): { storage: Storage; asked: Asked[]; count(): number } {
  const storage = memoryStorage();
  const asked: Asked[] = [];
  const takeIn = storage.takeIn.bind(storage);
  storage.takeIn = (source, intakes, nowMs) =>
    new Promise((resolve, reject) => {
      const ids = intakes.map(({ id }) => id);
      const count = intakes.reduce((sum, { deliveries }) => sum + deliveries.length, 0);
      const bytes = intakes.reduce((sum, { body }) => sum + body.length, 0);
      asked.push({ ids, count, bytes, store: () => resolve(takeIn(source, intakes, nowMs)), fail: reject });
    });
  return { storage, asked, count: () => asked.reduce((sum, { count }) => sum + count, 0) };
}

const batchOf = (count: number, prefix = 'm') =>
  Array.from({ length: count }, (_, index) => track(`${prefix}${index}`));

const TWO_SOURCES = [sourceOf(), sourceOf({ name: 'app', writeKeys: ['app'] })];

const sendAs = (url: string, writeKey: string, body: object): Promise<Response> =>
  fetch(`${url}/v1/batch`, { method: 'POST', body: JSON.stringify({ ...body, writeKey }) });

describe('a batch of many messages', () => {
  test('a large batch is stored in slices, with at most 1,024 deliveries at a time', async () => {
    const crm = await startEndpoint(200);
    const { storage, asked, count } = held();
    const { url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { storage });
    const sent = sendBatch(url, ...batchOf(2_500));
    const waves: number[] = [];
    for (let stored = 0; stored < 2_500; ) {
      await expect.poll(() => asked.length).toBeGreaterThan(0);
      // This request is answered between two slices, and while one is held.
      expect((await ask(url, '/healthz')).status).toBe(200);
      const wave = count();
      waves.push(wave);
      for (const { store } of asked.splice(0)) store();
      stored += wave;
    }
    expect((await sent).text).toBe('{"success":true}');
    expect(waves[0]).toBe(1_024);
    expect(Math.max(...waves)).toBe(1_024);
  });

  test('a message of another source is stored before the rest of a large batch', async () => {
    const crm = await startEndpoint(200);
    const { storage, asked, count } = held();
    const config = configOf({ sources: TWO_SOURCES, destinations: [destinationOf(crm.url)] });
    const { url } = await serving(config, { storage });
    const flood = sendBatch(url, ...batchOf(2_500));
    await expect.poll(count).toBe(1_024);
    const other = sendAs(url, 'app', { batch: [track('other')] });
    await expect
      .poll(async () => (await ask(url, '/metrics')).body)
      .toMatch(/^eventferry_unstored\{source="app"\} 1$/m);
    const order: string[] = [];
    while (!order.includes('other')) {
      await expect.poll(() => asked.length).toBeGreaterThan(0);
      // One slice is stored at a time, so that only the next one can begin.
      for (const { ids, store } of asked.splice(0, 1)) {
        order.push(...ids);
        store();
      }
    }
    expect((await other).status).toBe(200);
    // It is stored after everything that had already begun, and after one slice.
    expect(order.indexOf('other')).toBeLessThan(1_024 + 2 * 256);
    while (order.length < 2_501) {
      await expect.poll(() => asked.length).toBeGreaterThan(0);
      for (const { ids, store } of asked.splice(0)) {
        order.push(...ids);
        store();
      }
    }
    expect((await flood).status).toBe(200);
  });

  test('a message of another source is stored between the slices of a batch with a large context', async () => {
    const crm = await startEndpoint(200);
    const { storage, asked } = held();
    const config = configOf({ sources: TWO_SOURCES, destinations: [destinationOf(crm.url)] });
    const { url } = await serving(config, { storage });
    const context = { filler: 'x'.repeat(30_000) };
    const flood = sendAs(url, 'dev', { batch: batchOf(600), context });
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    const other = sendAs(url, 'app', { batch: [track('other')] });
    await expect.poll(async () => (await ask(url, '/metrics')).body).toMatch(/_requests_in_flight 2$/m);
    const order: string[] = [];
    while (order.length < 601) {
      await expect.poll(() => asked.length).toBeGreaterThan(0);
      for (const { ids, bytes, store } of asked.splice(0, 1)) {
        order.push(...ids);
        // A slice has at most 256 times 4,096 bytes.
        expect(bytes).toBeLessThan(1_048_576);
        store();
      }
    }
    expect([(await flood).status, (await other).status]).toEqual([200, 200]);
    // It is stored after 4 MiB and a slice that had already begun, and after one more slice.
    expect(order.indexOf('other') * 30_000).toBeLessThan(6 * 1_048_576);
  });

  test('a batch with a failing slice is answered 503, and the stored slices are not stored again', async () => {
    const crm = await startEndpoint(200);
    const { storage, asked, count } = held();
    // The timeout is long, so that no attempt is repeated, however busy the machine is.
    const { url } = await serving(configOf({ destinations: [destinationOf(crm.url, { requestTimeout: 60_000 })] }), {
      storage,
    });
    const batch = batchOf(2_500);
    const first = sendBatch(url, ...batch);
    await expect.poll(count).toBe(1_024);
    const [stored] = asked.splice(0, 1);
    stored?.store();
    await expect.poll(count).toBe(1_024);
    for (const { fail } of asked.splice(0)) fail(new Error('no space left on device'));
    // The remaining slices are not tried one after the other.
    expect((await first).status).toBe(503);
    expect(asked).toHaveLength(0);
    const again = sendBatch(url, ...batch);
    for (let asking = 0; asking < 2_500; ) {
      await expect.poll(() => asked.length).toBeGreaterThan(0);
      for (const { ids, store } of asked.splice(0)) {
        asking += ids.length;
        store();
      }
    }
    expect((await again).status).toBe(200);
    await crm.has(2_500);
    expect(new Set(crm.received.map(({ body }) => JSON.parse(String(body)).messageId)).size).toBe(2_500);
    expect(crm.received).toHaveLength(2_500);
  });
});

describe('a source with many messages that wait to be stored', () => {
  const names = Array.from({ length: 50 }, (_, index) => `d${index}`);
  const config = configOf({
    sources: [sourceOf({ destinations: names }), sourceOf({ name: 'app', writeKeys: ['app'], destinations: ['d0'] })],
    destinations: names.map((name) => destinationOf('http://127.0.0.1:9/', { name })),
  });

  test('a source with too many waiting messages is answered 429, and other sources are not', async () => {
    const { storage, asked, count } = held();
    const { url } = await serving(config, { storage });
    const first = sendBatch(url, ...batchOf(2_500));
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    // A slice has as many messages as make 256 deliveries, so slightly more than 1,024 are being stored.
    expect(count()).toBeLessThanOrEqual(1_024 + 256);
    const refused = await sendBatch(url, track('more'));
    expect(refused).toMatchObject({ status: 429, body: { code: 'overloaded' }, headers: { 'retry-after': '5' } });
    const metrics = String((await ask(url, '/metrics')).body);
    expect(metrics).toMatch(/^eventferry_refused_requests_total\{source="website",reason="overloaded"\} 1$/m);
    const [, waiting] = /^eventferry_unstored\{source="website"\} (\d+)$/m.exec(metrics) ?? [];
    expect(Number(waiting)).toBeGreaterThan(100_000);
    const other = sendAs(url, 'app', { batch: [track('other')] });
    while (!asked.some(({ ids }) => ids.includes('other'))) {
      const slice = asked.splice(0);
      for (const { store } of slice) store();
      await expect.poll(() => asked.length).toBeGreaterThan(0);
    }
    for (const { store } of asked.filter(({ ids }) => ids.includes('other'))) store();
    expect((await other).status).toBe(200);
    for (const { fail } of asked.splice(0)) fail(new Error('no space left on device'));
    expect((await first).status).toBe(503);
  });
});

test('messages that are not stored five seconds after the service began to close are answered 503', async () => {
  const crm = await startEndpoint(200);
  const clock = new FakeClock();
  const { storage, asked, count } = held();
  const { url, service } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { storage, clock });
  const sent = sendBatch(url, ...batchOf(2_500));
  await expect.poll(count).toBe(1_024);
  const closed = service.close();
  await settled();
  await clock.pass(5_000);
  // The service still waits for what has already begun.
  for (const { store } of asked.splice(0)) store();
  expect((await sent).status).toBe(503);
  await closed;
  expect(asked).toHaveLength(0);
});
