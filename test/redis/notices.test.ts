import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/time/clock.js';
import { Notices } from '../../src/store/redis/notices.js';
import { RedisClient } from '../../src/store/redis/redis-client.js';
import type { RedisServer } from './redis-server.js';
import { startRedis } from './storage.js';

function noticesOn({ url }: RedisServer): Notices {
  const [redis, subscriber] = [new Redis(url), new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: null })];
  for (const each of [redis, subscriber]) {
    each.on('error', () => undefined);
    onTestFinished(() => each.disconnect());
  }
  return new Notices(new RedisClient(redis), subscriber, 'news', systemClock());
}

test('a notice reaches the processes that listen to its topic, even after they lost their connection', async () => {
  const server = await startRedis();
  const [teller, listener] = [noticesOn(server), noticesOn(server)];
  const heard: string[] = [];
  for (const topic of ['a', 'b']) listener.on(topic, () => heard.push(topic));
  const isListening = () => server.look(async (redis) => (await redis.pubsub('NUMSUB', 'news'))[1]);
  await expect.poll(isListening).toBe(1);
  teller.tell('a');
  await expect.poll(() => heard).toEqual(['a']);
  await server.look((redis) => redis.client('KILL', 'TYPE', 'pubsub'));
  await expect.poll(isListening).toBe(1);
  teller.tell('b');
  await expect.poll(() => heard).toEqual(['a', 'b']);
});

test('many notices at once become one at the beginning and one at the end', async () => {
  const server = await startRedis();
  const teller = noticesOn(server);
  let published = 0;
  const told = () =>
    server.look(async (redis) =>
      Number(/cmdstat_publish:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0),
    );
  while (published++ < 50) teller.tell('a');
  await expect.poll(told).toBe(2);
});
