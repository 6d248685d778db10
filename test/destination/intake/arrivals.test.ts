import { expect, test } from 'vitest';
import { DestinationClosedError } from '../../../src/destination/destination-errors.js';
import { type PreparedEvent, prepareEvent } from '../../../src/destination/intake/prepared-event.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { deferred } from '../../collector/support.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { settled } from '../../support/fake-clock.js';
import { openDestination, takeIn } from '../open.js';
import { track } from '../track.js';

const prepared = (id: string, source: string) => ({ ...prepareEvent(track(id)), origin: { source } });

/** Opens a destination in a storage. */
async function opened(options: Omit<Parameters<typeof openDestination>[0], 'store'>, storage = memoryStorage()) {
  const store = await storage.deliveries('crm');
  const { destination } = await openDestination({ ...options, store });
  const take = (...preparedEvents: PreparedEvent[]) => takeIn(storage, { destination, store }, preparedEvents);
  return { destination, storage, take };
}

test('new prepared events are counted as accepted, and those that their source has sent before are not counted', async () => {
  const endpoint = await startEndpoint(503);
  const { destination, take } = await opened({ webhooks: [{ url: endpoint.url }] });
  expect(await take(prepared('m1', 'website'), prepared('m2', 'website'))).toBe(2);
  expect(await take(prepared('m1', 'website'), prepared('m3', 'website'))).toBe(1);
  expect(destination.counters()).toMatchObject({ accepted: 3, duplicates: 0 });
});

test('a prepared event that the destination already has from elsewhere is a duplicate', async () => {
  const endpoint = await startEndpoint(503);
  const { destination, take } = await opened({ webhooks: [{ url: endpoint.url }] });
  await destination.deliver(track('m1'));
  expect(await take({ ...prepareEvent(track('m1')), origin: {} })).toBe(0);
  expect(destination.counters()).toMatchObject({ accepted: 1, duplicates: 1 });
});

test('when two sources use the same id, the second event is stored with its source in the id', async () => {
  const endpoint = await startEndpoint(503);
  const { destination, take } = await opened({ webhooks: [{ url: endpoint.url }] });
  await take(prepared('m1', 'website'));
  expect(await take(prepared('m1', 'app'))).toBe(1);
  expect(await take(prepared('m1', 'app'))).toBe(0);
  expect(await destination.explain('m1')).toBeDefined();
  expect(await destination.explain('//app/m1')).toBeDefined();
});

test('an id that looks as if it contained a source does not count as a repetition', async () => {
  const endpoint = await startEndpoint(503);
  const { take } = await opened({ webhooks: [{ url: endpoint.url }] });
  const lookalikes = ['m1', 'app/m1', '//app/m1', '///app/m1', '//website///app/m1'];
  expect(await take(...lookalikes.map((id) => prepared(id, 'website')))).toBe(lookalikes.length);
  expect(await take(prepared('m1', 'app'), prepared('//app/m1', 'app'))).toBe(2);
  expect(await take(prepared('m1', 'app'), prepared('//app/m1', 'app'))).toBe(0);
});

test('an event whose id looks as if it contained a source is found by the id of its message', async () => {
  const endpoint = await startEndpoint(404);
  const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
  const { id } = await destination.deliver(track('//m1'));
  expect(id).toBe('//m1');
  await expect.poll(() => destination.counters().dead).toBe(1);
  expect(await destination.explain(id)).toBeDefined();
  expect(await destination.discard({ id })).toBe(1);
});

test('closing a destination waits for events that are being stored', async () => {
  const endpoint = await startEndpoint(503);
  const { destination } = await opened({ webhooks: [{ url: endpoint.url }] });
  const stored = deferred();
  const accepting = destination.arrivals.accept(
    destination.arrivals.newEvents([prepared('m1', 's')], 0, 0),
    stored.promise.then(() => []),
    0,
  );
  let isClosed = false;
  const closed = destination.close({ timeout: 0 }).then(() => (isClosed = true));
  await settled();
  expect(isClosed).toBe(false);
  expect(() => destination.arrivals.newEvents([], 0, 0)).toThrow(DestinationClosedError);
  stored.reject(new Error('disk error'));
  await expect(accepting).rejects.toThrow('disk error');
  await closed;
});

test('events that arrive while a destination rests wait in the store for the webhooks with which it is opened next', async () => {
  const [before, after] = await Promise.all([startEndpoint(200), startEndpoint(200)]);
  const { destination, storage, take } = await opened({ webhooks: [{ url: before.url }] });
  const next = { webhooks: [{ url: after.url }], allowLoopback: true };
  await destination.rest({ next, timeout: 0 });
  expect(await take(prepared('m1', 's'))).toBe(1);
  await destination.close({ timeout: 0 });
  await opened(next, storage);
  await after.has(1);
  expect(before.received).toHaveLength(0);
});

test('a destination finds the outcome of its own deliveries, and ignores messages that their source has sent before', async () => {
  const endpoint = await startEndpoint(200);
  const { destination } = await opened({ webhooks: [{ url: endpoint.url }] });
  const { arrivals } = destination;
  const newEvents = arrivals.newEvents(
    ['m1', 'm2', 'm3', 'm4'].map((id) => prepared(id, 's')),
    0,
    0,
  );
  const taken = [['x', 'm1'], ['x', undefined], 'known', ['x', 'of nobody here']] as const;
  expect(await arrivals.accept(newEvents, Promise.resolve(taken), 1)).toBe(2);
  expect(destination.counters()).toMatchObject({ accepted: 2, duplicates: 1 });
  await endpoint.has(2);
  expect(endpoint.received.map(({ body }) => JSON.parse(body.toString()).messageId).sort()).toEqual(['m1', 'm4']);
});
