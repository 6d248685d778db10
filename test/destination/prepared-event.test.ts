import { expect, test } from 'vitest';
import { prepareEvent } from '../../src/destination/prepared-event.js';
import { MemoryStore } from '../../src/store/memory/memory-store.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { openDestination } from './open.js';
import { track } from './track.js';

const prepared = (id: string, source: string) => ({ ...prepareEvent(track(id)), origin: { source } });

test('prepared events are stored in one turn, and the new ones are counted', async () => {
  const endpoint = await startEndpoint(503);
  const store = new MemoryStore();
  const added: string[] = [];
  const add = store.add.bind(store);
  store.add = (event, body) => {
    added.push(event.id);
    return add(event, body);
  };
  const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }], store });
  const preparedEvents = ['m1', 'm2'].map((id) => prepared(id, 'website'));
  const stored = destination.deliverAll(preparedEvents);
  expect(added).toEqual(['m1', 'm2']);
  expect(await stored).toBe(2);
  expect(await destination.deliverAll([...preparedEvents, prepared('m3', 'website')])).toBe(1);
});

test('of two sources with the same id the second is known by its source too', async () => {
  const endpoint = await startEndpoint(503);
  const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
  await destination.deliverAll([prepared('m1', 'website')]);
  expect(await destination.deliverAll([prepared('m1', 'app')])).toBe(1);
  expect(await destination.deliverAll([prepared('m1', 'app')])).toBe(0);
  expect(await destination.explain('m1')).toBeDefined();
  expect(await destination.explain('//app/m1')).toBeDefined();
});

test('an id that reads like that of another source is taken for no repetition', async () => {
  const endpoint = await startEndpoint(503);
  const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
  const lookalikes = ['m1', 'app/m1', '//app/m1', '///app/m1', '//website///app/m1'];
  expect(await destination.deliverAll(lookalikes.map((id) => prepared(id, 'website')))).toBe(lookalikes.length);
  expect(await destination.deliverAll([prepared('m1', 'app'), prepared('//app/m1', 'app')])).toBe(2);
  expect(await destination.deliverAll([prepared('m1', 'app'), prepared('//app/m1', 'app')])).toBe(0);
});

test('an id that begins like one with a source is found as the message has it', async () => {
  const endpoint = await startEndpoint(404);
  const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
  const { id } = await destination.deliver(track('//m1'));
  expect(id).toBe('//m1');
  await expect.poll(() => destination.counters().dead).toBe(1);
  expect(await destination.explain(id)).toBeDefined();
  expect(await destination.discard({ id })).toBe(1);
});

test('when one prepared event cannot be stored the call fails, once all others have an end', async () => {
  const endpoint = await startEndpoint(503);
  const store = new MemoryStore();
  const add = store.add.bind(store);
  let isLastStored = false;
  store.add = async (event, body) => {
    if (event.id === 'm1') throw new Error('disk error');
    await new Promise((resolve) => setImmediate(resolve));
    isLastStored = await add(event, body);
    return isLastStored;
  };
  const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }], store });
  await expect(destination.deliverAll([prepared('m1', 's'), prepared('m2', 's')])).rejects.toThrow('disk error');
  expect(isLastStored).toBe(true);
});

test('what comes while a destination rests waits in the store, for the webhooks it is opened with next', async () => {
  const [before, after] = await Promise.all([startEndpoint(200), startEndpoint(200)]);
  const store = new MemoryStore();
  const { destination } = await openDestination({ webhooks: [{ url: before.url }], store });
  const next = { webhooks: [{ url: after.url }], allowLoopback: true };
  await destination.rest({ next, timeout: 0 });
  expect(await destination.deliverAll([prepared('m1', 's')])).toBe(1);
  await destination.close({ timeout: 0 });
  await openDestination({ ...next, store });
  await after.has(1);
  expect(before.received).toHaveLength(0);
});

test('a delete notification may have an id, which is not sent', async () => {
  const endpoint = await startEndpoint(200);
  const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
  const timestamp = '2026-11-20T12:00:00.000Z';
  const { id } = await destination.deliver({ type: 'delete', userId: 'u1', timestamp, messageId: 'd1' });
  await endpoint.has(1);
  expect(id).toBe('d1');
  expect(JSON.parse(String(endpoint.received[0]?.body))).toEqual({ type: 'delete', userId: 'u1', timestamp });
});

test('each attempt says which one it is, and in which trace its event came', async () => {
  const endpoint = await startEndpoint(503, 200);
  const { destination, clock } = await openDestination({ webhooks: [{ url: endpoint.url }] });
  const told: unknown[] = [];
  destination.on('attempt', ({ number, trace }) => told.push({ number, trace }));
  await destination.deliverAll([{ ...prepareEvent(track('m1')), origin: { trace: 'a-trace' } }]);
  await endpoint.has(1);
  await expect.poll(() => told).toHaveLength(1);
  await clock.pass(6_500);
  await endpoint.has(2);
  await expect.poll(() => told).toEqual([1, 2].map((number) => ({ number, trace: 'a-trace' })));
});
