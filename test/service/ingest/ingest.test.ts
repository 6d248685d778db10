import { describe, expect, test, vi } from 'vitest';
import { Ingest } from '../../../src/service/ingest/ingest.js';
import { ManagedDestination } from '../../../src/service/routing/managed-destination.js';
import { SourceRoutes } from '../../../src/service/routing/message-routes.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { deferred } from '../../collector/support.js';
import { openLedger } from '../../ledger/support.js';
import { startEndpoint, type TestEndpoint } from '../../scheduler/test-endpoint.js';
import { FakeClock, settled } from '../../support/fake-clock.js';
import { configOf, destinationOf, metricsAt, sendBatch, serving, sourceOf, track } from '../support.js';

const idsOf = ({ received }: TestEndpoint): unknown[] =>
  received.map(({ body }) => JSON.parse(body.toString()).messageId).sort();

test('the messages of a source are sent only to its connected, enabled destinations', async () => {
  const [crm, ads, off] = await Promise.all([startEndpoint(200), startEndpoint(200), startEndpoint(200)]);
  const { url } = await serving(
    configOf({
      sources: [sourceOf({ destinations: ['crm', 'off'] })],
      destinations: [
        destinationOf(crm.url),
        destinationOf(ads.url, { name: 'ads' }),
        destinationOf(off.url, { name: 'off', enabled: false }),
      ],
    }),
  );
  const { status, text } = await sendBatch(url, track('m1'), track('m2'));
  expect({ status, text }).toEqual({ status: 200, text: '{"success":true}' });
  await crm.has(2);
  expect([idsOf(crm), idsOf(ads), idsOf(off)]).toEqual([['m1', 'm2'], [], []]);
});

test('a client is answered only when its messages are as durable as the storage makes them, even for a repetition', async () => {
  const storage = memoryStorage();
  const disk: ReturnType<typeof deferred>[] = [];
  storage.settled = () => {
    disk.push(deferred());
    return disk.at(-1)?.promise ?? Promise.resolve();
  };
  const { url } = await serving(configOf(), { storage });
  const first = sendBatch(url, track('m1'));
  await expect.poll(() => disk.length).toBe(1);
  disk[0]?.reject(new Error('the disk is slow'));
  expect((await first).status).toBe(503);
  const again = sendBatch(url, track('m1'));
  await expect.poll(() => disk.length).toBe(2);
  expect(await Promise.race([again, settled().then(() => 'not answered yet')])).toBe('not answered yet');
  disk[1]?.resolve();
  expect((await again).status).toBe(200);
});

test('the integrations of a message are respected', async () => {
  const crm = await startEndpoint(200);
  const { url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }));
  await sendBatch(
    url,
    track('out', { integrations: { Webhooks: false } }),
    track('none', { integrations: { All: false } }),
    track('inside', { context: { integrations: { Webhooks: false } } }),
    track('in', { integrations: { All: false, Webhooks: true } }),
  );
  await crm.has(1);
  expect(idsOf(crm)).toEqual(['in']);
});

test('events that the track schema blocks or does not allow are not forwarded', async () => {
  const crm = await startEndpoint(200);
  const { url } = await serving(
    configOf({
      sources: [sourceOf({ trackSchema: { allowed: ['Allowed', 'Both'], blocked: ['Both'] } })],
      destinations: [destinationOf(crm.url)],
    }),
  );
  const batch = ['Both', 'Another', 'Allowed'].map((event) => track(event, { event }));
  await sendBatch(url, ...batch, { type: 'identify', userId: 'u1', messageId: 'identify' });
  await crm.has(2);
  expect(idsOf(crm)).toEqual(['Allowed', 'identify']);
});

test('an id of a source is forwarded once, even across a restart', async () => {
  const crm = await startEndpoint(200);
  const config = configOf({ destinations: [destinationOf(crm.url)] });
  const storage = memoryStorage();
  const first = await serving(config, { storage });
  await sendBatch(first.url, track('m1'));
  await crm.has(1);
  await first.service.close();
  const second = await serving(config, { storage });
  expect((await sendBatch(second.url, track('m1'), track('m2'))).status).toBe(200);
  await crm.has(2);
  expect(idsOf(crm)).toEqual(['m1', 'm2']);
  const metrics = await metricsAt(second.url);
  for (const outcome of ['received', 'duplicate'])
    expect(metrics).toMatch(new RegExp(`^eventferry_messages_total\\{outcome="${outcome}"\\} 1$`, 'm'));
  expect(metrics).toMatch(/^eventferry_forwarded_total\{outcome="stored"\} 1$/m);
});

test('the notification of a deletion is sent to the destinations, and does not count as sent by the source', async () => {
  const crm = await startEndpoint(200);
  const { url, ask } = await serving(configOf({ destinations: [destinationOf(crm.url)] }));
  await sendBatch(url, track('m1'));
  await ask('/v1/deletions', { method: 'POST', json: { userIds: ['u1'] } });
  await crm.has(2);
  const [{ lastHour }] = (await ask('/v1/sources')).body.sources;
  expect(lastHour).toMatchObject({ received: 1, forwarded: 1 });
  expect(await metricsAt(url)).toMatch(/^eventferry_messages_total\{outcome="received"\} 2$/m);
});

test('the same id from two sources is two messages, and both arrive', async () => {
  const crm = await startEndpoint({ status: 503, headers: { 'retry-after': '0' } }, 200);
  const { url } = await serving(
    configOf({
      sources: [sourceOf(), sourceOf({ name: 'app', writeKeys: ['app'] })],
      destinations: [destinationOf(crm.url)],
    }),
    // The clock stands still, so nothing is sent a second time.
    { clock: new FakeClock() },
  );
  await sendBatch(url, track('m1', { event: 'Web' }));
  const response = await fetch(`${url}/v1/batch`, {
    method: 'POST',
    body: JSON.stringify({ batch: [track('m1', { event: 'App' })], writeKey: 'app' }),
  });
  expect(response.status).toBe(200);
  await crm.has(2);
  const events = crm.received.map(({ body }) => JSON.parse(body.toString()).event).sort();
  expect(events).toEqual(['App', 'Web']);
});

test('an id that looks like source and id of another message is not a repetition', async () => {
  const crm = await startEndpoint(503);
  const config = configOf({
    sources: [sourceOf(), sourceOf({ name: 'server', writeKeys: ['server'] })],
    destinations: [destinationOf(crm.url)],
  });
  const { url } = await serving(config);
  await sendBatch(url, track('order-1'), track('server/order-1'), track('//server/order-1'));
  const body = JSON.stringify({ batch: [track('order-1', { event: 'Server' })], writeKey: 'server' });
  expect((await fetch(`${url}/v1/batch`, { method: 'POST', body })).status).toBe(200);
  await crm.has(4);
  expect(crm.received.map(({ body }) => JSON.parse(String(body)).event)).toContain('Server');
});

test('an id that is not well-formed text is forwarded unchanged', async () => {
  const crm = await startEndpoint(200);
  const { url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }));
  expect((await sendBatch(url, track('\ud800'), track('\udbff'))).status).toBe(200);
  await crm.has(2);
  expect(idsOf(crm)).toEqual(['\ud800', '\udbff']);
});

describe('a message that another process is storing', () => {
  /** A service with its own clock. In its storage, the message `m1` is being stored by another process until `became` changes. */
  const beside = async () => {
    const crm = await startEndpoint(200);
    const clock = new FakeClock();
    const storage = memoryStorage();
    const other: { became: 'claimed' | 'known' | 'free' } = { became: 'claimed' };
    const takeIn = storage.takeIn.bind(storage);
    const asked = vi.fn();
    storage.takeIn = async (source, intakes, nowMs) => {
      asked();
      const { became } = other;
      if (became === 'free') return takeIn(source, intakes, nowMs);
      const taken = [
        ...(await takeIn(
          source,
          intakes.filter(({ id }) => id !== 'm1'),
          nowMs,
        )),
      ];
      return intakes.map(({ id }) => (id === 'm1' ? became : (taken.shift() ?? 'known')));
    };
    const { url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { storage, clock });
    const sent = sendBatch(url, track('m1'), track('m2'));
    await expect.poll(() => asked).toHaveBeenCalled();
    await settled();
    return { crm, clock, other, url, sent };
  };

  test('a message that another process is storing is answered when it is stored', async () => {
    const { crm, clock, other, sent } = await beside();
    other.became = 'known';
    await clock.pass(100);
    expect((await sent).status).toBe(200);
    await crm.has(1);
    expect(idsOf(crm)).toEqual(['m2']);
  });

  test('a message that another process is storing is stored here if the other process gives it up', async () => {
    const { crm, clock, other, sent } = await beside();
    other.became = 'free';
    await clock.pass(100);
    expect((await sent).status).toBe(200);
    await crm.has(2);
    expect(idsOf(crm)).toEqual(['m1', 'm2']);
  });

  test('a message that another process is storing is answered 503 after five seconds', async () => {
    const { crm, clock, other, url, sent } = await beside();
    const answered = vi.fn();
    void sent.then(answered);
    await clock.pass(4_900);
    expect(answered).not.toHaveBeenCalled();
    await clock.pass(100);
    expect((await sent).status).toBe(503);
    other.became = 'known';
    expect((await sendBatch(url, track('m1'), track('m2'))).status).toBe(200);
    await crm.has(1);
    expect(idsOf(crm)).toEqual(['m2']);
  });
});

/** A storage in memory that stores nothing until `mend` is called. */
function broken() {
  const storage = memoryStorage();
  const { takeIn } = storage;
  storage.takeIn = async () => Promise.reject(new Error('no space left on device'));
  return {
    storage,
    mend: () => {
      storage.takeIn = takeIn;
    },
  };
}

test('when the storage fails, the client is answered 503, and the same messages are accepted later', async () => {
  const crm = await startEndpoint(200);
  const { storage, mend } = broken();
  const { url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { storage });
  expect((await sendBatch(url, track('m1'), track('m2'))).status).toBe(503);
  mend();
  expect((await sendBatch(url, track('m1'), track('m2'))).status).toBe(200);
  await crm.has(2);
  expect(idsOf(crm)).toEqual(['m1', 'm2']);
});

test('skipped deliveries are counted once, however often the client repeats the request', async () => {
  const { storage, mend } = broken();
  const off = destinationOf('http://127.0.0.1:9/', { enabled: false });
  const { url } = await serving(configOf({ destinations: [off] }), { storage });
  for (let attempt = 0; attempt < 3; attempt++) expect((await sendBatch(url, track('m1'))).status).toBe(503);
  mend();
  for (let attempt = 0; attempt < 2; attempt++) expect((await sendBatch(url, track('m1'))).status).toBe(200);
  const metrics = await metricsAt(url);
  expect(metrics).toMatch(/^eventferry_messages_total\{outcome="received"\} 1$/m);
  expect(metrics).toMatch(/^eventferry_forwarded_total\{outcome="skipped"\} 1$/m);
});

test('messages are accepted even if a destination of their source reopens in a later microtask', async () => {
  const [before, after] = ['https://example.com/', 'https://example.com/other'].map((url) => destinationOf(url));
  if (before === undefined || after === undefined) throw new Error('Expected two configurations');
  const config = configOf({ destinations: [before] });
  const clock = new FakeClock();
  const refused: unknown[] = [];
  for (let turns = 0; turns < 50; turns++) {
    const storage = memoryStorage();
    const store = await storage.deliveries('crm');
    const managed = await ManagedDestination.open(before, { store, dependencies: { clock, random: () => 0.5 } });
    const ingest = new Ingest(new SourceRoutes(config, new Map([['crm', managed]])), {
      ...{ storage, clock, counts: openLedger().ledger.counts, tracing: undefined },
      deletedUsers: { epoch: async () => 0 },
    });
    // The pause prevents any request.
    managed.destination.setPaused(true);
    const changed = managed.change(after);
    for (let turn = 0; turn < turns; turn++) await undefined;
    await ingest.take('website', [track('m1') as never]).catch((error) => refused.push(turns, error));
    await changed;
    managed.destination.setPaused(true);
    void managed.close();
  }
  expect(refused).toEqual([]);
});
