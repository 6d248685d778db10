import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/time/clock.js';
import { Lookout } from '../../src/store/redis/lookout.js';
import { RedisClient } from '../../src/store/redis/redis-client.js';
import { RedisServer } from './redis-server.js';

const NEVER_MS = 3_600_000;
const DAY_MS = 24 * 3_600_000;

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

beforeEach(() => server.look((redis) => redis.flushall()));

afterAll(() => server.remove());

/** Opens a lookout over two partitions that watches one line, and records the calls. */
function open({ lookMs = NEVER_MS, countMs = NEVER_MS } = {}) {
  const redis = new Redis(server.url);
  redis.on('error', () => undefined);
  onTestFinished(() => redis.disconnect());
  const listening = new Redis(server.url, { retryStrategy: () => 50, maxRetriesPerRequest: null });
  listening.on('error', () => undefined);
  onTestFinished(() => listening.disconnect());
  const due = ['{p0}:due', '{p1}:due'];
  const news = { listening, channel: 'news' };
  const onDamaged = (key: string) => void damaged.push(key);
  const link = new RedisClient(redis);
  const lookout = new Lookout({ link, clock: systemClock(), due, lookMs, countMs, onDamaged, ...news });
  onTestFinished(() => lookout.stop());
  const told: number[] = [];
  const damaged: string[] = [];
  const counted: (readonly number[])[] = [];
  const line = { name: 'line', windowMs: DAY_MS };
  const watch = () =>
    lookout.watch({ ...line, onDue: (place) => told.push(place), recount: (places) => counted.push(places) });
  return { lookout, told, counted, damaged, watch };
}

const put = (place: number, line: string, at: number) =>
  server.look((redis) => redis.zadd(`{p${place}}:due`, at, line));

test('a newly watched line gets a call for the partition where it has a due delivery', async () => {
  await put(1, 'line', 0);
  await put(0, 'another', 0);
  const { told, watch } = open();
  watch();
  await expect.poll(() => told).toEqual([1]);
});

test('a line gets a call when its next delivery is due, even if the regular check is much later', async () => {
  const at = Date.now() + 700;
  await put(0, 'line', at);
  const { told, watch } = open();
  watch();
  await expect.poll(() => told).toEqual([0]);
  expect(Date.now()).toBeGreaterThanOrEqual(at);
});

test('a line gets a call for a new delivery without a notice', async () => {
  const { told, watch } = open({ lookMs: 50 });
  watch();
  await expect.poll(() => server.look((redis) => redis.dbsize())).toBe(0);
  await put(0, 'line', 0);
  await expect.poll(() => told.length).toBeGreaterThan(0);
});

test('a line gets a call for a delivery whose time is too far ahead because the clock was set back', async () => {
  await put(0, 'line', Date.now() + 2 * DAY_MS);
  const { told, watch } = open();
  watch();
  await expect.poll(() => told).toEqual([0]);
});

test('a line gets its call even if more than a thousand others are due', async () => {
  await server.look(async (redis) => {
    for (let index = 0; index < 1_200; index++) await redis.zadd('{p0}:due', 0, `a${index}`);
  });
  await put(0, 'line', 1);
  const { told, watch } = open();
  watch();
  await expect.poll(() => told).toEqual([0]);
});

test('a line that is no longer watched gets no calls', async () => {
  const { told, watch } = open({ lookMs: 20 });
  watch()();
  await put(0, 'line', 0);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(told).toEqual([]);
});

test('at each count, every line gets a call with the partitions in which it has deliveries, due or not', async () => {
  await put(0, 'line', 0);
  await put(1, 'line', Date.now() + DAY_MS / 2);
  const { counted, watch } = open({ countMs: 50 });
  watch();
  await expect.poll(() => counted.length).toBeGreaterThan(1);
  expect(counted[0]?.toSorted()).toEqual([0, 1]);
});

test('a lookout without an answer reports for how long, and checks again once it gets one', async () => {
  const { lookout, told, watch } = open({ lookMs: 50 });
  expect(lookout.silentMs).toBeUndefined();
  watch();
  await expect.poll(() => lookout.silentMs).toBeLessThan(1_000);
  server.freeze();
  onTestFinished(() => server.thaw());
  await expect.poll(() => lookout.silentMs).toBeGreaterThan(1_000);
  server.thaw();
  await put(0, 'line', 0);
  await expect.poll(() => told.length).toBeGreaterThan(0);
  await expect.poll(() => lookout.silentMs).toBeLessThan(1_000);
});

test('a key of another type is reported once until it is repaired, and the other partitions are still checked', async () => {
  const { told, damaged, watch } = open({ lookMs: 20 });
  const spoil = () => server.look((redis) => redis.set('{p0}:due', 'a text'));
  await spoil();
  await put(1, 'line', 0);
  watch();
  await expect.poll(() => told.filter((place) => place === 1).length).toBeGreaterThan(3);
  expect(damaged).toEqual(['{p0}:due']);
  await server.look((redis) => redis.del('{p0}:due'));
  await put(0, 'line', 0);
  await expect.poll(() => told).toContain(0);
  await server.look((redis) => redis.del('{p0}:due'));
  await spoil();
  await expect.poll(() => damaged.length).toBe(2);
});

const isListening = () => server.look(async (redis) => (await redis.pubsub('NUMSUB', 'news'))[1]);

test('a notice of one process makes the others check immediately, even after they lost their connection', async () => {
  const [{ lookout }, { told, watch }] = [open(), open()];
  watch();
  await expect.poll(isListening).toBe(1);
  await put(0, 'line', 0);
  lookout.tell();
  await expect.poll(() => told).toEqual([0]);
  await server.look((redis) => redis.client('KILL', 'TYPE', 'pubsub'));
  await expect.poll(isListening).toBe(1);
  lookout.tell();
  await expect.poll(() => told).toEqual([0, 0]);
});

test('many simultaneous notices become one at the beginning and one at the end', async () => {
  const { lookout } = open();
  const published = () =>
    server.look(async (redis) =>
      Number(/cmdstat_publish:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0),
    );
  const before = await published();
  for (let notice = 0; notice < 50; notice++) lookout.tell();
  await expect.poll(published).toBe(before + 2);
});
