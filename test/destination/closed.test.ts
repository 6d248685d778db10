import { expect, test } from 'vitest';
import { Destination } from '../../src/destination/destination.js';
import { DestinationClosedError } from '../../src/destination/destination-errors.js';
import { lmdbStore } from '../../src/destination/index.js';
import { memoryStorage } from '../../src/store/memory/memory-storage.js';
import { newFolder } from '../cli/files.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { FakeClock, settled } from '../support/fake-clock.js';
import { next, openDestination } from './open.js';
import { track } from './track.js';

test.each<[string, (destination: Destination) => unknown]>([
  ['deliver', (destination) => destination.deliver(track('m2'))],
  ['deadLetters', (destination) => destination.deadLetters()[Symbol.asyncIterator]().next()],
  ['explain', (destination) => destination.explain('m1')],
  ['replay', (destination) => destination.replay({})],
  ['discard', (destination) => destination.discard({})],
])('after close, %s of a destination on lmdb rejects with a DestinationClosedError', async (_, call) => {
  const destination = await Destination.open({
    webhooks: [{ url: 'https://example.com/' }],
    store: await lmdbStore({ path: await newFolder() }),
  });
  await destination.close();
  await expect(call(destination)).rejects.toThrow(DestinationClosedError);
});

test('reading dead letters ends with a DestinationClosedError when a destination on lmdb closes', async () => {
  const endpoint = await startEndpoint(400);
  const destination = await Destination.open({
    webhooks: [{ url: endpoint.url }],
    allowLoopback: true,
    store: await lmdbStore({ path: await newFolder() }),
  });
  await Promise.all(Array.from({ length: 300 }, (_, index) => destination.deliver(track(`m${index}`))));
  await destination.idle();
  const reading = (async () => {
    for await (const _ of destination.deadLetters()) await destination.close();
  })();
  await expect(reading).rejects.toThrow(DestinationClosedError);
});

test('methods that need no store still work after close, and report the last state', async () => {
  const { destination } = await openDestination({ webhooks: [{ url: 'https://example.com/' }] });
  await destination.close();
  await destination.idle();
  await destination.close();
  expect(destination.counters().accepted).toBe(0);
  expect(destination.endpoints()).toHaveLength(1);
  destination.on('dead', () => {})();
});

test.each<[string, (destination: Destination) => Promise<unknown>]>([
  ['deliver', (destination) => destination.deliver(track('m2'))],
  ['explain', (destination) => destination.explain('m1')],
  ['replay', (destination) => destination.replay({})],
  ['discard', (destination) => destination.discard({})],
])('%s of a destination on lmdb, called before close in the same turn, completes', async (_, call) => {
  const path = await newFolder();
  const webhooks = [{ url: 'https://example.com/' }];
  const destination = await Destination.open({ webhooks, store: await lmdbStore({ path }) });
  const called = call(destination);
  const closed = destination.close({ timeout: 0 });
  await expect(called).resolves.not.toThrow();
  await closed;
});

test('an event that was accepted before close in the same turn is in the store', async () => {
  const path = await newFolder();
  const webhooks = [{ url: 'https://example.com/' }];
  const destination = await Destination.open({ webhooks, store: await lmdbStore({ path }) });
  const delivered = destination.deliver(track('m1'));
  await destination.close({ timeout: 0 });
  expect(await delivered).toEqual({ id: 'm1', status: 'accepted' });
  const again = await Destination.open({ webhooks, store: await lmdbStore({ path }) });
  expect((await again.explain('m1'))?.id).toBe('m1');
  await again.close({ timeout: 0 });
});

test('an explanation that was requested before close in the same turn is returned', async () => {
  const endpoint = await startEndpoint(503);
  const store = await memoryStorage().deliveries('crm');
  let isClosed = false;
  const slow = Object.assign(store, {
    // A store behaves like this if it needs the network for each answer.
    isBehind: async () => {
      await settled();
      if (isClosed) throw new Error('The store is closed');
      return false;
    },
    close: async () => {
      isClosed = true;
    },
  });
  const options = { webhooks: [{ url: endpoint.url }], allowLoopback: true };
  const dependencies = { clock: new FakeClock(), random: () => 0.5 };
  const destination = await Destination.openOn(slow, options, dependencies, false);
  const attempted = next(destination, 'attempt');
  await destination.deliver(track('m1'));
  await attempted;
  await settled();
  const explained = destination.explain('m1');
  const closed = destination.close({ timeout: 0 });
  expect((await explained)?.id).toBe('m1');
  await closed;
});
