import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../src/base/time/clock.js';
import { newEvent } from '../../src/delivery/completion-rule.js';
import { Destination } from '../../src/destination/destination.js';
import { StoreRecordError } from '../../src/store/store-errors.js';
import { deferred } from '../collector/support.js';
import { next } from '../destination/open.js';
import { track } from '../destination/track.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { seal } from '../store/seal.js';
import { RedisServer } from './redis-server.js';
import { KILLED, openDestination, openStorage, openStore, QUICK } from './storage.js';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

const open = (prefix: string, options: Parameters<typeof openDestination>[2]) =>
  openDestination(server, prefix, options);

const deliver = (destination: Destination, ids: readonly string[]) =>
  Promise.all(ids.map((id) => destination.deliver(track(id))));

const range = (count: number): string[] => Array.from({ length: count }, (_, index) => `m${index}`);

const idsOf = (received: readonly { body: Buffer }[]): string[] =>
  received.map(({ body }) => (JSON.parse(body.toString()) as { messageId: string }).messageId);

const isClosed = (destination: Destination) => next(destination, 'breaker', ({ state }) => state === 'closed');

describe('deliveries on Redis', () => {
  test('each delivery on Redis is sent once, by one of the processes', async () => {
    const endpoint = await startEndpoint(200);
    const prefix = randomUUID();
    const webhooks = [{ url: endpoint.url }];
    const both = await Promise.all([open(prefix, { webhooks }), open(prefix, { webhooks })]);
    await Promise.all(
      both.map((one, index) =>
        deliver(
          one,
          range(200).map((id) => `${index}-${id}`),
        ),
      ),
    );
    await Promise.all(both.map((one) => one.idle()));
    expect(endpoint.received.length).toBe(400);
    expect(new Set(idsOf(endpoint.received)).size).toBe(400);
    expect(both.map((one) => one.counters().delivered).reduce((sum, count) => sum + count)).toBe(400);
  });

  test("deliveries with unreadable records are reported and stay, and the endpoint's others are sent", async () => {
    const endpoint = await startEndpoint(200);
    const prefix = randomUUID();
    const store = await openStore(server, prefix);
    for (const [index, id] of range(10).entries())
      await store.add(newEvent(id, 'track', [endpoint.url], Date.now() + index, { bytes: 2 }), Buffer.from('{}'));
    const { records } = store.parts[0].connection.partition;
    const { events } = store.parts[0].keys;
    await server.look(async (redis) => {
      await redis.hset(records, 'm0', 'no line end', 'm3', '["track"]\n{}', 'm4', '');
      await redis.hset(events, 'm5', '{"of":"another version"}', 'm6', '["",');
    });
    const errors: unknown[] = [];
    const destination = await open(prefix, { webhooks: [{ url: endpoint.url }], concurrency: 4 });
    destination.on('error', ({ error }) => errors.push(error));
    await expect.poll(() => endpoint.received.length).toBe(5);
    await expect.poll(() => errors.length).toBeGreaterThanOrEqual(5);
    const unreadable = ['m0', 'm3', 'm4', 'm5', 'm6'];
    expect(new Set(errors.map((error) => (error as StoreRecordError).eventId))).toEqual(new Set(unreadable));
    expect(errors.every((error) => error instanceof StoreRecordError)).toBe(true);
    expect(destination.counters().delivered).toBe(5);
    const kept = await server.look((redis) => redis.zrange(store.parts[0].keys.line(endpoint.url).timed, 0, -1));
    expect(kept.sort()).toEqual(unreadable);
  });

  test('a process without room notifies another, which makes the deliveries', async () => {
    const held = deferred();
    const endpoint = await startEndpoint((_, response) => void held.promise.then(() => response.end()));
    const prefix = randomUUID();
    // The intervals are so long that no process looks by itself.
    const intervals = { ...QUICK, lookMs: 3_600_000, countMs: 3_600_000 };
    const settings = { webhooks: [{ url: endpoint.url }], concurrency: 4, requestTimeout: 60_000, intervals };
    const [one, other] = [await open(prefix, settings), await open(prefix, settings)];
    const inFlight = () => [one, other].map((each) => each.endpoints()[0]?.inFlight);
    await deliver(one, range(4));
    await expect.poll(inFlight).toEqual([4, 0]);
    await deliver(one, ['m5', 'm6', 'm7', 'm8', 'm9', 'm10']);
    await expect.poll(inFlight).toEqual([4, 4]);
    held.resolve();
    await endpoint.has(10);
    expect(new Set(idsOf(endpoint.received)).size).toBe(10);
  });

  test('an attempt that takes longer than its lease is made once', async () => {
    const held = deferred();
    const endpoint = await startEndpoint((_, response) => void held.promise.then(() => response.end()));
    const prefix = randomUUID();
    const settings = { webhooks: [{ url: endpoint.url }], requestTimeout: 60_000, intervals: KILLED };
    const [one, other] = [await open(prefix, settings), await open(prefix, settings)];
    await deliver(one, ['m1']);
    await endpoint.has(1);
    const store = await openStore(server, prefix);
    const lease = () =>
      server.look(async (redis) => -Number(await redis.zscore(store.parts[0].keys.line(endpoint.url).timed, 'm1')));
    const first = await lease();
    await expect.poll(lease).toBeGreaterThan(first + 2 * KILLED.leaseMs);
    held.resolve();
    await Promise.all([one.idle(), other.idle()]);
    expect(endpoint.received.length).toBe(1);
  });

  test('every process counts the deliveries on Redis, whichever delivers them', async () => {
    const held = deferred();
    const endpoint = await startEndpoint((_, response) => void held.promise.then(() => response.end()));
    const prefix = randomUUID();
    const [one, other] = await Promise.all(
      [1, 2].map(() => open(prefix, { webhooks: [{ url: endpoint.url }], concurrency: 1, requestTimeout: 30_000 })),
    );
    await deliver(one as Destination, range(6));
    const waiting = (): number | undefined => other?.endpoints()[0]?.waiting;
    await expect.poll(waiting).toBe(6);
    expect(other?.endpoints()[0]?.oldestDue).toBeGreaterThan(Date.now() - 60_000);
    held.resolve();
    await other?.idle();
    expect(endpoint.received.length).toBe(6);
    await expect.poll(waiting).toBe(0);
  });

  test('an endpoint that hangs does not slow others', async () => {
    const hanging = await startEndpoint(() => undefined);
    const fine = await startEndpoint(200);
    const webhooks = [{ url: hanging.url }, { url: fine.url }];
    const destination = await open(randomUUID(), { webhooks, settle: 'each', concurrency: 8, requestTimeout: 60_000 });
    await deliver(destination, range(300));
    await fine.has(300);
    await expect.poll(() => destination.endpoints()[0]).toMatchObject({ inFlight: 8 });
    expect(hanging.received.length).toBeLessThanOrEqual(8);
  });

  test('a retry is sent when it is due, after first attempts', async () => {
    const [first, second] = [deferred(), deferred()];
    const endpoint = await startEndpoint(
      (_, response) => void first.promise.then(() => response.writeHead(503).end()),
      (_, response) => void second.promise.then(() => response.end()),
      200,
    );
    const webhooks = [{ url: endpoint.url }];
    const store = await (await openStorage(server)).deliveries('orders');
    const settings = { webhooks, allowLoopback: true, concurrency: 1, requestTimeout: 60_000, store: seal(store) };
    const destination = await Destination.open(settings);
    onTestFinished(() => destination.close({ timeout: 0 }));
    const failed = next(destination, 'attempt');
    await deliver(destination, ['fails']);
    await endpoint.has(1);
    await deliver(destination, ['held']);
    first.resolve();
    const { nextAttemptAt = 0 } = await failed;
    await endpoint.has(2);
    await deliver(destination, ['new']);
    await expect.poll(() => Date.now()).toBeGreaterThan(nextAttemptAt);
    second.resolve();
    await destination.idle();
    expect(idsOf(endpoint.received)).toEqual(['fails', 'held', 'new', 'fails']);
    expect(destination.counters()).toMatchObject({ delivered: 3, dead: 0 });
  });

  test('an endpoint that keeps failing is paused, and then tested with one delivery', async () => {
    let isDown = true;
    const endpoint = await startEndpoint((_, response) => void response.writeHead(isDown ? 503 : 200).end());
    const destination = await open(randomUUID(), { webhooks: [{ url: endpoint.url }], concurrency: 1 });
    const opened = next(destination, 'breaker');
    const closed = isClosed(destination);
    await deliver(destination, range(30));
    const { openUntil } = await opened;
    expect(endpoint.received.length).toBe(10);
    expect(destination.endpoints()[0]).toMatchObject({ state: 'open', failing: true });
    // Deliveries that arrived during a count are counted twice until the next count.
    await expect.poll(() => destination.endpoints()[0]?.waiting).toBe(30);
    isDown = false;
    await closed;
    expect(Date.now()).toBeGreaterThanOrEqual(openUntil ?? Number.POSITIVE_INFINITY);
    expect(endpoint.received.length).toBe(11);
    await destination.idle();
    expect(new Set(idsOf(endpoint.received)).size).toBe(30);
    expect(destination.endpoints()[0]).toMatchObject({ state: 'closed', failing: false });
  });

  test('a pause ends although its timer fires a little early, as timers do', async () => {
    const endpoint = await startEndpoint(503, ...Array<number>(9).fill(503), 200);
    const steady = systemClock();
    const clock: Clock = { ...steady, after: (ms, callback) => steady.after(Math.max(0, ms - 3), callback) };
    const store = await (await openStorage(server)).deliveries('orders');
    const settings = { webhooks: [{ url: endpoint.url }], allowLoopback: true, concurrency: 1, store: seal(store) };
    const destination = await Destination.openIn(settings, { clock, random: () => 0 });
    onTestFinished(() => destination.close({ timeout: 0 }));
    const closed = isClosed(destination);
    await deliver(destination, range(12));
    await closed;
    await destination.idle();
    expect(destination.counters()).toMatchObject({ delivered: 12, attempts: 22 });
  });

  test('a pause does not extend the window of a delivery', async () => {
    const endpoint = await startEndpoint({ status: 503, headers: { 'retry-after': '60' } });
    const webhooks = [{ url: endpoint.url }];
    const steady = systemClock();
    let passed = 0;
    const clock: Clock = { ...steady, now: () => steady.now() + passed };
    const store = await (await openStorage(server)).deliveries('orders');
    const settings = { webhooks, allowLoopback: true, concurrency: 1, retryFor: 50_000, store: seal(store) };
    const destination = await Destination.openIn(settings, { clock, random: Math.random });
    onTestFinished(() => destination.close({ timeout: 0 }));
    const opened = next(destination, 'breaker');
    await deliver(destination, range(30));
    await opened;
    expect(destination.endpoints()[0]?.state).toBe('open');
    // The breaker would let one delivery through before the next look for expired ones.
    destination.setPaused(true);
    passed = 50_001;
    await destination.idle();
    expect(endpoint.received.length).toBe(10);
    expect(destination.endpoints()[0]?.waiting).toBe(0);
    expect(destination.counters()).toMatchObject({ attempts: 10, dead: 30 });
  });

  test('a replayed dead letter is sent again', async () => {
    const endpoint = await startEndpoint(400, 200);
    const destination = await open(randomUUID(), { webhooks: [{ url: endpoint.url }] });
    await deliver(destination, ['m1']);
    await destination.idle();
    expect(await destination.replay({ id: 'm1' })).toBe(1);
    await destination.idle();
    expect(idsOf(endpoint.received)).toEqual(['m1', 'm1']);
    expect(await destination.explain('m1')).toBeUndefined();
  });

  test('when a process closes, another immediately takes over its unfinished deliveries', async () => {
    const endpoint = await startEndpoint(() => undefined, 200);
    const prefix = randomUUID();
    const settings = {
      webhooks: [{ url: endpoint.url }],
      requestTimeout: 30_000,
      intervals: { ...QUICK, leaseMs: 60_000 },
    };
    const first = await open(prefix, settings);
    await deliver(first, ['m1']);
    await endpoint.has(1);
    await first.close({ timeout: 0 });
    const second = await open(prefix, settings);
    await second.idle();
    expect(idsOf(endpoint.received)).toEqual(['m1', 'm1']);
  });

  test('a closed store on Redis can be opened again', async () => {
    const endpoint = await startEndpoint(200);
    const storage = await openStorage(server);
    for (const id of ['m1', 'm2']) {
      const store = await storage.deliveries('orders');
      const destination = await Destination.open({
        webhooks: [{ url: endpoint.url }],
        allowLoopback: true,
        store: seal(store),
      });
      await deliver(destination, [id]);
      await destination.idle();
      await destination.close();
    }
    expect(idsOf(endpoint.received)).toEqual(['m1', 'm2']);
  });
});
