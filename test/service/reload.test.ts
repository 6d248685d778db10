import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Destination } from '../../src/destination/destination.js';
import type { ServiceConfig } from '../../src/service/config/config.js';
import type { Incoming } from '../../src/service/ingest/ingest.js';
import type { Observer } from '../../src/service/observer.js';
import { lmdbStorage } from '../../src/store/lmdb/lmdb-storage.js';
import { memoryStorage } from '../../src/store/memory/memory-storage.js';
import { deferred } from '../collector/support.js';
import { startEndpoint, type TestEndpoint } from '../scheduler/test-endpoint.js';
import { FakeClock, settled } from '../support/fake-clock.js';
import { type Line, recordingLog } from './recording-log.js';
import { configOf, destinationOf, sendBatch, serving, sourceOf, track } from './support.js';

const idsOf = (...endpoints: TestEndpoint[]): unknown[] =>
  endpoints.flatMap(({ received }) => received.map(({ body }) => JSON.parse(body.toString()).messageId)).sort();

const deletion = (messageId: string): Incoming => ({
  type: 'delete',
  messageId,
  userId: 'u1',
  timestamp: '2026-11-20T12:00:00.000Z',
});

/** Sends one batch after the other until it is stopped; what was answered, and the ids. */
function sendOn(url: string) {
  const answers: number[] = [];
  const ids: string[] = [];
  let isStopped = false;
  const sender = async (name: string): Promise<void> => {
    for (let number = 0; !isStopped; number++) {
      const id = `${name}-${number}`;
      const { status } = await sendBatch(url, track(id));
      answers.push(status);
      ids.push(id);
    }
  };
  const ended = Promise.all(['a', 'b', 'c'].map(sender));
  const stop = async () => {
    isStopped = true;
    await ended;
    return { answers: [...new Set(answers)], ids: ids.sort() };
  };
  return {
    stop,
    atLeast: async (count: number) => {
      while (ids.length < count) await new Promise(setImmediate);
    },
  };
}

const nothing = (): void => {};

const observerWith = (fields: Partial<Observer>): Observer => ({
  coming: nothing,
  collected: { onMessages: nothing, onRejected: nothing, onAnswered: nothing },
  opened: nothing,
  page: nothing,
  feed: nothing,
  close: nothing,
  ...fields,
});

test('while the configuration is changed again and again, every request is answered 200 and every message arrives', async () => {
  const [crm, next] = await Promise.all([startEndpoint(200), startEndpoint(200)]);
  // All are under way at once: what still waits for a URL that is taken out has nowhere to go.
  const to = (endpoint: TestEndpoint, fields?: Parameters<typeof destinationOf>[1]) =>
    destinationOf(endpoint.url, { concurrency: 1_000, ...fields });
  const { service, url } = await serving(configOf({ destinations: [to(crm)] }));
  const sender = sendOn(url);
  const changes: Partial<ServiceConfig>[] = [
    { destinations: [to(crm, { sharedSecret: 'other', requestTimeout: 4_000 })] },
    { destinations: [to(next)], sources: [sourceOf({ writeKeys: ['dev', 'new'] })] },
    { destinations: [to(next, { settle: 'each' }), to(crm, { name: 'ads' })] },
  ];
  let sent = 0;
  for (const change of changes) {
    sent += 30;
    await sender.atLeast(sent);
    await service.reload(configOf(change));
  }
  await sender.atLeast(sent + 30);
  const { answers, ids } = await sender.stop();
  expect(answers).toEqual([200]);
  await Promise.all(service.destinations().map(({ destination }) => destination.idle()));
  expect(idsOf(crm, next)).toEqual(ids);
});

test('while the URL of a webhook is changed twenty times under load, every event arrives at one of its URLs, and none dies', async () => {
  const path = mkdtempSync(join(tmpdir(), 'eventferry-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const storage = await lmdbStorage({ path });
  const stays = await startEndpoint(200);
  const moves = await Promise.all(Array.from({ length: 21 }, () => startEndpoint(200)));
  // Little is under way at once, so that much waits whenever the URL is changed.
  const to = ({ url }: TestEndpoint) =>
    configOf({
      destinations: [destinationOf(url, { webhooks: [{ url }, { url: stays.url }], settle: 'each', concurrency: 1 })],
    });
  const [first, ...others] = moves as [TestEndpoint, ...TestEndpoint[]];
  const { service, url } = await serving(to(first), { storage });
  const sender = sendOn(url);
  let sent = 0;
  for (const next of others) {
    sent += 30;
    await sender.atLeast(sent);
    await service.reload(to(next));
  }
  const { answers, ids } = await sender.stop();
  const [crm] = service.destinations();
  await crm?.destination.idle();
  expect(answers).toEqual([200]);
  expect(idsOf(...moves)).toEqual(ids);
  expect(idsOf(stays)).toEqual(ids);
  expect(crm?.counters()).toMatchObject({ delivered: 2 * ids.length, dead: 0 });
  await service.close();
  await storage.close();
});

test('a destination that is changed goes on with what waits', async () => {
  const crm = await startEndpoint(503, 200);
  const clock = new FakeClock();
  const { service, url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { clock });
  await sendBatch(url, track('m1'));
  await crm.has(1);
  await service.reload(configOf({ destinations: [destinationOf(crm.url, { sharedSecret: 'other' })] }));
  await clock.pass(6_500);
  await crm.has(2);
  expect(idsOf(crm)).toEqual(['m1', 'm1']);
  const [first, second] = crm.received.map(({ headers }) => headers['x-signature']);
  expect(first).not.toBe(second);
});

test('a new token lets go of whoever watches with the old one', async () => {
  let isWatched = true;
  const observer = observerWith({
    close: () => {
      isWatched = false;
    },
  });
  const { service } = await serving(configOf(), { observer });
  await service.reload(configOf({ log: { level: 'debug' } }));
  expect(isWatched).toBe(true);
  await service.reload(configOf({ admin: { token: 'another-token-of-the-tests' } }));
  expect(isWatched).toBe(false);
});

test('what was counted at a destination is still counted after it was changed', async () => {
  const crm = await startEndpoint(200);
  const { service, url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }));
  const settle = async (): Promise<void> => service.destinations()[0]?.destination.idle();
  await sendBatch(url, track('m1'));
  await settle();
  await service.reload(configOf({ destinations: [destinationOf(crm.url, { requestTimeout: 1_000 })] }));
  await sendBatch(url, track('m2'));
  await settle();
  expect(service.destinations()[0]?.counters()).toMatchObject({ delivered: 2, results: { success: 2 } });
});

test('a source or key that is gone is nobody, and a new one is known', async () => {
  const { service, url } = await serving(configOf());
  await service.reload(configOf({ sources: [sourceOf({ writeKeys: ['new'] })] }));
  expect((await sendBatch(url, track('m1'))).status).toBe(401);
  const headers = { authorization: `Basic ${Buffer.from('new:').toString('base64')}` };
  const body = JSON.stringify({ batch: [track('m1')] });
  expect((await fetch(`${url}/v1/batch`, { method: 'POST', headers, body })).status).toBe(200);
});

test('what waits for a destination that is configured no more stays in the storage, and the log says how much', async () => {
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

test('a destination that is configured no more is told of at the start as well', async () => {
  const crm = await startEndpoint(503);
  const storage = memoryStorage();
  const first = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { storage });
  await sendBatch(first.url, track('m1'));
  await crm.has(1);
  await first.service.close();
  const log = recordingLog();
  await serving(configOf({ sources: [] }), { storage, log });
  expect(log.lines).toContainEqual(expect.objectContaining({ destination: 'crm', waiting: 1 }));
});

test('a configuration that cannot be taken changes nothing, and is told of', async () => {
  const crm = await startEndpoint(200);
  const { service, url, ask } = await serving(configOf({ destinations: [destinationOf(crm.url)] }));
  const wrong = destinationOf('http://203.0.113.300/', { name: 'ads' });
  await expect(service.reload(configOf({ sources: [], destinations: [wrong] }))).rejects.toThrow('absolute URL');
  service.refuse(new Error('1 mistake in eventferry.yaml'));
  expect((await sendBatch(url, track('m1'))).status).toBe(200);
  await crm.has(1);
  const { body } = await ask('/v1/status');
  expect(body.config.error).toBe('1 mistake in eventferry.yaml');
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toMatch(/^eventferry_config_is_current 0$/m);
  expect(metrics).toMatch(/^eventferry_config_reloads_total\{outcome="refused"\} 1$/m);
  await service.reload(configOf({ destinations: [destinationOf(crm.url)] }));
  expect((await ask('/v1/status')).body.config).not.toHaveProperty('error');
});

test('a configuration that is in use is not called refused when the overrides cannot be read', async () => {
  const [log, storage] = [recordingLog(), memoryStorage()];
  const { service, ask } = await serving(configOf(), { log, storage });
  const get = storage.keyValues.get.bind(storage.keyValues);
  storage.keyValues.get = async (keys) =>
    keys[0]?.startsWith('switch/') ? Promise.reject(new Error('disk error')) : get(keys);
  await service.reload(
    configOf({ sources: [sourceOf({ name: 'app' })], destinations: [destinationOf('http://127.0.0.1:9/')] }),
  );
  expect((await ask('/v1/sources')).body).toMatchObject([{ name: 'app' }]);
  expect((await ask('/v1/status')).body.config).not.toHaveProperty('error');
  expect(log.lines).toContainEqual(expect.objectContaining({ level: 'error', error: 'disk error' }));
});

test('a destination that the store keeps from being opened anew goes on as it was, and is opened when it can be', async () => {
  const crm = await startEndpoint(200);
  const [clock, log, storage] = [new FakeClock(), recordingLog(), memoryStorage()];
  const { service, url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { clock, log, storage });
  const store = await storage.deliveries('crm');
  const backlog = store.backlog.bind(store);
  const changed = configOf({ destinations: [destinationOf(crm.url, { requestTimeout: 1_000 })] });
  let failures = 1;
  store.backlog = async () => (failures-- > 0 ? Promise.reject(new Error('disk error')) : backlog());
  await service.reload(changed);
  expect(log.lines).toContainEqual(expect.objectContaining({ level: 'error', error: 'disk error' }));
  expect((await sendBatch(url, track('m1'))).status).toBe(200);
  failures = 2;
  await service.reload(changed);
  expect((await sendBatch(url, track('m2'))).status).toBe(503);
  failures = 0;
  await clock.pass(5_000);
  expect((await sendBatch(url, track('m2'))).status).toBe(200);
  await crm.has(2);
});

test('a destination that cannot be opened again keeps no other from being opened', async () => {
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
  await service.reload(configWith(1_000));
  await expect(service.accept('app', [deletion('m1')])).rejects.toThrow();
  const [, ofAds] = stores;
  if (ofAds !== undefined) ofAds.backlog = async () => (await backlogs[1]?.()) ?? [];
  await clock.pass(5_000);
  await service.accept('app', [deletion('m1')]);
  await ads.has(1);
  const lines = log.lines.filter(({ text }) => text === 'a destination could not be opened');
  expect(lines).toMatchObject([{ destination: 'crm', error: 'disk error' }]);
});

test('a destination whose store fails as it is closed to be opened anew goes on as it was', async () => {
  const crm = await startEndpoint(200);
  const [log, storage] = [recordingLog(), memoryStorage()];
  const { service, url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { log, storage });
  await sendBatch(url, track('m1'));
  await crm.has(1);
  const store = await storage.deliveries('crm');
  const close = store.close.bind(store);
  store.close = async () => {
    store.close = close;
    throw new Error('disk error');
  };
  await service.reload(configOf({ destinations: [destinationOf(crm.url, { requestTimeout: 1_000 })] }));
  expect(log.lines).toContainEqual(expect.objectContaining({ level: 'error', error: 'disk error' }));
  expect((await sendBatch(url, track('m2'))).status).toBe(200);
  await crm.has(2);
  await expect.poll(() => service.destinations()[0]?.counters()).toMatchObject({ accepted: 2, delivered: 2 });
});

describe('a destination that could not be opened anew and is being opened again', () => {
  /** Up to where it is opened again, which is held up. */
  async function opening() {
    const crm = await startEndpoint(200);
    const [clock, storage] = [new FakeClock(), memoryStorage()];
    const opened: Destination[] = [];
    const { service } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), {
      clock,
      storage,
      observer: observerWith({ opened: (_, destination) => opened.push(destination) }),
    });
    const store = await storage.deliveries('crm');
    const backlog = store.backlog.bind(store);
    store.backlog = async () => Promise.reject(new Error('disk error'));
    const change = (requestTimeout: number) =>
      service.reload(configOf({ destinations: [destinationOf(crm.url, { requestTimeout })] }));
    await change(1_000);
    const held = deferred();
    store.backlog = async () => {
      await held.promise;
      return backlog();
    };
    await clock.pass(5_000);
    const [managed] = service.destinations();
    /** Whether each of those that were opened takes messages. */
    const taking = () =>
      Promise.all(
        opened.map((each) =>
          each.deliverAll([]).then(
            () => true,
            () => false,
          ),
        ),
      );
    return { service, managed, change, goOn: held.resolve, taking };
  }

  test('is closed with the service', async () => {
    const { service, goOn, taking } = await opening();
    const closed = service.close();
    await settled();
    goOn();
    await closed;
    await settled();
    expect(await taking()).not.toContain(true);
  });

  test('is opened once when the configuration is changed meanwhile', async () => {
    const { change, goOn, taking } = await opening();
    const changed = change(2_000);
    await settled();
    goOn();
    await changed;
    await settled();
    expect((await taking()).filter(Boolean)).toHaveLength(1);
  });

  test('is opened no more once the configuration has it no more', async () => {
    const { service, goOn, taking } = await opening();
    const changed = service.reload(configOf());
    await settled();
    goOn();
    await changed;
    await settled();
    expect(await taking()).not.toContain(true);
  });
});
