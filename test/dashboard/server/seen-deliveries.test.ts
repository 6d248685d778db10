import { describe, expect, onTestFinished, test } from 'vitest';
import type { DeliveryEntry, EndpointState } from '../../../src/dashboard/server/entry.js';
import { Feed } from '../../../src/dashboard/server/live-feed.js';
import { Deliveries, type DeliveriesOptions } from '../../../src/dashboard/server/seen-deliveries.js';
import { verify } from '../../../src/signature/x-signature.js';
import { openDestination } from '../../destination/open.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { FakeClock, settled } from '../../support/fake-clock.js';
import { messageOf } from './message-of.js';

async function open(webhooks: readonly string[], options: Partial<DeliveriesOptions> = {}) {
  const feed = new Feed();
  const deliveries = await Deliveries.open({ webhooks, ...options }, feed);
  const entries = (): DeliveryEntry[] => feed.after(0, 10_000).map(({ json }) => JSON.parse(json));
  const endpoints = (): EndpointState[] => JSON.parse(feed.endpoints ?? '[]');
  const has = (count: number): Promise<void> => expect.poll(() => entries().length).toBeGreaterThanOrEqual(count);
  return { feed, deliveries, entries, endpoints, has };
}

/** Opens deliveries with a clock that the test controls. */
const openAt = (clock: FakeClock, url: string) =>
  open([url], { open: async ({ store: _, ...settings }) => (await openDestination(settings, { clock })).destination });

/** Opens deliveries, and closes them at the end of the test. */
async function opened(webhooks: readonly string[], options: Partial<DeliveriesOptions> = {}) {
  const all = await open(webhooks, options);
  onTestFinished(() => all.deliveries.close());
  return all;
}

describe('a message', () => {
  test('a forwarded message is sent to each webhook with a signature', async () => {
    const [one, other] = [await startEndpoint(200), await startEndpoint(204)];
    const { deliveries, entries, has } = await opened([one.url, other.url], { secret: 'shhh' });
    await deliveries.forward([messageOf('m1', { properties: { total: 42 } })]);
    await has(2);
    for (const { received } of [one, other]) {
      const [first] = received;
      expect(JSON.parse(String(first?.body))).toMatchObject({ messageId: 'm1', properties: { total: 42 }, version: 1 });
      expect(verify(first?.body ?? '', String(first?.headers['x-signature']), 'shhh')).toBe(true);
    }
    const told = entries().sort((a, b) => a.result.localeCompare(b.result));
    const common = { kind: 'delivery', id: 'm1', type: 'track', title: 'Order Completed', attempt: 1 };
    expect(told).toMatchObject([
      { ...common, endpoint: one.url, outcome: 'delivered', result: '200', durationMs: expect.any(Number) },
      { ...common, endpoint: other.url, outcome: 'delivered', result: '204' },
    ]);
  });

  test('a failed delivery shows its next attempt and the reason', async () => {
    const { url } = await startEndpoint(503);
    const { deliveries, entries, has } = await opened([url]);
    await deliveries.forward([messageOf('m1')]);
    await has(1);
    const [entry] = entries();
    expect(entry).toMatchObject({ outcome: 'retry', result: '503', attempt: 1 });
    expect(entry?.reason).toBe('a 5xx status means that the endpoint fails for now, so it is tried again');
    expect(Date.parse(entry?.nextAttemptAt ?? '')).toBeGreaterThan(Date.parse(entry?.at ?? ''));
  });

  test('a delivery without an answer shows the error', async () => {
    const { deliveries, entries, has } = await opened(['http://127.0.0.1:1/']);
    await deliveries.forward([messageOf('m1')]);
    await has(1);
    expect(entries()).toMatchObject([{ outcome: 'retry', result: 'ECONNREFUSED' }]);
  });

  test.each([
    ['leaves out Webhooks', { integrations: { Webhooks: false } }, 'its integrations leave out Webhooks'],
    ['has an event that no receiver takes', { event: '' }, 'track.event: expected a non-empty string'],
  ])('a message that %s is skipped with a reason', async (_, fields, reason) => {
    const { url, received } = await startEndpoint(200);
    const { deliveries, entries } = await opened([url]);
    await deliveries.forward([messageOf('m1', fields)]);
    expect(entries()).toMatchObject([{ outcome: 'skipped', reason: expect.stringContaining(reason) }]);
    expect(received).toEqual([]);
  });

  test('a message is skipped with a reason if the same id is dead at a webhook', async () => {
    const { url } = await startEndpoint(410);
    const { deliveries, entries, has } = await opened([url]);
    await deliveries.forward([messageOf('m1')]);
    await has(1);
    await deliveries.forward([messageOf('m1')]);
    expect(entries()[1]).toMatchObject({
      outcome: 'skipped',
      reason: 'one of the same id waits, or is dead, at a webhook',
    });
  });

  test('a dead delivery is reported once, after its last attempt or at the end of its time', async () => {
    const { url } = await startEndpoint(503);
    const clock = new FakeClock();
    const { deliveries, entries, has } = await openAt(clock, url);
    // These are more messages than are tried within four hours at an endpoint that is paused after failures.
    const ids = Array.from({ length: 40 }, (_, number) => `m${number}`);
    await deliveries.forward(ids.map((id) => messageOf(id)));
    await has(40);
    // The steps are shorter than the request timeout, because the endpoint answers in real time.
    for (let elapsedMs = 0; elapsedMs < 5 * 60 * 60_000; elapsedMs += 4_000) {
      await clock.pass(4_000);
      while (deliveries.destination.endpoints()[0]?.inFlight !== 0) await settled();
    }
    const dead = entries().filter(({ outcome }) => outcome === 'dead');
    expect(dead.map(({ id }) => id).sort()).toEqual(ids.sort());
    expect(dead.map(({ result }) => result)).toContain('too late');
    for (const { result, attempt } of dead) expect([result, attempt > 0]).toEqual([result, result !== 'too late']);
  });
});

describe('a replay', () => {
  test('a replay sends a dead delivery again', async () => {
    const { url, received } = await startEndpoint(404, 200);
    const { deliveries, entries, has } = await opened([url]);
    await deliveries.forward([messageOf('m1')]);
    await has(1);
    expect(await deliveries.replay('m1', url)).toBe('Sent again');
    await has(2);
    expect(entries()).toMatchObject([{ outcome: 'dead' }, { outcome: 'delivered', attempt: 1 }]);
    expect(received[1]?.body).toEqual(received[0]?.body);
  });

  test('a replay sends a dead delivery only to its webhook', async () => {
    const [bad, good] = [await startEndpoint(410, 200), await startEndpoint(200)];
    const { deliveries, has } = await opened([bad.url, good.url]);
    await deliveries.forward([messageOf('m1')]);
    await has(2);
    expect(await deliveries.replay('m1', bad.url)).toBe('Sent again');
    await bad.has(2);
    expect(good.received).toHaveLength(1);
  });

  test('a replay sends a delivered message to each webhook with the same bytes', async () => {
    const { url, received } = await startEndpoint(200);
    const { deliveries, has } = await opened([url]);
    await deliveries.forward([messageOf('m1')]);
    await has(1);
    expect(await deliveries.replay('m1', url)).toBe('Sent again to each webhook');
    await has(2);
    expect(received[1]?.body).toEqual(received[0]?.body);
  });

  test('a replay of a waiting or unknown message does nothing', async () => {
    const { url } = await startEndpoint(503);
    const { deliveries, has } = await opened([url]);
    await deliveries.forward([messageOf('m1')]);
    await has(1);
    expect(await deliveries.replay('m1', url)).toBe('An attempt is still to come');
    expect(await deliveries.replay('m2', url)).toBe('The message is no longer known');
  });
});

describe('the endpoints', () => {
  test('the endpoints show how many deliveries are being sent and how many wait', async () => {
    const { url } = await startEndpoint(() => {});
    const { deliveries, endpoints } = await opened([url]);
    expect(endpoints()).toMatchObject([{ url, state: 'closed', failing: false, inFlight: 0, waiting: 0 }]);
    await deliveries.forward([messageOf('m1'), messageOf('m2')]);
    await expect.poll(() => endpoints()).toMatchObject([{ url, inFlight: 2, waiting: 2 }]);
  });

  test('the endpoints show until when a circuit breaker is open after ten failures', async () => {
    const { url } = await startEndpoint(500);
    const { deliveries, endpoints } = await opened([url]);
    await deliveries.forward(Array.from({ length: 10 }, (_, number) => messageOf(`m${number}`)));
    await expect
      .poll(() => endpoints()[0])
      .toMatchObject({ state: 'open', failing: true, openUntil: expect.any(Number) });
  });
});

test('clearing discards dead deliveries', async () => {
  const { url } = await startEndpoint(404);
  const { deliveries, has } = await opened([url]);
  await deliveries.forward([messageOf('m1')]);
  await has(1);
  await deliveries.clear();
  expect(await deliveries.replay('m1', url)).toBe('The message is no longer known');
});

test('a webhook that is not a URL is refused', async () => {
  await expect(open(['nowhere'])).rejects.toMatchObject({ code: 'EVENTFERRY_DESTINATION_INVALID_OPTION' });
});

test('messages are skipped when too many wait', async () => {
  const { url } = await startEndpoint(() => {});
  const { deliveries, entries } = await openAt(new FakeClock(), url);
  await deliveries.forward(Array.from({ length: 10_001 }, (_, number) => messageOf(`m${number}`)));
  expect(entries()).toMatchObject([{ id: 'm10000', outcome: 'skipped', reason: '10000 wait already' }]);
});
