import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Destination } from '../../src/destination/destination.js';
import type { ServiceConfig } from '../../src/service/config/service-config.js';
import { lmdbStorage } from '../../src/store/lmdb/lmdb-storage.js';
import { memoryStorage } from '../../src/store/memory/memory-storage.js';
import { deferred } from '../collector/support.js';
import { startEndpoint, type TestEndpoint } from '../scheduler/test-endpoint.js';
import { FakeClock, settled } from '../support/fake-clock.js';
import { runs } from '../support/runs.js';
import { observerWith } from './observing.js';
import { recordingLog } from './recording-log.js';
import { configOf, destinationOf, metricsAt, sendBatch, serving, sourceOf, track } from './support.js';

const idsOf = (...endpoints: TestEndpoint[]): unknown[] =>
  endpoints.flatMap(({ received }) => received.map(({ body }) => JSON.parse(body.toString()).messageId)).sort();

/** Sends one batch after the other until it is stopped, and keeps the answers and the ids. */
function sendOn(url: string) {
  const answers: number[] = [];
  const ids: string[] = [];
  let isStopped = false;
  let reached = (): void => {};
  const sender = async (name: string): Promise<void> => {
    for (let number = 0; !isStopped; number++) {
      const id = `${name}-${number}`;
      const { status } = await sendBatch(url, track(id));
      answers.push(status);
      ids.push(id);
      reached();
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
    atLeast: (count: number) =>
      new Promise<void>((resolve) => {
        reached = () => void (ids.length >= count && resolve());
        reached();
      }),
  };
}

test('while the configuration is changed repeatedly, every request is answered 200 and every message arrives', async () => {
  const [crm, next] = await Promise.all([startEndpoint(200), startEndpoint(200)]);
  // All deliveries run at once, because one that still waits for a removed URL could never be sent.
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
    sent += runs(12, 30);
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
  // Few deliveries run at once, so that many wait whenever the URL is changed.
  const to = ({ url }: TestEndpoint) =>
    configOf({
      destinations: [destinationOf(url, { webhooks: [{ url }, { url: stays.url }], settle: 'each', concurrency: 1 })],
    });
  const [first, ...others] = moves as [TestEndpoint, ...TestEndpoint[]];
  const { service, url } = await serving(to(first), { storage });
  const sender = sendOn(url);
  let sent = 0;
  for (const next of others) {
    sent += runs(12, 30);
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
}, 60_000);

test('a new token disconnects viewers who use the old one', async () => {
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

test('a configuration that is refused changes nothing, and is reported', async () => {
  const crm = await startEndpoint(200);
  const { service, url, ask } = await serving(configOf({ destinations: [destinationOf(crm.url)] }));
  const wrong = destinationOf('http://203.0.113.300/', { name: 'ads' });
  await expect(service.reload(configOf({ destinations: [wrong] }))).rejects.toThrow('absolute URL');
  expect((await sendBatch(url, track('m1'))).status).toBe(200);
  await crm.has(1);
  const { body } = await ask('/v1/status');
  expect(body.config.error).toMatch(/^1 mistake in the configuration/);
  const metrics = await metricsAt(url);
  expect(metrics).toMatch(/^eventferry_config_is_current 0$/m);
  expect(metrics).toMatch(/^eventferry_config_reloads_total\{outcome="refused"\} 1$/m);
  await service.reload(configOf({ destinations: [destinationOf(crm.url)] }));
  expect((await ask('/v1/status')).body.config).not.toHaveProperty('error');
});

test('a configuration in use is not reported as refused if the overrides cannot be read', async () => {
  const [log, storage] = [recordingLog(), memoryStorage()];
  const { service, ask } = await serving(configOf(), { log, storage });
  const list = storage.keyValues.list.bind(storage.keyValues);
  storage.keyValues.list = async (prefix, ...rest) =>
    prefix === 'switch/' ? Promise.reject(new Error('disk error')) : list(prefix, ...rest);
  await service.reload(
    configOf({ sources: [sourceOf({ name: 'app' })], destinations: [destinationOf('http://127.0.0.1:9/')] }),
  );
  expect((await ask('/v1/sources')).body.sources).toMatchObject([{ name: 'app' }]);
  expect((await ask('/v1/status')).body.config).not.toHaveProperty('error');
  expect(log.lines).toContainEqual(expect.objectContaining({ level: 'error', error: 'disk error' }));
});

/** Changes a destination up to the point at which it is reopened, where it waits. */
async function opening() {
  const crm = await startEndpoint(200);
  const [clock, storage] = [new FakeClock(), memoryStorage()];
  const opened: Destination[] = [];
  const openOn = Destination.openOn;
  const spy = vi.spyOn(Destination, 'openOn').mockImplementation(async (...given) => {
    const destination = await openOn(...given);
    opened.push(destination);
    return destination;
  });
  onTestFinished(() => spy.mockRestore());
  const { service } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), {
    clock,
    storage,
  });
  const store = await storage.deliveries('crm');
  const backlog = store.backlog.bind(store);
  store.backlog = async () => Promise.reject(new Error('disk error'));
  const change = (requestTimeout: number) =>
    service.reload(configOf({ destinations: [destinationOf(crm.url, { requestTimeout })] }));
  await expect(change(1_000)).rejects.toThrow('disk error');
  const held = deferred();
  store.backlog = async () => {
    await held.promise;
    return backlog();
  };
  await clock.pass(5_000);
  const [managed] = service.destinations();
  /** Returns for each opened destination whether it accepts messages. */
  const taking = (): boolean[] =>
    opened.map((each) => {
      try {
        return each.arrivals.newEvents([], 0, 0).length === 0;
      } catch {
        return false;
      }
    });
  return { service, managed, change, goOn: held.resolve, taking };
}

test('a destination that is still being opened is closed with the service', async () => {
  const { service, goOn, taking } = await opening();
  const closed = service.close();
  await settled();
  goOn();
  await closed;
  await settled();
  expect(taking()).not.toContain(true);
});

test('a destination that is still being opened is opened only once when the configuration changes meanwhile', async () => {
  const { change, goOn, taking } = await opening();
  const changed = change(2_000);
  await settled();
  goOn();
  await changed;
  await settled();
  expect(taking().filter(Boolean)).toHaveLength(1);
});

test('a destination that is still being opened is closed when the configuration no longer has it', async () => {
  const { service, goOn, taking } = await opening();
  const changed = service.reload(configOf());
  await settled();
  goOn();
  await changed;
  await settled();
  expect(taking()).not.toContain(true);
});
