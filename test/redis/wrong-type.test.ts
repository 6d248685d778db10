import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import type { LineKeys, RedisKeys } from '../../src/store/redis/redis-keys.js';
import type { RedisStore } from '../../src/store/redis/redis-store.js';
import { RedisServer } from './redis-server.js';
import { claimAt, openStorage } from './storage.js';

const URL_A = 'https://a.example/';

const wrong = { message: expect.stringContaining('WRONGTYPE') };

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

/** Opens two destinations of one storage. The first one is to be damaged. */
async function openTwo() {
  const prefix = randomUUID();
  const storage = await openStorage(server, prefix);
  const [spoilt, sound] = (await Promise.all(['spoilt', 'sound'].map((name) => storage.deliveries(name)))) as [
    RedisStore,
    RedisStore,
  ];
  const intakeOf = (id: string, ...stores: RedisStore[]) => {
    const event = newEvent(id, 'track', [URL_A], 1_000, { source: 'web', bytes: 2 });
    return { id, body: Buffer.from('{}'), deliveries: stores.map((store) => ({ store, event })) };
  };
  const keys: RedisKeys & LineKeys = { ...spoilt.parts[0].keys, ...spoilt.parts[0].keys.line(URL_A) } as RedisKeys &
    LineKeys;
  /** Replaces a key by a text. */
  const spoil = (key: string) =>
    server.look(async (redis) => {
      const isThere = (await redis.exists(key)) === 1;
      if (isThere) await redis.rename(key, `${key}:kept`);
      await redis.set(key, 'a text');
    });
  const mend = (key: string) =>
    server.look(async (redis) => {
      await redis.del(key);
      if ((await redis.exists(`${key}:kept`)) === 1) await redis.rename(`${key}:kept`, key);
    });
  return { storage, spoilt, sound, intakeOf, keys, spoil, mend };
}

const SPOILT = ['first', 'timed', 'events', 'counts'] as const;

test.each(SPOILT)('while a key `%s` has another type, only its own destination refuses messages', async (what) => {
  const { storage, spoilt, sound, intakeOf, keys, spoil, mend } = await openTwo();
  await spoil(keys[what]);
  const intakes = [intakeOf('m1', sound), intakeOf('m2', spoilt), intakeOf('m3', sound, spoilt), intakeOf('m4', sound)];
  expect(await storage.takeIn('web', intakes)).toEqual([['m1'], 'claimed', 'claimed', ['m4']]);
  await mend(keys[what]);
  expect(await storage.takeIn('web', intakes)).toEqual(['known', ['m2'], ['m3', 'm3'], 'known']);
  expect(await claimAt(spoilt, URL_A, 10)).toEqual(['m2', 'm3']);
  expect(await claimAt(sound, URL_A, 10)).toEqual(['m1', 'm4', 'm3']);
});

test.each(SPOILT)(
  'while a key `%s` has another type, other endpoints get their deliveries, and none is lost',
  async (what) => {
    const { storage, spoilt, sound, intakeOf, keys, spoil, mend } = await openTwo();
    await storage.takeIn('web', [intakeOf('m1', spoilt), intakeOf('m2', sound)]);
    await spoil(keys[what]);
    const claimed = await Promise.allSettled([claimAt(spoilt, URL_A, 10), claimAt(sound, URL_A, 10)]);
    expect(claimed[1]).toEqual({ status: 'fulfilled', value: ['m2'] });
    await mend(keys[what]);
    if (claimed[0]?.status === 'rejected') {
      expect(claimed[0].reason).toMatchObject(wrong);
      expect(await claimAt(spoilt, URL_A, 10)).toEqual(['m1']);
    }
  },
);

const retrying = { phase: 'retrying', due: 2_000, firstAttemptAt: 1_000, attempts: 1, history: [] } as const;

test.each(SPOILT)(
  'while a key `%s` has another type, other outcomes are recorded, and its own event is not changed',
  async (what) => {
    const { storage, spoilt, sound, intakeOf, keys, spoil, mend } = await openTwo();
    await storage.takeIn('web', [intakeOf('m1', spoilt), intakeOf('m2', sound)]);
    await Promise.all([spoilt, sound].map((store) => claimAt(store, URL_A, 1)));
    await spoil(keys[what]);
    const changed = await Promise.allSettled([
      spoilt.update('m1', (event) => ({ ...event, urls: { [URL_A]: retrying } })),
      sound.update('m2', (event) => ({ ...event, urls: { [URL_A]: retrying } })),
    ]);
    expect(changed[1]).toEqual({ status: 'fulfilled', value: undefined });
    await mend(keys[what]);
    // A key that the change does not use does not prevent the write.
    const [stage, phase] =
      changed[0]?.status === 'fulfilled' ? (['retry', 'retrying'] as const) : (['first', 'pending'] as const);
    if (changed[0]?.status === 'rejected') expect(changed[0].reason).toMatchObject(wrong);
    expect(await spoilt.event('m1')).toMatchObject({ urls: { [URL_A]: { phase } } });
    expect(await sound.event('m2')).toMatchObject({ urls: { [URL_A]: { phase: 'retrying' } } });
    expect(await spoilt.waiting(URL_A, stage, undefined, 10)).toMatchObject([{ id: 'm1' }]);
  },
);

const SHARED_KEYS = ['messages', 'references', 'due'] as const;

test.each(SHARED_KEYS)(
  'a key `%s` of another type refuses messages, and the same ones sent again are stored',
  async (what) => {
    const { storage, sound, intakeOf, spoil, mend } = await openTwo();
    const { partition } = sound.parts[0].connection;
    const key = partition.keys[SHARED_KEYS.indexOf(what)] ?? '';
    await spoil(key);
    const intakes = [intakeOf('m1', sound), intakeOf('m2', sound)];
    for (let turn = 0; turn < 2; turn++) await expect(storage.takeIn('web', intakes)).rejects.toMatchObject(wrong);
    await mend(key);
    expect(await storage.takeIn('web', intakes)).toEqual([['m1'], ['m2']]);
    expect(await claimAt(sound, URL_A, 10)).toEqual(['m1', 'm2']);
  },
);

test('with a `urls` key of another type, messages and outcomes are still accepted', async () => {
  const { storage, spoilt, intakeOf, keys, spoil } = await openTwo();
  await spoil(keys.urls);
  expect(await storage.takeIn('web', [intakeOf('m1', spoilt)])).toEqual([['m1']]);
  expect(await claimAt(spoilt, URL_A, 10)).toEqual(['m1']);
  await spoilt.update('m1', () => undefined);
  expect(await claimAt(spoilt, URL_A, 10)).toEqual([]);
});

test('a count that is not a number starts again, and messages and outcomes are still accepted', async () => {
  const { storage, spoilt, sound, intakeOf, keys } = await openTwo();
  await storage.takeIn('web', [intakeOf('m1', spoilt, sound)]);
  await server.look((redis) => redis.hset(keys.counts, keys.bytes, '!2'));
  await server.look((redis) => redis.hset(spoilt.parts[0].connection.partition.references, 'm1', '!2'));
  expect(await spoilt.backlog()).toMatchObject([{ first: 1, bytes: 0 }]);
  expect(await storage.takeIn('web', [intakeOf('m2', spoilt, sound)])).toEqual([['m2', 'm2']]);
  for (const store of [spoilt, sound]) {
    expect(await claimAt(store, URL_A, 10)).toEqual(['m1', 'm2']);
    for (const id of ['m1', 'm2']) await store.update(id, () => undefined);
    expect(await store.backlog()).toEqual([]);
  }
  expect(await server.look((redis) => redis.hget(keys.counts, keys.bytes))).toBe(null);
});

test.each(['zadd', 'hset', 'hincrby', 'set'])(
  'a message that the server refuses half way, at %s, is stored when it is sent again',
  async (command) => {
    const { storage, spoilt, sound, intakeOf } = await openTwo();
    const intakes = [intakeOf('m1', spoilt, sound)];
    await server.look((redis) => redis.acl('SETUSER', 'default', `-${command}`));
    for (let turn = 0; turn < 2; turn++)
      await expect(storage.takeIn('web', intakes)).rejects.toThrow("can't run this command");
    await server.look((redis) => redis.acl('SETUSER', 'default', `+${command}`));
    expect(await storage.takeIn('web', intakes)).not.toEqual(['known']);
    for (const store of [spoilt, sound]) expect(await claimAt(store, URL_A, 10)).not.toEqual([]);
  },
);

test.each(['zadd', 'hset', 'hdel', 'zrem', 'hincrby'])(
  'an outcome that the server refuses half way, at %s, leaves the delivery where a process finds it',
  async (command) => {
    const { storage, spoilt, sound, intakeOf } = await openTwo();
    await storage.takeIn('web', [intakeOf('m1', spoilt, sound), intakeOf('m2', spoilt)]);
    expect(await claimAt(spoilt, URL_A, 10)).toEqual(['m1', 'm2']);
    await server.look((redis) => redis.acl('SETUSER', 'default', `-${command}`));
    const ends = await Promise.allSettled([
      spoilt.update('m1', (event) => ({ ...event, urls: { [URL_A]: retrying } })),
      spoilt.update('m2', () => undefined),
    ]);
    await server.look((redis) => redis.acl('SETUSER', 'default', `+${command}`));
    const listed = async () =>
      (await Promise.all((['first', 'retry'] as const).map((at) => spoilt.waiting(URL_A, at, undefined, 10)))).flat();
    expect(ends.some(({ status }) => status === 'rejected')).toBe(true);
    expect((await listed()).map(({ id }) => id)).toContain('m1');
    await spoilt.update('m1', () => undefined);
    await spoilt.update('m2', () => undefined);
    expect(await listed()).toEqual([]);
    expect(await claimAt(sound, URL_A, 10)).toEqual(['m1']);
  },
);

test.each(['zadd', 'zrangebyscore', 'hmget', 'exists'])(
  'a claim that the server refuses half way, at %s, leaves the deliveries where a process finds them',
  async (command) => {
    const { storage, sound, intakeOf } = await openTwo();
    await storage.takeIn('web', [intakeOf('m1', sound), intakeOf('m2', sound)]);
    await server.look((redis) => redis.acl('SETUSER', 'default', `-${command}`));
    await expect(claimAt(sound, URL_A, 10)).rejects.toThrow("can't run this command");
    await server.look((redis) => redis.acl('SETUSER', 'default', `+${command}`));
    expect(await sound.waiting(URL_A, 'first', undefined, 10)).toMatchObject([{ id: 'm1' }, { id: 'm2' }]);
  },
);

test('if the server refuses the key that remembers an id, nothing of its message is stored', async () => {
  const { storage, sound, intakeOf } = await openTwo();
  await server.look((redis) => redis.acl('SETUSER', 'default', '-set'));
  await expect(storage.takeIn('web', [intakeOf('m1', sound)])).rejects.toThrow("can't run this command");
  await server.look((redis) => redis.acl('SETUSER', 'default', '+set'));
  expect(await claimAt(sound, URL_A, 10)).toEqual([]);
});
