import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import { IntakeWriter } from '../../src/store/redis/intake-writer.js';
import { Partition } from '../../src/store/redis/partition.js';
import type { RedisClient } from '../../src/store/redis/redis-client.js';
import type { RedisStore } from '../../src/store/redis/redis-store.js';
import { RedisServer } from './redis-server.js';
import { claimAt, openStorage, roomFor } from './storage.js';

const URLS = ['https://a.example/', 'https://b.example/'];
const [URL_A = ''] = URLS;

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

async function openStores(count: number) {
  const storage = await openStorage(server);
  const names = Array.from({ length: count }, (_, index) => `d${index}`);
  const stores = (await Promise.all(names.map((name) => storage.deliveries(name)))) as [RedisStore, ...RedisStore[]];
  return { stores, writer: stores[0].parts[0].connection.intake };
}

const eventOf = (id: string, body: string, at = 1_000, urls = URLS) =>
  newEvent(id, 'track', urls, at, { bytes: body.length });

const messageOf = (id: string, body: string, stores: readonly RedisStore[], events = [eventOf(id, body)]) => ({
  seen: undefined,
  body: Buffer.from(body),
  deliveries: stores.map((store, index) => ({
    store: store.parts[0],
    event: events[index % events.length] ?? eventOf(id, body),
  })),
});

const scripts = () =>
  server.look(async (redis) => Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0));

test('messages with the same and with different deliveries are stored together, each unchanged', async () => {
  const { stores, writer } = await openStores(2);
  const [one, other] = stores;
  await writer.take([messageOf('m0', '{}', stores)]);
  const messages = [
    messageOf('m1', '{"a":1}', stores),
    messageOf('m2', '{"a":22}', stores, [eventOf('m2', '{"a":22}', 2_000)]),
    messageOf('m3', '{"a":3}', stores, [{ ...eventOf('m3', '{"a":3}'), user: 'ann-------------', isOrdered: true }]),
    messageOf('m4', '{"a":4}', [one], [eventOf('m4', '{"a":4}', 1_000, [URL_A])]),
    messageOf('m5', '{"a":5}', stores),
    messageOf('m6', '{"a":6}', stores, [eventOf('m6', '{"a":6}', 1_000, ['https://c.example/', URL_A])]),
  ];
  const before = await scripts();
  expect(await writer.take(messages)).toEqual([
    ['m1', 'm1'],
    ['m2', 'm2'],
    ['m3', 'm3'],
    ['m4'],
    ['m5', 'm5'],
    ['m6', 'm6'],
  ]);
  expect((await scripts()) - before).toBe(1);
  for (const { body, deliveries } of messages) {
    for (const { store, event } of deliveries) {
      expect(await store.event(event.id)).toEqual(event);
      expect(await store.body(event.id)).toEqual(body);
    }
  }
  expect(await other?.event('m4')).toBeUndefined();
  const bytes = (await one.backlog()).map((backlog) => [backlog.url, backlog.first, backlog.bytes]);
  expect(bytes).toEqual(expect.arrayContaining([[URL_A, 7, 2 + 7 + 8 + 7 + 7 + 7 + 7]]));
});

test('first attempts are claimed while they are stored as long as there is room, and unused reserved room is released', async () => {
  const { stores, writer } = await openStores(1);
  const [store] = stores;
  const firsts = store.parts[0].leases(URL_A);
  const room = roomFor(2);
  firsts.room = room;
  const events = ['m1', 'm2', 'm3'].map((id) => eventOf(id, '{}', 1_000, [URL_A]));
  await writer.take(events.map((event) => messageOf(event.id, '{}', [store], [event])));
  expect(room.reserved).toBe(2);
  expect(await store.parts[0].counts.of(URL_A)).toMatchObject({ first: 3, retry: 0, bytes: 6 });
  expect(['m1', 'm2', 'm3'].map((id) => firsts.takeOver(id) !== undefined)).toEqual([true, true, false]);
  // m3 waits, and m4 must not overtake it.
  await writer.take([messageOf('m4', '{}', [store], [eventOf('m4', '{}', 1_000, [URL_A])])]);
  expect(room.reserved).toBe(2);
  expect(await claimAt(store, URL_A, 10)).toEqual(['m3', 'm4']);
});

test('a destination that already has the event of a message does not get it again, but another one does', async () => {
  const { stores, writer } = await openStores(2);
  const [one, other] = stores as [RedisStore, RedisStore];
  await writer.take([messageOf('m1', '{}', [one])]);
  expect(await writer.take([messageOf('m1', '[]', [one, other])])).toEqual([[undefined, 'm1']]);
  expect([await one.body('m1'), await other.body('m1')].map(String)).toEqual(['{}', '[]']);
});

test('room reserved for messages that Redis did not store is released', async () => {
  const { stores, writer } = await openStores(1);
  const [store] = stores;
  const firsts = store.parts[0].leases(URL_A);
  const room = roomFor(10);
  firsts.room = room;
  await server.look((redis) => redis.config('SET', 'maxmemory', 1));
  await expect(writer.take([messageOf('m1', '{}', stores)])).rejects.toThrow('OOM');
  await server.look((redis) => redis.config('SET', 'maxmemory', 0));
  expect(room.reserved).toBe(0);
});

test('two messages with one id in one turn are stored once, and the same id from another source is stored with its source', async () => {
  const { stores, writer } = await openStores(1);
  const message = messageOf('m1', '{}', stores);
  const fromB = message.deliveries.map((each) => ({ ...each, event: { ...each.event, source: 'b' } }));
  const [one, again, other] = await Promise.all(
    [
      { ...message, seen: 'seen:a' },
      { ...message, seen: 'seen:a' },
      { ...message, seen: 'seen:b', sourcedId: '//b/m1', deliveries: fromB },
    ].map((each) => writer.take([each])),
  );
  expect([one, again, other]).toEqual([[['m1']], ['known'], [['//b/m1']]]);
});

test('the id of a message without a destination is remembered, and nothing else of it is stored', async () => {
  const { stores, writer } = await openStores(1);
  const nowhere = { seen: 'seen:nowhere', body: Buffer.from('{}'), deliveries: [] };
  const { records } = stores[0].parts[0].connection.partition;
  expect(await writer.take([nowhere])).toEqual([[]]);
  expect(await writer.take([nowhere])).toEqual(['known']);
  expect(await server.look((redis) => redis.exists(records))).toBe(0);
});

test.each([
  { kind: 'short', length: 500, expected: 1 },
  { kind: 'long', length: 30_000, expected: 2 },
])(
  '200 $kind messages are stored with as few scripts as keep each to a few megabytes',
  async ({ length, expected }) => {
    const { stores, writer } = await openStores(1);
    const body = JSON.stringify('x'.repeat(length));
    const messages = Array.from({ length: 200 }, (_, index) => messageOf(`m${index}`, body, stores));
    await writer.take([messageOf('first', '{}', stores)]);
    const before = await scripts();
    expect(await writer.take(messages)).toEqual(messages.map((_, index) => [`m${index}`]));
    expect((await scripts()) - before).toBe(expected);
  },
);

test('ordered messages of 200 users are stored with two scripts, because each message enters lanes of its own', async () => {
  const { stores, writer } = await openStores(4);
  const messages = Array.from({ length: 200 }, (_, index) => {
    const user = `user-${index}`.padEnd(16, '-');
    return messageOf(`m${index}`, '{}', stores, [{ ...eventOf(`m${index}`, '{}'), user, isOrdered: true }]);
  });
  await writer.take([messageOf('first', '{}', stores)]);
  const before = await scripts();
  await writer.take(messages);
  expect((await scripts()) - before).toBe(2);
});

describe('ordered messages of one user', () => {
  const SETTINGS = { keepMs: 60_000, leaseMs: 60_000, now: () => 1_000 };

  /** Opens a writer whose commands reach Redis when the test releases them. */
  async function openHeld() {
    const { stores } = await openStores(1);
    const { partition } = stores[0].parts[0].connection;
    const { link } = partition;
    const held: ((error?: Error) => void)[] = [];
    const holding = Object.create(link, {
      run: {
        value: async (...command: Parameters<RedisClient['run']>) => {
          await new Promise<void>((resolve, reject) => held.push((error) => (error ? reject(error) : resolve())));
          return link.run(...command);
        },
      },
    }) as RedisClient;
    const writer = new IntakeWriter(new Partition(holding, partition.tag), SETTINGS);
    const ordered = (id: string, user: string) => {
      const event = { ...eventOf(id, '{}', 1_000, [URL_A]), isOrdered: true as const, user };
      return messageOf(id, '{}', stores, [event]);
    };
    return { writer, held, ordered };
  }

  test('the next message is sent once the one before is stored, and messages of other users do not wait', async () => {
    const { writer, held, ordered } = await openHeld();
    const taken = [ordered('a1', 'ann'), ordered('a2', 'ann'), ordered('b1', 'bob')].map((each) => writer.take([each]));
    await expect.poll(() => held.length).toBe(1);
    held.shift()?.();
    await Promise.all([taken[0], taken[2]]);
    await expect.poll(() => held.length).toBe(1);
    held.shift()?.();
    expect(await Promise.all(taken)).toEqual([[['a1']], [['a2']], [['b1']]]);
  });

  test('a failed write fails the messages behind it, and later ones are stored', async () => {
    const { writer, held, ordered } = await openHeld();
    const takeBoth = () => Promise.all([ordered('a1', 'ann'), ordered('a2', 'ann')].map((each) => writer.take([each])));
    const failed = takeBoth();
    await expect.poll(() => held.length).toBe(1);
    held.shift()?.(new Error('the connection broke'));
    await expect(failed).rejects.toThrow('the connection broke');
    const again = takeBoth();
    for (let sent = 0; sent < 2; sent++) {
      await expect.poll(() => held.length).toBe(1);
      held.shift()?.();
    }
    expect(await again).toEqual([[['a1']], [['a2']]]);
  });

  test('messages in one call are stored in order, even behind one whose id another message has', async () => {
    const { stores, writer } = await openStores(1);
    const [store] = stores;
    await writer.take([messageOf('a1', '{}', stores)]);
    const ordered = ['a1', 'a2', 'a3'].map((id) => ({
      ...messageOf(id, '[]', stores, [
        { ...eventOf(id, '[]', 1_000, [URL_A]), isOrdered: true, user: 'ann-------------', source: 'b' },
      ]),
      sourcedId: `//b/${id}`,
    }));
    expect(await writer.take(ordered)).toEqual([['//b/a1'], ['a2'], ['a3']]);
    const [, head] = await store.waiting(URL_A, 'first', undefined, 9);
    const behind = await store.waiting(URL_A, 'behind', undefined, 9);
    expect([head, ...behind].map((key) => key?.id)).toEqual(['//b/a1', 'a2', 'a3']);
  });
});
