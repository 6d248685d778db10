import { expect, expectTypeOf, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/time/clock.js';
import {
  lmdbStorage,
  memoryStorage,
  Service,
  type ServiceConfig,
  type ServiceOptions,
  type Storage,
} from '../../src/service/index.js';
import type { brand } from '../../src/store/storage.js';
import { newFolder } from '../cli/files.js';
import { FakeClock } from '../support/fake-clock.js';
import { configOf, sendBatch, track } from './support.js';

const open = Service.open as (config: object, options?: object) => Promise<Service>;

test.each([
  [{ storge: memoryStorage() }, 'storge', 'Did you mean `storage`?'],
  [{ clok: 1 }, 'clok', /There are storage, log$/],
  [{ log: {} }, 'log', 'Expected `log` to be an object with the methods debug, info, warn and error'],
  [{ storage: 'data' }, 'storage', 'Expected `storage` to be what `lmdbStorage`'],
  [{ storage: { close() {} } }, 'storage', 'Expected `storage` to be what `lmdbStorage`'],
  [{ storage: Promise.resolve(1) }, 'storage', 'gives, got number 1'],
])('a service refuses the options %j before it opens anything', async (options, option, words) => {
  const refused = open(configOf(), options);
  await expect(refused).rejects.toMatchObject({ code: 'EVENTFERRY_SERVICE_INVALID_OPTION', option });
  await expect(refused).rejects.toThrow(words);
});

test('a service without a given storage opens the one of the configuration, and closes it when it closes', async () => {
  const config = configOf({ store: { type: 'lmdb', path: await newFolder() } });
  for (const id of ['m1', 'm2']) {
    const service = await Service.open(config);
    const { url } = await service.listen();
    expect((await sendBatch(url, track(id))).status).toBe(200);
    await service.close();
  }
});

test('a service accepts the promise of a storage, as `lmdbStorage` returns it', async () => {
  const storage = lmdbStorage({ path: await newFolder() });
  const service = await Service.open(configOf(), { storage });
  const { url } = await service.listen({ port: 0, host: '127.0.0.1' });
  expect((await sendBatch(url, track('m1'))).status).toBe(200);
  await service.close();
  await (await storage).close();
});

test('an object that can be closed is not accepted as a storage by its type', () => {
  expectTypeOf<{ close(): Promise<void> }>().not.toExtend<NonNullable<ServiceOptions['storage']>>();
  expectTypeOf<Omit<Storage, typeof brand>>().not.toExtend<NonNullable<ServiceOptions['storage']>>();
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

test('a service that fails to open leaves the folder of its store free', async () => {
  const store = { type: 'lmdb', path: await newFolder() } as const;
  const wrong = { ...configOf({ store }), audiences: undefined, sources: [{ name: 'website' }] };
  await expect(open(wrong)).rejects.toMatchObject({ code: 'EVENTFERRY_SERVICE_INVALID_CONFIG' });
  const wall = (): number => {
    throw new Error('a broken clock');
  };
  await expect(open(configOf({ store }), { clock: { ...systemClock(), wall } })).rejects.toThrow('a broken clock');
  await (await Service.open(configOf({ store: { ...store, lockTimeout: 0 } }))).close();
});

test('a service leaves no timer behind when its opening fails or when it is closed', async () => {
  const opening = async (failingRead: number): Promise<{ clock: FakeClock; service: Service | undefined }> => {
    const clock = new FakeClock();
    const storage = memoryStorage();
    const list = storage.keyValues.list.bind(storage.keyValues);
    let reads = 0;
    Object.assign(storage.keyValues, {
      list: async (...given: Parameters<typeof list>) => {
        if (++reads === failingRead) throw new Error('the disk is gone');
        return list(...given);
      },
    });
    const opened = Service.open(configOf(), { storage, clock });
    return { clock, service: await opened.catch(() => undefined) };
  };
  let failed = 0;
  let opened = await opening(1);
  for (; opened.service === undefined && failed < 20; opened = await opening(failed + 1)) {
    expect(opened.clock.due, `after the read ${failed + 1} has failed`).toEqual([]);
    failed++;
  }
  expect(failed).toBeGreaterThan(2);
  await opened.service?.close();
  expect(opened.clock.due).toEqual([]);
});

test('a program may leave out configuration values that have a default', async () => {
  type Given = Parameters<typeof Service.open>[0];
  expectTypeOf<{
    store: { path: string };
    listen: { port: number };
    sources: { name: string; writeKeys: string[]; rateLimit: { messagesPerSecond: number }; trackSchema: object }[];
    destinations: { name: string; type: 'Webhooks'; webhooks: { url: string }[] }[];
    audiences: object;
  }>().toExtend<Given>();
  expectTypeOf<ServiceConfig>().toExtend<Given>();
  expectTypeOf<{ sources: { name: string }[] }>().not.toExtend<Given>();
  expectTypeOf<Given>().toEqualTypeOf<Parameters<Service['reload']>[0]>();
  const service = await Service.open({ sources: [{ name: 'shop', writeKeys: ['k1'] }] }, { storage: memoryStorage() });
  onTestFinished(() => service.close());
  await service.reload({ sources: [{ name: 'shop', writeKeys: ['k2'] }] });
  expect(service.config.sources[0]?.writeKeys).toEqual(['k2']);
});
