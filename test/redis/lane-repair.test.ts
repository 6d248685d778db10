import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import type { LineKeys } from '../../src/store/redis/redis-keys.js';
import type { RedisStore } from '../../src/store/redis/redis-store.js';
import { RedisServer } from './redis-server.js';
import { claimAt, openStore } from './storage.js';

const URL_A = 'https://a.example/';
const ANN = 'ann-------------';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

/** Opens a store in which m1 to m3 of Ann wait: m1 is in line, and the others are behind it. */
async function openLane() {
  const store = await openStore(server);
  for (const id of ['m1', 'm2', 'm3']) await add(store, id, ANN);
  const { counts, keys } = store.parts[0];
  let after = '';
  const repair = async (unreadable: readonly string[] = []): Promise<void> => {
    after = (await counts.of(URL_A, { after, unreadable })).checked;
  };
  return { store, repair, events: keys.events, line: keys.line(URL_A) };
}

const add = (store: RedisStore, id: string, user: string) =>
  store.add({ ...newEvent(id, 'track', [URL_A], 1_000, { bytes: 2, user }), isOrdered: true }, Buffer.from('{}'));

const forget = (store: RedisStore, id: string) => store.update(id, () => undefined);

/** Ways to remove the head from its line without updating its lane. */
const DAMAGES: [what: string, damage: (line: LineKeys) => Promise<unknown>][] = [
  ['is in no line', ({ first }) => server.look((redis) => redis.zrem(first, 'm1'))],
  ['is unknown', ({ heads }) => server.look((redis) => redis.hdel(heads, ANN))],
];

test.each(DAMAGES)("a user's next delivery enters the line when the one before it %s", async (_, damage) => {
  const { store, repair, line } = await openLane();
  await damage(line);
  await server.look((redis) => redis.zrem(line.first, 'm1'));
  expect(await claimAt(store, URL_A, 9)).toEqual([]);
  await repair();
  expect(await claimAt(store, URL_A, 9)).toEqual(['m2']);
  await forget(store, 'm2');
  expect(await claimAt(store, URL_A, 9)).toEqual(['m3']);
});

test('an unreadable delivery stays claimed, and does not block others of its user', async () => {
  const { store, repair, line } = await openLane();
  expect(await claimAt(store, URL_A, 9)).toEqual(['m1']);
  await repair(['m1']);
  expect(await claimAt(store, URL_A, 9)).toEqual(['m2']);
  expect((await server.look((redis) => redis.zrange(line.timed, 0, -1))).sort()).toEqual(['m1', 'm2']);
});

test('a lane whose first delivery is claimed or in line is not changed', async () => {
  const { store, repair } = await openLane();
  await repair();
  expect(await claimAt(store, URL_A, 9)).toEqual(['m1']);
  await repair();
  expect(await claimAt(store, URL_A, 9)).toEqual([]);
});

test('many lanes are repaired in several calls, which then start again at the first', async () => {
  const { store, repair, line } = await openLane();
  const users = Array.from({ length: 120 }, (_, index) => `u${index}`.padEnd(16, '-'));
  for (const user of users) {
    await add(store, `${user}-1`, user);
    await add(store, `${user}-2`, user);
  }
  await server.look((redis) => redis.del(line.first));
  const waiting = async () => (await store.waiting(URL_A, 'first', undefined, 500)).length;
  await repair();
  expect(await waiting()).toBe(50);
  await repair();
  expect(await waiting()).toBe(100);
  await repair();
  expect(await waiting()).toBe(121);
  await server.look((redis) => redis.zrem(line.first, 'm2'));
  await repair();
  expect(await waiting()).toBe(121);
});

test.each(['heads', 'lanes'] as const)(
  'while the key `%s` of a lane has another type, its deliveries are counted, and the reason is reported',
  async (what) => {
    const { store, line } = await openLane();
    await server.look((redis) => redis.del(line[what]));
    await server.look((redis) => redis.set(line[what], 'a text'));
    expect(await store.backlog()).toMatchObject([{ first: 3 }]);
    const onError = vi.fn();
    const [counted] = store.lines({
      url: URL_A,
      windowMs: 14_400_000,
      reserve: () => 0,
      free: () => {},
      onDue: () => {},
      onCount: () => {},
      onError,
    });
    expect(await counted?.count()).toMatchObject({ first: 3 });
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ message: expect.stringContaining('WRONGTYPE') }),
    );
  },
);
