import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import { openStorage, startRedis } from './storage.js';

const BODY = Buffer.from('{}');
const [URL_A, URL_B] = ['https://a.example/', 'https://b.example/'];
const eventOf = (id: string, ...urls: string[]) => newEvent(id, 'track', urls, 1_000, { bytes: BODY.length });

test('a look-up finds events that wait, were tried or are dead, and no others', async () => {
  const server = await startRedis();
  const prefix = randomUUID();
  const storage = await openStorage(server, prefix);
  const [crm, ads] = [await storage.deliveries('crm'), await storage.deliveries('ads')];
  for (const store of [crm, ads]) await store.webhooks.update(() => [URL_A, URL_B].map((url) => ({ key: url, url })));
  await crm.add(eventOf('untried', URL_A), BODY);
  await crm.add(eventOf('at two', URL_A, URL_B), BODY);
  await crm.add(eventOf('dead', URL_A), BODY);
  await crm.update('dead', (event) => ({ ...event, isDead: true, urls: {} }));
  await crm.add(eventOf('gone', URL_A), BODY);
  await crm.update('gone', () => undefined);
  const held = async (from: typeof storage, ids: readonly string[]) => {
    const stores = [await from.deliveries('crm'), await from.deliveries('ads')];
    const looks = ids.flatMap((id) => stores.map((store) => ({ store, id })));
    const events = await Promise.all(looks.map(({ store, id }) => store.event(id)));
    return looks.filter((_, index) => events[index] !== undefined).map(({ store, id }) => [stores.indexOf(store), id]);
  };
  const ids = ['untried', 'at two', 'dead', 'gone', 'unknown'];
  await ads.add(eventOf('other', URL_A), BODY);
  expect(await held(storage, ids)).toEqual([
    [0, 'untried'],
    [0, 'at two'],
    [0, 'dead'],
  ]);
  // A process that knows none of the URLs finds the same events.
  const elsewhere = await openStorage(server, prefix);
  expect(await held(elsewhere, ['gone', 'unknown'])).toEqual([]);
  expect(await held(elsewhere, ['untried'])).toContainEqual([0, 'untried']);
});

test('looking for an event in 300 stores takes a few scripts on Redis', async () => {
  const server = await startRedis();
  const storage = await openStorage(server);
  const names = Array.from({ length: 300 }, (_, number) => `c${number}`);
  const stores = await Promise.all(names.map((name) => storage.deliveries(name)));
  for (const store of stores.slice(0, 3)) await store.add(eventOf('m1', URL_A), BODY);
  const redis = new Redis(server.url);
  const calls = async () => Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1]);
  const before = await calls();
  const events = await Promise.all(stores.map((store) => store.event('m1')));
  expect(events.filter((event) => event !== undefined)).toHaveLength(3);
  expect((await calls()) - before).toBeLessThanOrEqual(10);
  redis.disconnect();
});
