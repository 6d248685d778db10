import { describe, expect, onTestFinished, test } from 'vitest';
import { prepareEvent } from '../../src/destination/prepared-event.js';
import { memoryStorage } from '../../src/store/memory/memory-storage.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { openDestination, takeIn } from './open.js';
import { track } from './track.js';

describe('listeners', () => {
  test('listeners that throw break nothing', async () => {
    const endpoint = await startEndpoint(200);
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    const warned = new Promise((resolve) => process.once('warning', resolve));
    destination.on('delivered', () => {
      throw new Error('from a listener');
    });
    await destination.deliver(track('m1'));
    await destination.idle();
    expect(destination.counters().delivered).toBe(1);
    expect(await warned).toMatchObject({ message: 'from a listener' });
  });

  test('listeners that are async and reject break nothing', async () => {
    const endpoint = await startEndpoint(200);
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    const warned = new Promise((resolve) => process.once('warning', resolve));
    destination.on('delivered', async () => {
      throw new Error('from an async listener');
    });
    await destination.deliver(track('m1'));
    await destination.idle();
    expect(destination.counters().delivered).toBe(1);
    expect(await warned).toMatchObject({ message: 'from an async listener' });
  });

  test('hear nothing after they have left', async () => {
    const endpoint = await startEndpoint(200);
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    const heard: string[] = [];
    const stop = destination.on('delivered', ({ id }) => heard.push(id));
    await destination.deliver(track('m1'));
    await destination.idle();
    stop();
    await destination.deliver(track('m2'));
    await destination.idle();
    expect(heard).toEqual(['m1']);
  });
});

test('each attempt says which one it is, and in which trace its event came', async () => {
  const endpoint = await startEndpoint(503, 200);
  const storage = memoryStorage();
  const store = await storage.deliveries('crm');
  const { destination, clock } = await openDestination({ webhooks: [{ url: endpoint.url }], store });
  const told: unknown[] = [];
  destination.on('attempt', ({ number, trace }) => told.push({ number, trace }));
  const prepared = { ...prepareEvent(track('m1')), origin: { trace: 'a-trace' } };
  await takeIn(storage, { destination, store }, [prepared], clock.now());
  await endpoint.has(1);
  await expect.poll(() => told).toHaveLength(1);
  await clock.pass(6_500);
  await endpoint.has(2);
  await expect.poll(() => told).toEqual([1, 2].map((number) => ({ number, trace: 'a-trace' })));
});

test('a destination says once of a Map or a Set, and once of an infinite number, that nothing of it arrives', async () => {
  const endpoint = await startEndpoint(200);
  const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
  const warnings: Error[] = [];
  const note = (warning: Error): unknown => warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  for (const [index, properties] of [
    { why: new Map() },
    { seen: new Set() },
    { total: Number.POSITIVE_INFINITY },
  ].entries()) {
    await destination.deliver({ ...track(`m${index}`), properties });
  }
  await destination.idle();
  expect(warnings).toMatchObject([
    { code: 'EVENTFERRY_VALUE_VANISHED', message: expect.stringContaining('track.properties.why is a Map') },
    { code: 'EVENTFERRY_VALUE_VANISHED', message: expect.stringContaining('track.properties.total is Infinity') },
  ]);
});
