import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { newEvent, type StoredEvent } from '../../src/delivery/completion-rule.js';
import type { EventStore } from '../../src/store/event-store.js';
import type { Storage } from '../../src/store/storage.js';
import type { EventStoreUnderTest, TestStore } from './event-store-conformance.js';
import type { StorageUnderTest } from './storage-under-test.js';

const URL = 'https://a.example/hook';
const body = Buffer.from('{"type":"track"}');

/** Returns ids whose own order is the opposite of the order in the list. */
const idsDown = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `m${String(99_999 - index).padStart(5, '0')}`);

/** Creates an event for the store as a destination does. */
const eventFor = (store: EventStore, id: string, now: number): StoredEvent =>
  newEvent(id, 'track', [URL], now, { bytes: body.length, place: store.placeFor(now) });

const waitingIn = async (store: EventStore): Promise<string[]> =>
  (await store.waiting(URL, 'first', undefined, 10_000)).map(({ id }) => id);

/** Tests that first attempts in an event store wait in the order in which they were added. */
export function describeOrder({ name, lasts, setUp }: EventStoreUnderTest): void {
  describe(`the order of first attempts in ${name}`, () => {
    let open: () => Promise<TestStore>;
    let store: TestStore;
    const add = (id: string, now: number) => store.add(eventFor(store, id, now), body);

    beforeEach(async () => {
      open = await setUp();
      store = await open();
    });

    afterEach(() => store.close?.());

    test('events of one millisecond wait in the order in which they were added', async () => {
      const ids = idsDown(1_500);
      await Promise.all(ids.map((id) => add(id, 1_000)));
      expect(await waitingIn(store)).toEqual(ids);
    });

    test('a list of deliveries of one millisecond continues where it stopped', async () => {
      const ids = idsDown(10);
      await Promise.all(ids.map((id) => add(id, 1_000)));
      const page = await store.waiting(URL, 'first', undefined, 4);
      const rest = await store.waiting(URL, 'first', page.at(-1), 10);
      expect([...page, ...rest].map(({ id }) => id)).toEqual(ids);
    });

    test('an event that is added after the clock was set back waits behind the earlier ones', async () => {
      for (const [id, now] of [
        ['a', 3_600_000],
        ['b', 1_000],
        ['c', 2_000],
      ] as const)
        await add(id, now);
      expect(await waitingIn(store)).toEqual(['a', 'b', 'c']);
    });

    test('an event has its time of acceptance, whatever its place in line is', async () => {
      await add('a', 3_600_000);
      await add('b', 1_000);
      expect(await store.event('b')).toMatchObject({ acceptedAt: 1_000 });
    });

    if (!lasts) return;

    test('an event that is added after reopening with the clock set back waits behind the earlier ones', async () => {
      for (const id of ['c', 'b']) await add(id, 3_600_000);
      await store.close?.();
      store = await open();
      await add('a', 1_000);
      expect(await waitingIn(store)).toEqual(['c', 'b', 'a']);
    });
  });
}

/** Tests the order in which messages that a storage takes in wait at each of their destinations. */
export function describeOrderOfIntake({ name, setUp }: StorageUnderTest): void {
  describe(`the order of messages that ${name} takes in`, () => {
    let storage: Storage;

    beforeEach(async () => {
      storage = await (await setUp())();
      onTestFinished(() => storage.close());
    });

    test('messages wait at each destination in the order of the calls, and of the messages in each call', async () => {
      const stores = await Promise.all(['crm', 'ads'].map((destination) => storage.deliveries(destination)));
      const ids = idsDown(900);
      const now = Date.now();
      const take = (some: readonly string[]) =>
        storage.takeIn(
          'web',
          some.map((id) => ({
            id,
            body,
            deliveries: stores.map((store) => ({ store, event: eventFor(store, id, now) })),
          })),
          now,
        );
      await Promise.all([take(ids.slice(0, 300)), take(ids.slice(300, 301)), take(ids.slice(301))]);
      for (const store of stores) expect(await waitingIn(store)).toEqual(ids);
    });
  });
}
