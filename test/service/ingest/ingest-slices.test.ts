import { describe, expect, test } from 'vitest';
import type { StoredEvent } from '../../../src/delivery/completion-rule.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import type { Storage } from '../../../src/store/storage.js';
import { deferred } from '../../collector/support.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { FakeClock, settled } from '../../support/fake-clock.js';
import { ask, configOf, destinationOf, sendBatch, serving, sourceOf, track } from '../support.js';

/** What a store was asked to add, and its answer. */
interface Asked {
  readonly destination: string;
  readonly event: StoredEvent;
  store(): void;
  fail(error: Error): void;
}

/** A storage in memory that adds nothing until it is told to. */
async function held(...destinations: readonly string[]): Promise<{ storage: Storage; asked: Asked[] }> {
  const storage = memoryStorage();
  const asked: Asked[] = [];
  for (const destination of destinations) {
    const store = await storage.deliveries(destination);
    const add = store.add.bind(store);
    store.add = (event, body) =>
      new Promise((resolve, reject) => {
        asked.push({ destination, event, store: () => resolve(add(event, body)), fail: reject });
      });
  }
  return { storage, asked };
}

const batchOf = (count: number, prefix = 'm') =>
  Array.from({ length: count }, (_, index) => track(`${prefix}${index}`));

const TWO_SOURCES = [sourceOf(), sourceOf({ name: 'app', writeKeys: ['app'] })];

const sendAs = (url: string, writeKey: string, ...batch: readonly unknown[]): Promise<Response> =>
  fetch(`${url}/v1/batch`, { method: 'POST', body: JSON.stringify({ batch, writeKey }) });

describe('a batch of many messages', () => {
  test('a large batch is stored in slices, of no more than 1,024 deliveries at a time', async () => {
    const crm = await startEndpoint(200);
    const { storage, asked } = await held('crm');
    const { url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { storage });
    const sent = sendBatch(url, ...batchOf(2_500));
    const waves: number[] = [];
    for (let stored = 0; stored < 2_500; ) {
      await expect.poll(() => asked.length).toBeGreaterThan(0);
      // Answered between two slices, and while one is held.
      expect((await ask(url, '/healthz')).status).toBe(200);
      const wave = asked.splice(0);
      waves.push(wave.length);
      for (const { store } of wave) store();
      stored += wave.length;
    }
    expect((await sent).text).toBe('{"success":true}');
    expect(waves[0]).toBe(1_024);
    expect(Math.max(...waves)).toBe(1_024);
  });

  test('the next slice begins when one is stored, before its ids are kept', async () => {
    const crm = await startEndpoint(200);
    const { storage, asked } = await held('crm');
    const kept = deferred();
    const keep = storage.messageIds.keep.bind(storage.messageIds);
    storage.messageIds.keep = (...given) => kept.promise.then(() => keep(...given));
    const { url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { storage });
    const sent = sendBatch(url, ...batchOf(2_500));
    for (let stored = 0; stored < 2_500; stored++) {
      await expect.poll(() => asked.length).toBeGreaterThan(0);
      asked.shift()?.store();
    }
    kept.resolve();
    expect((await sent).status).toBe(200);
  });

  test('a message of another source is stored before the rest of a large batch', async () => {
    const crm = await startEndpoint(200);
    const { storage, asked } = await held('crm');
    const config = configOf({ sources: TWO_SOURCES, destinations: [destinationOf(crm.url)] });
    const { url } = await serving(config, { storage });
    const flood = sendBatch(url, ...batchOf(2_500));
    await expect.poll(() => asked.length).toBe(1_024);
    const other = sendAs(url, 'app', track('other'));
    await expect
      .poll(async () => (await ask(url, '/metrics')).body)
      .toMatch(/^eventferry_unstored\{source="app"\} 1$/m);
    const order: string[] = [];
    while (!order.includes('other')) {
      await expect.poll(() => asked.length).toBeGreaterThan(0);
      // One slice at a time, so that there is room for the next one only.
      for (const { event, store } of asked.splice(0, 256)) {
        order.push(event.id);
        store();
      }
    }
    expect((await other).status).toBe(200);
    // Behind what was on its way already, and one slice.
    expect(order.indexOf('other')).toBeLessThan(1_024 + 2 * 256);
    while (order.length < 2_501) {
      await expect.poll(() => asked.length).toBeGreaterThan(0);
      for (const { event, store } of asked.splice(0)) {
        order.push(event.id);
        store();
      }
    }
    expect((await flood).status).toBe(200);
  });

  test('a batch with a slice that fails is answered 503, and stored slices are not stored again', async () => {
    const crm = await startEndpoint(200);
    const { storage, asked } = await held('crm');
    const { url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { storage });
    const batch = batchOf(2_500);
    const first = sendBatch(url, ...batch);
    await expect.poll(() => asked.length).toBe(1_024);
    const stored = asked.splice(0, 256).map(({ event, store }) => {
      store();
      return event.id;
    });
    await expect.poll(() => asked.length).toBe(1_024);
    for (const { fail } of asked.splice(0)) fail(new Error('no space left on device'));
    // The other slices are not tried one after the other.
    expect((await first).status).toBe(503);
    expect(asked).toHaveLength(0);
    const again = sendBatch(url, ...batch);
    const ids: string[] = [];
    while (ids.length < 2_500 - 256) {
      await expect.poll(() => asked.length).toBeGreaterThan(0);
      for (const { event, store } of asked.splice(0)) {
        ids.push(event.id);
        store();
      }
    }
    expect((await again).status).toBe(200);
    expect(ids.filter((id) => stored.includes(id))).toEqual([]);
    expect(new Set([...stored, ...ids]).size).toBe(2_500);
  });
});

describe('a source of which much waits to be stored', () => {
  const names = Array.from({ length: 50 }, (_, index) => `d${index}`);
  const config = configOf({
    sources: [sourceOf({ destinations: names }), sourceOf({ name: 'app', writeKeys: ['app'], destinations: ['d0'] })],
    destinations: names.map((name) => destinationOf('http://127.0.0.1:9/', { name })),
  });

  test('a source of which too many messages wait is answered 429, others are not', async () => {
    const { storage, asked } = await held(...names);
    const { url } = await serving(config, { storage });
    const first = sendBatch(url, ...batchOf(2_500));
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    // A slice is of as many messages as make 256 deliveries, so that a little more than 1,024 are on their way.
    expect(asked.length).toBeLessThanOrEqual(1_024 + 256);
    const refused = await sendBatch(url, track('more'));
    expect(refused).toMatchObject({ status: 429, body: { code: 'overloaded' }, headers: { 'retry-after': '5' } });
    const metrics = String((await ask(url, '/metrics')).body);
    expect(metrics).toMatch(/^eventferry_refused_requests_total\{source="website",reason="overloaded"\} 1$/m);
    const [, waiting] = /^eventferry_unstored\{source="website"\} (\d+)$/m.exec(metrics) ?? [];
    expect(Number(waiting)).toBeGreaterThan(100_000);
    const other = sendAs(url, 'app', track('other'));
    while (!asked.some(({ event }) => event.id === 'other')) {
      const slice = asked.splice(0);
      for (const { store } of slice) store();
      await expect.poll(() => asked.length).toBeGreaterThan(0);
    }
    for (const { store } of asked.filter(({ event }) => event.id === 'other')) store();
    expect((await other).status).toBe(200);
    for (const { fail } of asked.splice(0)) fail(new Error('no space left on device'));
    expect((await first).status).toBe(503);
  });
});

test('messages that have not had their turn five seconds after the service began to close are answered 503', async () => {
  const crm = await startEndpoint(200);
  const clock = new FakeClock();
  const { storage, asked } = await held('crm');
  const { url, service } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { storage, clock });
  const sent = sendBatch(url, ...batchOf(2_500));
  await expect.poll(() => asked.length).toBe(1_024);
  const closed = service.close();
  await settled();
  await clock.pass(5_000);
  // What is on its way is still waited for.
  for (const { store } of asked.splice(0)) store();
  expect((await sent).status).toBe(503);
  await closed;
  expect(asked).toHaveLength(0);
});
