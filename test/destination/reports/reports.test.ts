import { describe, expect, onTestFinished, test } from 'vitest';
import { prepareEvent } from '../../../src/destination/intake/prepared-event.js';
import { Reports } from '../../../src/destination/reports/reports.js';
import { VANISHED_CODE } from '../../../src/protocol/vanished.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { FakeClock } from '../../support/fake-clock.js';
import { openDestination, takeIn } from '../open.js';
import { track } from '../track.js';

/** Resolves with the process warning that contains this message. Other code may emit other warnings. */
const warning = (message: string): Promise<void> =>
  new Promise((resolve) => {
    const look = (warned: Error): void => {
      if (warned.message !== message) return;
      process.off('warning', look);
      resolve();
    };
    process.on('warning', look);
  });

describe('listeners', () => {
  test('listeners that throw do not disturb deliveries', async () => {
    const endpoint = await startEndpoint(200);
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    const warned = warning('from a listener');
    destination.on('delivered', () => {
      throw new Error('from a listener');
    });
    await destination.deliver(track('m1'));
    await destination.idle();
    expect(destination.counters().delivered).toBe(1);
    await warned;
  });

  test('async listeners that reject do not disturb deliveries', async () => {
    const endpoint = await startEndpoint(200);
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    const warned = warning('from an async listener');
    destination.on('delivered', async () => {
      throw new Error('from an async listener');
    });
    await destination.deliver(track('m1'));
    await destination.idle();
    expect(destination.counters().delivered).toBe(1);
    await warned;
  });

  test('a listener that throws at every message causes one line a minute, and the rest at close', async () => {
    const endpoint = await startEndpoint(200);
    const warned: string[] = [];
    const hear = ({ message }: Error): void => {
      if (/at every message/.test(message)) warned.push(message);
    };
    process.on('warning', hear);
    onTestFinished(() => void process.off('warning', hear));
    const { destination, clock } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    destination.on('delivered', ({ id }) => {
      throw new Error(`at every message: ${id}`);
    });
    const deliver = async (...ids: string[]): Promise<void> => {
      for (const id of ids) await destination.deliver(track(id));
      await destination.idle();
    };
    await deliver('m1', 'm2', 'm3');
    await expect.poll(() => warned).toEqual(['at every message: m1']);
    await clock.pass(60_000);
    const summedUp = 'eventferry: listeners failed 2 more times, the last: at every message: m3';
    await expect.poll(() => warned).toEqual(['at every message: m1', summedUp]);
    await deliver('m4');
    await destination.close();
    await expect.poll(() => warned.at(-1)).toMatch(/failed 1 more times, the last: at every message: m4$/);
    expect(warned).toHaveLength(3);
  });

  test('listeners hear nothing after they were removed', async () => {
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

test('each attempt report has the number of the attempt and the trace of its event', async () => {
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

test('a destination warns once about a Map or a Set, and once about an infinite number, that its value is lost', async () => {
  const endpoint = await startEndpoint(200);
  const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
  const warnings: Error[] = [];
  const note = (warned: Error): void => {
    if ('code' in warned && warned.code === VANISHED_CODE) warnings.push(warned);
  };
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
    { message: expect.stringContaining('track.properties.why is a Map') },
    { message: expect.stringContaining('track.properties.total is Infinity') },
  ]);
});

const NAME = { endpoint: 'https://a.example/', webhookId: 'crm-1' };

test('a recorder hears the events it asks for, with the name of the destination, and one that throws does not stop the others', async () => {
  const heard: unknown[] = [];
  const note = (what: string) => (report: object, destination: string) => heard.push([what, report, destination]);
  const broken = {
    failing: () => {
      throw new Error('from a recorder');
    },
  };
  const hearing = { failing: note('failing'), recovered: note('recovered'), breaker: note('breaker') };
  const reports = new Reports(new FakeClock(), 'crm', [broken, hearing]);
  const warned = warning('from a recorder');
  const last = { at: 1, durationMs: 2, result: 'rejected', status: 404 } as const;
  reports.failingTurned(NAME, { failed: 5, attempts: 10, last, since: 1 });
  reports.failingTurned(NAME, undefined);
  reports.breakerTurned(NAME, { phase: 'open', until: 7, openings: 1 });
  reports.breakerTurned(NAME, { phase: 'closed', failures: 0 });
  await warned;
  expect(heard).toEqual([
    ['failing', { ...NAME, failed: 5, attempts: 10, last, since: 1 }, 'crm'],
    ['recovered', NAME, 'crm'],
    ['breaker', { ...NAME, state: 'open', openUntil: 7 }, 'crm'],
    ['breaker', { ...NAME, state: 'closed', openUntil: undefined }, 'crm'],
  ]);
});

test('an error without a listener becomes a warning, whatever was thrown', async () => {
  const warned = [warning('the disk'), warning('just a text')];
  const reports = new Reports(new FakeClock());
  reports.failed(new Error('the disk'));
  reports.failed('just a text');
  await Promise.all(warned);
  const heard: unknown[] = [];
  reports.on('error', ({ error }) => heard.push(error));
  reports.failed('heard');
  expect(heard).toEqual(['heard']);
});

test('an error becomes a warning if its only listener throws', async () => {
  const warned = [warning('the disk'), warning('a mistake in the listener')];
  const reports = new Reports(new FakeClock());
  reports.on('error', () => {
    throw new Error('a mistake in the listener');
  });
  reports.failed(new Error('the disk'));
  await Promise.all(warned);
});

test('each attempt is recorded and counted even without listeners', () => {
  const recorded: unknown[] = [];
  const reports = new Reports(new FakeClock(), 'crm', [{ record: (attempted) => recorded.push(attempted) }, {}]);
  const attempt = { at: 1, durationMs: 2, result: 'success', status: 200 } as const;
  const attempted = { id: 'm1', key: 'k', name: NAME, attempt, entry: undefined, exchange: undefined };
  reports.attempted(attempted);
  expect(recorded).toEqual([{ destination: 'crm', ...attempted }]);
  expect(reports.counters).toMatchObject({ attempts: 1, results: { success: 1, rejected: 0 } });
  expect(reports.wantsExchange()).toBe(false);
  expect(new Reports(new FakeClock(), 'crm', [{}, { wantsExchange: (name) => name === 'crm' }]).wantsExchange()).toBe(
    true,
  );
});
