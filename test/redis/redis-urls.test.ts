import { expect, test } from 'vitest';
import { RedisKeys } from '../../src/store/redis/redis-keys.js';
import { readUrls, writeUrls } from '../../src/store/redis/redis-urls.js';
import { openStore, startRedis } from './storage.js';

test('one process learns the URLs of a store that another has written, and an empty list writes nothing', async () => {
  const { link } = (await openStore(await startRedis())).parts[0].connection.partition;
  const [mine, theirs] = [new RedisKeys('crm', 'shop'), new RedisKeys('crm', 'shop')];
  await writeUrls(link, mine, []);
  expect(await link.ask((redis) => redis.exists(mine.urls))).toBe(0);
  await writeUrls(link, mine, ['https://a.example/', 'https://b.example/']);
  await readUrls(link, theirs);
  expect(theirs.lines.map(({ url }) => url).toSorted()).toEqual(['https://a.example/', 'https://b.example/']);
});
