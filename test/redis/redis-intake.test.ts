import { afterAll, beforeAll, expect, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import { describeIntake } from '../store/intake-conformance.js';
import { RedisServer } from './redis-server.js';
import { openStorage, redisUnderTest } from './storage.js';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

describeIntake(redisUnderTest(() => server));

test('a message on Redis that could not be stored is new for the next who brings it', async () => {
  const storage = await openStorage(server);
  const store = await storage.deliveries('crm');
  const add = store.add.bind(store);
  store.add = async () => Promise.reject(new Error('gone'));
  const event = newEvent('m1', 'track', ['a'], 1, { source: 'web' });
  const intake = { id: 'm1', body: Buffer.from('{}'), deliveries: [{ store, event }] };
  await expect(storage.takeIn('web', [intake])).rejects.toThrow('gone');
  store.add = add;
  expect(await storage.takeIn('web', [intake])).toEqual([['m1']]);
});
