import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { sourcedId } from '../../../src/delivery/event-names.js';
import { Partition } from '../../../src/store/redis/partition.js';
import { RedisClient } from '../../../src/store/redis/redis-client.js';

const LINK = new RedisClient({} as unknown as Redis);

test('no two messages get the same ref, from one process or from several', () => {
  const [one, other] = [new Partition(LINK, 'own'), new Partition(LINK, 'own')];
  const refs = Array.from({ length: 100 }, () => [one.newRef(), other.newRef()]).flat();
  expect(new Set(refs).size).toBe(200);
});

test('a ref can never be the id of an event', () => {
  const ref = new Partition(LINK, 'own').newRef();
  const slashes = (text: string) => text.split('/').length;
  expect(ref).toMatch(/^\/\//);
  expect(slashes(ref)).toBeLessThan(slashes(sourcedId('', '')));
});
