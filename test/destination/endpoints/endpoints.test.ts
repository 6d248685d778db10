import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MemoryStore } from '../../../src/store/memory/memory-store.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { openLmdbStore } from '../../store/lmdb/open.js';
import { FakeClock, settled } from '../../support/fake-clock.js';
import { next, openDestination } from '../open.js';
import { track } from '../track.js';

describe('a restart', () => {
  const folder = (): string => {
    const path = mkdtempSync(join(tmpdir(), 'eventferry-'));
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    return path;
  };

  test('a restart resumes the stored deliveries with the same bytes and the same schedule', async () => {
    const path = folder();
    const clock = new FakeClock();
    const endpoint = await startEndpoint(503, 200);
    const settings = { webhooks: [{ url: endpoint.url }], sharedSecret: 'shhh' };
    const before = await openDestination(
      { ...settings, store: await openLmdbStore({ path, lock: 'alone' }) },
      { clock },
    );
    const failed = next(before.destination, 'attempt');
    await before.destination.deliver(track('m1'));
    await failed;
    await before.destination.close();

    const after = await openDestination(
      { ...settings, store: await openLmdbStore({ path, lock: 'alone' }) },
      { clock },
    );
    expect(after.destination.endpoints()).toMatchObject([{ waiting: 1 }]);
    await expect.poll(() => after.destination.endpoints()[0]?.oldestDue).toBe(clock.now() + 5_000);
    const made = next(after.destination, 'attempt');
    await clock.pass(5_000);
    await made;
    await after.destination.idle();
    expect(endpoint.received[1]?.body).toEqual(endpoint.received[0]?.body);
    expect(endpoint.received[1]?.headers).toEqual(endpoint.received[0]?.headers);
  });

  test('a restart without one of the webhooks makes dead letters of its waiting deliveries, and then forgets the webhook', async () => {
    const path = folder();
    const clock = new FakeClock();
    const [old, current] = [await startEndpoint(503), await startEndpoint(200)];
    const both = [{ url: old.url, id: 'old' }, { url: current.url }];
    const before = await openDestination(
      { webhooks: both, store: await openLmdbStore({ path, lock: 'alone' }), settle: 'each' },
      { clock },
    );
    const failed = next(before.destination, 'attempt', ({ endpoint }) => endpoint === old.url);
    await before.destination.deliver(track('m1'));
    await failed;
    await before.destination.close();

    const after = await openDestination(
      { webhooks: [{ url: current.url }], store: await openLmdbStore({ path, lock: 'alone' }), settle: 'each' },
      { clock },
    );
    expect(after.destination.endpoints()).toMatchObject([{ url: current.url }, { url: old.url, waiting: 1 }]);
    const dead = next(after.destination, 'dead');
    await expect.poll(() => after.destination.endpoints()[1]?.oldestDue).toBe(clock.now() + 5_000);
    await clock.pass(5_000);
    expect((await dead).endpoints).toMatchObject([
      { id: 'old', url: old.url, reason: 'permanent', attempts: [{ status: 503 }, { code: 'REMOVED' }] },
    ]);
    expect([old.received.length, current.received.length]).toEqual([1, 1]);
    // Its last delivery has failed, and nothing waits for it any more.
    await expect.poll(() => after.destination.endpoints()).toMatchObject([{ url: current.url }]);
  });
});

describe('closing', () => {
  test('closing waits for running requests, and keeps the other deliveries in the store', async () => {
    const store = new MemoryStore();
    const answers: (() => void)[] = [];
    const endpoint = await startEndpoint((_, response) => answers.push(() => response.end()));
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }], store, concurrency: 2 });
    for (const id of ['m1', 'm2', 'm3']) await destination.deliver(track(id));
    await endpoint.has(2);
    const closed = destination.close();
    for (const answer of answers) answer();
    await closed;
    expect(destination.counters().delivered).toBe(2);
    expect(await store.backlog()).toMatchObject([{ url: endpoint.url, first: 1, retry: 0 }]);
  });

  test('closing cuts off requests at the deadline, and leaves their deliveries unchanged', async () => {
    const store = new MemoryStore();
    const endpoint = await startEndpoint(() => {});
    const { destination, clock } = await openDestination({
      webhooks: [{ url: endpoint.url, requestTimeout: 60_000 }],
      store,
    });
    await destination.deliver(track('m1'));
    await endpoint.has(1);
    const closed = destination.close({ timeout: 1_000 });
    await settled();
    await clock.pass(1_000);
    await closed;
    expect(destination.counters().attempts).toBe(0);
    expect((await store.event('m1'))?.urls[endpoint.url]).toMatchObject({ phase: 'pending', history: [] });
  });

  test('closing ends a call of idle()', async () => {
    const endpoint = await startEndpoint(503);
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    const failed = next(destination, 'attempt');
    await destination.deliver(track('m1'));
    const idle = destination.idle();
    await failed;
    await destination.close();
    await idle;
    await destination.idle();
  });

  test('closing refuses later calls, and closing twice is allowed', async () => {
    const endpoint = await startEndpoint(200);
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    await Promise.all([destination.close(), destination.close()]);
    await expect(destination.deliver(track('m1'))).rejects.toMatchObject({ code: 'EVENTFERRY_DESTINATION_CLOSED' });
    await expect(destination.replay({})).rejects.toMatchObject({ code: 'EVENTFERRY_DESTINATION_CLOSED' });
  });
});

test('an endpoint without deliveries sets no timer, reads nothing, and is reported as idle', async () => {
  const [clock, store] = [new FakeClock(), new MemoryStore()];
  let [reads, timers] = [0, 0];
  const waiting = store.waiting.bind(store);
  store.waiting = (...asked) => {
    reads++;
    return waiting(...asked);
  };
  const after = clock.after.bind(clock);
  clock.after = (ms, act) => {
    timers++;
    return after(ms, act);
  };
  const { destination } = await openDestination(
    {
      webhooks: [{ url: 'https://a.example/' }, { url: 'https://b.example/', id: 'b' }],
      maxBacklog: { age: 1_000 },
      store,
    },
    { clock },
  );
  // The one timer belongs to the retention of dead letters, which each destination has.
  expect({ reads, timers }).toEqual({ reads: 0, timers: 1 });
  const quiet = {
    state: 'closed',
    failing: false,
    failingSince: undefined,
    lastFailures: undefined,
    inFlight: 0,
    waiting: 0,
    oldestDue: undefined,
    openUntil: undefined,
    dueUnclaimedMs: 0,
  };
  expect(destination.endpoints()).toEqual([
    { url: 'https://a.example/', ...quiet },
    { url: 'https://b.example/', id: 'b', ...quiet },
  ]);
  expect(destination.waiting).toBe(0);
});

test('a tested webhook is reported with its answer, its duration and its exchange', async () => {
  const clock = new FakeClock();
  const endpoint = await startEndpoint(async (_, response) => {
    await clock.pass(30);
    response.writeHead(503).end('later');
  });
  const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] }, { clock });
  const [tested] = await destination.test(track('m1'));
  expect(tested).toMatchObject({
    url: endpoint.url,
    attempt: { durationMs: 30, status: 503, result: 'server-error', answer: 'later' },
    exchange: { sent: { headers: { 'content-type': 'application/json' } }, answer: { text: 'later', isCut: false } },
  });
});

test('a tested webhook that did not answer is reported with an error and without an answer', async () => {
  const { destination } = await openDestination({ webhooks: [{ url: 'http://127.0.0.1:1/' }] });
  const [tested] = await destination.test(track('m1'));
  expect(tested).toMatchObject({ attempt: { code: 'ECONNREFUSED', result: 'network' } });
  expect(tested?.exchange?.answer).toBeUndefined();
});
