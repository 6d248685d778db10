import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { newEvent, type StoredEvent } from '../../src/delivery/completion-rule.js';
import { EventLog } from '../../src/store/event-log.js';
import { RedisStore } from '../../src/store/redis/redis-store.js';
import { claimAt, openStorage, startRedis } from './storage.js';

const A = 'https://a.example/hook';
const B = 'https://b.example/hook';

const delivered = (event: StoredEvent, url: string): StoredEvent => ({
  ...event,
  urls: { ...event.urls, [url]: { phase: 'delivered', at: 2_000, history: [] } },
});

/** Opens the same store in two processes. */
async function openTwice(): Promise<[RedisStore, RedisStore]> {
  const server = await startRedis();
  const prefix = randomUUID();
  const open = async (): Promise<RedisStore> => {
    const store = await (await openStorage(server, prefix)).deliveries('orders');
    if (!(store instanceof RedisStore)) throw new Error('Another store than was expected');
    return store;
  };
  const [one, other] = [await open(), await open()];
  await one.webhooks.update(() => [A, B].map((url) => ({ key: url, url })));
  return [one, other];
}

test('a change that another process made after a claim is not undone', async () => {
  const [one, other] = await openTwice();
  await one.add(newEvent('e1', 'track', [A, B], 1_000), Buffer.of(1));
  await claimAt(one, A, 1);
  await other.update('e1', (event) => delivered(event, A));
  await one.update('e1', (event) => delivered(event, B));
  expect((await other.event('e1'))?.urls).toMatchObject({ [A]: { phase: 'delivered' }, [B]: { phase: 'delivered' } });
  expect(await one.backlog()).toEqual([]);
});

test('an event that another process removed after a claim is not brought back', async () => {
  const [one, other] = await openTwice();
  await one.add(newEvent('e1', 'track', [A], 1_000), Buffer.of(1));
  await claimAt(one, A, 1);
  await other.update('e1', () => undefined);
  await one.update('e1', (event) => delivered(event, A));
  expect(await other.event('e1')).toBeUndefined();
});

test('an attempt at an event that has ended in the meantime does not end it twice', async () => {
  const [one, other] = await openTwice();
  const eventLog = new EventLog({ store: one, settle: 'any', windowMs: 60_000, random: () => 0.5 });
  await one.add(newEvent('e1', 'track', [A], 1_000), Buffer.of(1));
  await claimAt(one, A, 1);
  await other.update('e1', () => undefined);
  const attempt = { at: 2_000, durationMs: 5, result: 'success', status: 200 } as const;
  expect(await eventLog.record(A, { at: 1_000, id: 'e1' }, attempt, 2_005)).toBeUndefined();
});
