import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import type { QueueKey } from '../../src/store/event-store.js';
import type { RedisStore } from '../../src/store/redis/redis-store.js';
import { runs } from '../support/runs.js';
import { RedisServer } from './redis-server.js';
import { openStore } from './storage.js';

const URL_A = 'https://a.example/';
const URL_B = 'https://b.example/';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

/** Takes in messages of one time with one script, each for the same URLs. */
async function takeIn(store: RedisStore, ids: readonly string[], { urls = [URL_A], at = 1_000 } = {}): Promise<void> {
  const [part] = store.parts;
  const messages = ids.map((id) => ({
    seen: undefined,
    body: Buffer.from('{}'),
    deliveries: [{ store: part, event: newEvent(id, 'track', urls, at, { bytes: 2 }) }],
  }));
  await part.connection.intake.take(messages);
}

/** Claims up to `count` deliveries, and returns their ids and places. */
async function claim(store: RedisStore, url: string, count: number): Promise<QueueKey[]> {
  const [{ connection, keys }] = store.parts;
  const claimed = await connection.claims.ask({ keys, url, windowMs: 14_400_000, count: () => count });
  return claimed.map(({ id, place, until }) => {
    store.parts[0].leases(url).hold(id, { stage: 'first', place: String(place), until });
    return { id, at: Number(place) };
  });
}

/** Lists the ids that wait for their first attempt at the URL, page by page. */
async function listed(store: RedisStore, url: string, size: number): Promise<string[]> {
  const ids: string[] = [];
  for (let after: QueueKey | undefined; ; ) {
    const page: QueueKey[] = await store.waiting(url, 'first', after, size);
    ids.push(...page.map(({ id }) => id));
    after = page.at(-1);
    if (page.length < size) return ids;
  }
}

const membersOf = (store: RedisStore, url = URL_A) =>
  server.look((redis) => redis.zcard(store.parts[0].keys.line(url).first));

const remove = (store: RedisStore, ids: readonly string[]) =>
  Promise.all(ids.map((id) => store.update(id, () => undefined)));

test('messages of one request wait as a few members, and are listed, counted and claimed one by one', async () => {
  const store = await openStore(server);
  const ids = Array.from({ length: 120 }, (_, index) => `m${index}`);
  // At a real time, whose digits leave little room for the steps between places.
  await takeIn(store, ids, { at: 1_764_500_000_000 });
  expect(await membersOf(store)).toBe(6);
  expect(await listed(store, URL_A, 7)).toEqual(ids);
  expect(await store.backlog()).toEqual([{ url: URL_A, first: 120, retry: 0, bytes: 240 }]);
  expect((await claim(store, URL_A, 60)).map(({ id }) => id)).toEqual(ids.slice(0, 60));
  expect((await claim(store, URL_A, 100)).map(({ id }) => id)).toEqual(ids.slice(60));
  expect(await membersOf(store)).toBe(0);
  expect(await store.backlog()).toEqual([{ url: URL_A, first: 120, retry: 0, bytes: 240 }]);
});

test('an event that waits in a chunk is found by its id, and one with that id is known', async () => {
  const store = await openStore(server);
  await takeIn(store, ['m1', 'm2', 'm3'], { at: 1_764_500_000_000 });
  await takeIn(store, ['n1', 'n2'], { urls: [URL_A, URL_B], at: 1_764_500_000_001 });
  expect((await store.event('m2'))?.urls).toEqual({
    [URL_A]: { phase: 'pending', due: 1_764_500_000_000, history: [] },
  });
  expect(await store.event('n2')).toMatchObject({ urls: { [URL_B]: { phase: 'pending' } } });
  expect(await store.add(newEvent('m2', 'track', [URL_A], 2_000, { bytes: 2 }), Buffer.from('{}'))).toBe(false);
});

test('a replayed delivery leaves its chunk, and one with a place between those of a chunk hides none of them', async () => {
  const store = await openStore(server);
  const ids = Array.from({ length: 40 }, (_, index) => `m${index}`);
  await takeIn(store, ids, { at: 5_000 });
  const between = 5_000 + 10.5 / 1_024;
  await store.update('m3', (event) => ({
    ...event,
    urls: { [URL_A]: { phase: 'pending', due: between, isReplay: true, history: [] } },
  }));
  const order = [...ids.slice(0, 3), ...ids.slice(4, 11), 'm3', ...ids.slice(11)];
  for (const size of [1, 2, 7, 100]) expect(new Set(await listed(store, URL_A, size))).toEqual(new Set(order));
  await remove(store, ['m20']);
  expect((await claim(store, URL_A, 100)).map(({ id }) => id).sort()).toEqual(ids.filter((id) => id !== 'm20').sort());
});

/** Where a line should stand. */
class LineModel {
  waiting: QueueKey[] = [];
  claimed: QueueKey[] = [];

  enter(keys: readonly QueueKey[]): void {
    this.waiting = [...this.waiting, ...keys].sort((one, other) => one.at - other.at);
  }

  leave(ids: readonly string[]): void {
    this.waiting = this.waiting.filter(({ id }) => !ids.includes(id));
    this.claimed = this.claimed.filter(({ id }) => !ids.includes(id));
  }
}

/** A store with two lines, and what should be in them. */
class Checked {
  readonly #store: RedisStore;
  readonly #a = new LineModel();
  readonly #b = new LineModel();
  #next = 0;

  constructor(store: RedisStore) {
    this.#store = store;
  }

  async take(count: number, isPair: boolean): Promise<void> {
    const keys = Array.from({ length: count }, () => ({ id: `m${this.#next}`, at: this.#next++ }));
    const ids = keys.map(({ id }) => id);
    await takeIn(this.#store, ids, { urls: isPair ? [URL_A, URL_B] : [URL_A] });
    this.#a.enter(keys);
    if (isPair) this.#b.enter(keys);
  }

  async claim(count: number): Promise<void> {
    const due = this.#a.waiting.splice(0, count);
    const claimed = await claim(this.#store, URL_A, count);
    expect(claimed.map(({ id }) => id)).toEqual(due.map(({ id }) => id));
    this.#a.claimed.push(...due);
  }

  async putBack(share: number): Promise<void> {
    const back = this.#a.claimed.filter((_, index) => index % share === 0);
    const ids = back.map(({ id }) => id);
    await this.#store.parts[0].leases(URL_A).putBack(ids);
    this.#a.leave(ids);
    this.#a.enter(back);
  }

  async remove(share: number, from: number): Promise<void> {
    const all = [...this.#a.waiting, ...this.#a.claimed];
    const ids = all.filter((_, index) => index % share === from % share).map(({ id }) => id);
    await remove(this.#store, ids);
    for (const line of [this.#a, this.#b]) line.leave(ids);
  }

  async check(pageSize: number): Promise<void> {
    for (const [url, { waiting, claimed }] of [[URL_A, this.#a] as const, [URL_B, this.#b] as const]) {
      const ids = await listed(this.#store, url, pageSize);
      const inOrder = waiting.map(({ id }) => id);
      expect(ids.filter((id) => inOrder.includes(id))).toEqual(inOrder);
      expect(ids.toSorted()).toEqual([...inOrder, ...claimed.map(({ id }) => id)].toSorted());
      const first = waiting.length + claimed.length;
      const counted = (await this.#store.backlog()).find((backlog) => backlog.url === url);
      expect(counted).toEqual(first === 0 ? undefined : { url, first, retry: 0, bytes: 2 * first });
    }
  }
}

type Step = (checked: Checked) => Promise<void>;

const shares = fc.integer({ min: 2, max: 9 });
const anyStep = fc.oneof(
  fc.tuple(fc.integer({ min: 1, max: 70 }), fc.boolean()).map(
    ([count, isPair]): Step =>
      (checked) =>
        checked.take(count, isPair),
  ),
  fc.integer({ min: 1, max: 60 }).map(
    (count): Step =>
      (checked) =>
        checked.claim(count),
  ),
  shares.map(
    (share): Step =>
      (checked) =>
        checked.putBack(share),
  ),
  fc.tuple(shares, fc.nat(8)).map(
    ([share, from]): Step =>
      (checked) =>
        checked.remove(share, from),
  ),
);

test('whatever enters, is claimed, put back and removed, no delivery is lost, doubled or out of order', async () => {
  const anySteps = fc.array(anyStep, { minLength: 4, maxLength: 14 });
  const property = fc.asyncProperty(anySteps, fc.integer({ min: 1, max: 40 }), async (steps, pageSize) => {
    const checked = new Checked(await openStore(server, randomUUID()));
    for (const step of steps) {
      await step(checked);
      await checked.check(pageSize);
    }
  });
  await fc.assert(property, { numRuns: runs(15, 200) });
});

test('a lost count of what chunks hold hides nothing that waits', async () => {
  const store = await openStore(server);
  await takeIn(
    store,
    Array.from({ length: 60 }, (_, index) => `m${index}`),
  );
  await server.look((redis) => redis.del(store.parts[0].keys.counts));
  await remove(store, ['m1', 'm2', 'm3', 'm30', 'm50']);
  expect((await store.backlog())[0]?.first).toBeGreaterThanOrEqual(3);
  expect(await listed(store, URL_A, 7)).toHaveLength(55);
});

test('an event that waits in a chunk of one URL leaves it when another URL has settled the event', async () => {
  const store = await openStore(server);
  await takeIn(store, ['m1', 'm2', 'm3'], { urls: [URL_A, URL_B] });
  const [{ id = '' } = {}] = await claim(store, URL_A, 1);
  await remove(store, [id]);
  expect(await listed(store, URL_B, 7)).toEqual(['m2', 'm3']);
  expect(await membersOf(store, URL_B)).toBe(1);
});

test('more deliveries are claimed than are read at a time, each as a member of its own', async () => {
  const store = await openStore(server);
  const ids = Array.from({ length: 120 }, (_, index) => `m${index}`);
  for (const id of ids) await takeIn(store, [id]);
  expect((await claim(store, URL_A, 100)).map(({ id }) => id)).toEqual(ids.slice(0, 100));
  expect((await claim(store, URL_A, 100)).map(({ id }) => id)).toEqual(ids.slice(100));
});
