import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import { Partition } from '../../src/store/redis/partition.js';
import { RedisClient } from '../../src/store/redis/redis-client.js';
import { RedisEvents } from '../../src/store/redis/redis-events.js';
import { RedisKeys } from '../../src/store/redis/redis-keys.js';
import { encodeRecord, textOf } from '../../src/store/redis/stored-text.js';
import { RedisServer } from './redis-server.js';

const URL_A = 'https://a.example/';
const BODY = Buffer.from([0xff, 0x00]);
const URL_B = 'https://b.example/';
const URL_C = 'https://c.example/';
const keys = new RedisKeys('orders', 'own');
/** The keys as seen by a process that knows other URLs. */
const elsewhere = new RedisKeys('orders', 'own');

const eventOf = (id: string, url = URL_A) => newEvent(id, 'track', [url], 1_000, { bytes: BODY.length, source: 'web' });
const record = encodeRecord(eventOf('any'), BODY);
const dead = { ...eventOf('dead'), isDead: true };

let server: RedisServer;
let redis: Redis;
let events: RedisEvents;

beforeAll(async () => {
  server = await RedisServer.start();
  redis = new Redis(server.url);
  const link = new RedisClient(redis);
  events = new RedisEvents(new Partition(link, 'own'));
  await redis.hset(keys.urls, elsewhere.line(URL_B).digest, URL_B, elsewhere.line(URL_C).digest, URL_C);
  await redis.zadd(keys.line(URL_A).first, 1_000, 'untried');
  await redis.zadd(keys.line(URL_A).timed, -9_000, 'claimed');
  await redis.zadd(elsewhere.line(URL_B).first, 1_000, 'unknown');
  await redis.hset(keys.events, {
    own: textOf(eventOf('own'), 'own'),
    other: textOf(eventOf('other'), '//r1'),
    dead: textOf(dead, 'dead'),
    lost: textOf(eventOf('lost'), '//r2'),
  });
  for (const ref of ['untried', 'claimed', 'unknown', 'elsewhere', 'own', '//r1', 'dead']) {
    await redis.hset('{own}:messages', ref, record);
  }
});

afterAll(async () => {
  redis.disconnect();
  await server.remove();
});

test.each([
  ['untried', eventOf('untried'), 'untried', BODY],
  ['claimed', eventOf('claimed'), 'claimed', BODY],
  // At a URL that only another process has used. It is stored in Redis, unlike the URL of the other events.
  ['unknown', eventOf('unknown', URL_B), 'unknown', BODY],
  ['own', eventOf('own'), 'own', BODY],
  ['other', eventOf('other'), '//r1', BODY],
  ['dead', dead, 'dead', BODY],
])('an event on Redis is read with its message: %s', async (id, event, ref, body) => {
  expect(await events.read(keys, id)).toMatchObject({ read: { event, ref }, body });
});

test('an event on Redis has its own record unless its place in the line implies everything', async () => {
  const reads = await Promise.all(['untried', 'claimed', 'own'].map((id) => events.read(keys, id)));
  expect(reads.map((found) => found?.read.text)).toEqual([undefined, undefined, `["","${URL_A}"]`]);
});

test.each(['none', 'elsewhere', 'lost'])('an event that is gone from Redis is read as undefined: %s', async (id) => {
  expect(await events.read(keys, id)).toBeUndefined();
});

test('an event is found although it is read together with one whose key has the wrong type', async () => {
  const spoilt = new RedisKeys('spoilt', 'own');
  await redis.set(spoilt.events, 'a text');
  const [failed, found] = await Promise.allSettled([events.read(spoilt, 'own'), events.read(keys, 'own')]);
  expect(failed).toMatchObject({ status: 'rejected', reason: { code: 'EVENTFERRY_STORE_REDIS_FAILED' } });
  expect(found).toMatchObject({ status: 'fulfilled', value: { body: BODY } });
});

test('stores that do not have an event, but whose partition has its message, are asked with one script', async () => {
  const link = new RedisClient(redis);
  const asked = vi.spyOn(link, 'ask');
  const stores = Array.from({ length: 20 }, (_, number) => new RedisKeys(`store${number}`, 'own'));
  const reading = new RedisEvents(new Partition(link, 'own'));
  expect(await Promise.all(stores.map((each) => reading.read(each, 'elsewhere')))).toEqual(stores.map(() => undefined));
  expect(asked).toHaveBeenCalledOnce();
});
