import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/service/config/parse.js';
import type { Incoming } from '../../../src/service/ingest/ingest.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type Line, recordingLog } from '../recording-log.js';
import { configOf, destinationOf, sendBatch, serving, sourceOf, track } from '../support.js';

const deletion = (messageId: string): Incoming => ({
  type: 'delete',
  messageId,
  userId: 'u1',
  timestamp: '2026-11-20T12:00:00.000Z',
});

test('the waiting deliveries of a destination that is no longer configured stay in the storage, and their number is logged', async () => {
  const crm = await startEndpoint(503, 200);
  const [clock, log] = [new FakeClock(), recordingLog()];
  const { service, url, ask } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { clock, log });
  await sendBatch(url, track('m1'));
  await crm.has(1);
  await service.reload(configOf({ sources: [sourceOf({ destinations: [] })] }));
  const told = (line: Line): boolean =>
    line.text === 'deliveries wait for a destination that was removed from the configuration';
  expect(log.lines.find(told)).toMatchObject({ level: 'warn', destination: 'crm', waiting: 1 });
  await service.reload(configOf({ destinations: [destinationOf(crm.url, { enabled: false })] }));
  const { status, body } = await ask('/v1/deliveries/m1');
  expect({ status, phase: body[0].endpoints[0].phase }).toEqual({ status: 200, phase: 'retrying' });
});

test('a destination that is no longer configured is also logged at the start', async () => {
  const crm = await startEndpoint(503);
  const storage = memoryStorage();
  const first = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { storage });
  await sendBatch(first.url, track('m1'));
  await crm.has(1);
  await first.service.close();
  const log = recordingLog();
  await serving(configOf(), { storage, log });
  expect(log.lines).toContainEqual(expect.objectContaining({ destination: 'crm', waiting: 1 }));
});

test('a destination that cannot be reopened does not prevent others from being opened', async () => {
  const [crm, ads] = await Promise.all([startEndpoint(200), startEndpoint(200)]);
  const [clock, log, storage] = [new FakeClock(), recordingLog(), memoryStorage()];
  const configWith = (requestTimeout: number) =>
    configOf({
      sources: [sourceOf(), sourceOf({ name: 'app', writeKeys: ['app'], destinations: ['ads'] })],
      destinations: [
        destinationOf(crm.url, { requestTimeout }),
        destinationOf(ads.url, { name: 'ads', requestTimeout }),
      ],
    });
  const { service } = await serving(configWith(5_000), { clock, log, storage });
  const stores = [await storage.deliveries('crm'), await storage.deliveries('ads')];
  const backlogs = stores.map((store) => store.backlog.bind(store));
  for (const store of stores) store.backlog = async () => Promise.reject(new Error('disk error'));
  await expect(service.reload(configWith(1_000))).rejects.toThrow('disk error');
  await expect(service.accept('app', [deletion('m1')])).rejects.toThrow();
  const [, ofAds] = stores;
  if (ofAds !== undefined) ofAds.backlog = async () => (await backlogs[1]?.()) ?? [];
  await clock.pass(5_000);
  await service.accept('app', [deletion('m1')]);
  await ads.has(1);
  const lines = log.lines.filter(({ text }) => text === 'a destination could not be opened');
  expect(lines).toMatchObject([{ destination: 'crm', error: 'disk error' }]);
});

test('if one destination of a change cannot be opened, none is changed, and the new ones are closed', async () => {
  const [crm, crmLater, ads] = await Promise.all([startEndpoint(200), startEndpoint(200), startEndpoint(200)]);
  const storage = memoryStorage();
  const before = configOf({ destinations: [destinationOf(crm.url), destinationOf(ads.url, { name: 'ads' })] });
  const { service, url, ask } = await serving(before, { storage });
  const store = await storage.deliveries('ads');
  const backlog = store.backlog.bind(store);
  let failures = 1;
  store.backlog = async () => (failures-- > 0 ? Promise.reject(new Error('disk error')) : backlog());
  const changed = configOf({
    sources: [sourceOf({ writeKeys: ['new'], destinations: ['crm', 'new'] })],
    destinations: [
      destinationOf(crmLater.url),
      destinationOf(ads.url, { name: 'ads', requestTimeout: 1_000 }),
      destinationOf(crmLater.url, { name: 'new' }),
    ],
  });
  await expect(service.reload(changed)).rejects.toThrow('disk error');
  expect(service.config).toEqual(await parseConfig(before));
  expect((await sendBatch(url, track('m1'))).status).toBe(200);
  await crm.has(1);
  expect((await ask('/v1/destinations')).body.destinations.map(({ name }: { name: string }) => name)).toEqual([
    'crm',
    'ads',
  ]);
  expect(crmLater.received).toEqual([]);
  await service.reload(changed);
  expect(service.config.sources[0]?.writeKeys).toEqual(['new']);
});

test('more new destinations than a store accepts in one write are recorded', async () => {
  const storage = memoryStorage();
  const write = storage.keyValues.write.bind(storage.keyValues);
  storage.keyValues.write = async (changes) => {
    if (changes.length > 1_000) throw new Error(`${changes.length} changes at once`);
    await write(changes);
  };
  const destinations = Array.from({ length: 1_001 }, (_, number) =>
    destinationOf('http://127.0.0.1:1/', { name: `customer-${number}` }),
  );
  const log = recordingLog();
  await serving(configOf({ destinations }), { storage, log });
  expect(log.lines.filter(({ level }) => level !== 'info')).toEqual([]);
  expect(await storage.keyValues.get(['destination/customer-0', 'destination/customer-1000'])).toEqual(['', '']);
});
