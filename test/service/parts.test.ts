import { expect, test } from 'vitest';
import { memoryStorage, Service } from '../../src/service/index.js';
import { newFolder } from '../cli/files.js';
import { configOf, sendBatch, track } from './support.js';

const open = Service.open as (config: object, options?: object) => Promise<Service>;

test.each([
  [{ storge: memoryStorage() }, 'storge', 'Did you mean `storage`?'],
  [{ clok: 1 }, 'clok', /There are storage, log$/],
  [{ storage: 'data' }, 'storage', 'Expected `storage` to be what `lmdbStorage`'],
])('a service refuses the options %j before it opens anything', async (options, option, words) => {
  const refused = open(configOf(), options);
  await expect(refused).rejects.toMatchObject({ code: 'EVENTFERRY_SERVICE_INVALID_OPTION', option });
  await expect(refused).rejects.toThrow(words);
});

test('a service without a storage opens what the configuration names, and closes it with itself', async () => {
  const config = configOf({ store: { type: 'lmdb', path: await newFolder() } });
  for (const id of ['m1', 'm2']) {
    const service = await Service.open(config);
    const { url } = await service.listen();
    expect((await sendBatch(url, track(id))).status).toBe(200);
    await service.close();
  }
});

test('a service leaves a storage that it was given open', async () => {
  const storage = memoryStorage();
  let isClosed = false;
  storage.close = async () => {
    isClosed = true;
  };
  const service = await Service.open(configOf(), { storage });
  await service.close();
  expect(isClosed).toBe(false);
});
