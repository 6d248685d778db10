import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Status } from '../../src/service/api/answer-types.js';
import { call, tryCall } from './api.js';
import { destinationOf } from './destinations.js';
import { eventferryLoad } from './load.js';
import { WebhookReceiver } from './receiver.js';
import { Requests } from './requests.js';
import { Home, type Service, TOKEN } from './service.js';

/** The path of the data inside the service's mount namespace, where it has its own disk. The disk disappears with the process. */
const dataOf = ({ pid }: Service, { folder }: Home): string => join(`/proc/${pid}/root`, folder, 'data');

const onOwnDisk = (folder: string, megabytes = 128): string[] => {
  const script = `mount -t tmpfs -o size=${megabytes}m none "$0" && exec "$@"`;
  return ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', script, join(folder, 'data')];
};

/** Fills the free space. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (const size of [1_048_576, 4_096]) await writeOnAndOn(file, new Uint8Array(size));
  } finally {
    await file.close();
  }
}

async function writeOnAndOn(file: FileHandle, block: Uint8Array): Promise<void> {
  try {
    for (;;) await file.write(block);
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  }
}

test('while the disk is full, messages are answered with 503, and the service continues when there is space again', async () => {
  const receiver = await WebhookReceiver.start();
  const place = await Home.make({
    sources: [{ name: 'shop', writeKeys: ['shop-key'], destinations: ['crm'] }],
    destinations: [destinationOf('crm', receiver, { requestTimeout: 60_000 })],
  });
  await mkdir(join(place.folder, 'data'));
  const service = await place.start({ under: onOwnDisk(place.folder) });
  // Accepted events stay on the disk, because the receiver is held.
  const release = receiver.hold();
  const load = eventferryLoad(service.url, 'shop-key');
  const requests = new Requests(service.url, 'shop-key', 'r');
  await Promise.all([requests.more(20), load.more(20)]);

  const ballast = join(dataOf(service, place), 'ballast');
  await fill(ballast);
  while ((requests.outcomes.get(503) ?? 0) < 10) await delay(20);
  // The last free pages are soon used up.
  while ((await tryCall(service.url, 'GET', '/readyz')).status !== 503) await delay(20);

  await rm(ballast);
  await Promise.all([requests.more(20), load.more(20)]);
  expect(await tryCall(service.url, 'GET', '/readyz')).toMatchObject({ status: 200 });
  release();
  await Promise.all([requests.stop(), load.stop()]);
  await load.expectArrivedAt(receiver);
  await receiver.has(requests.acknowledged);
  expect([...requests.outcomes.keys()].toSorted()).toEqual([200, 503]);
  expect(await service.stop()).toEqual({ code: 0, signal: null });
});

test('the service recovers by itself from a disk that a backlog and other files have filled: everything accepted arrives, and new messages are accepted', async () => {
  const receiver = await WebhookReceiver.start();
  const place = await Home.make({
    sources: [{ name: 'shop', writeKeys: ['shop-key'], destinations: ['crm'] }],
    destinations: [destinationOf('crm', receiver, { requestTimeout: 60_000 })],
  });
  await mkdir(join(place.folder, 'data'));
  const service = await place.start({ under: onOwnDisk(place.folder, 24) });
  const release = receiver.hold();
  const requests = new Requests(service.url, 'shop-key', 'r');
  while ((requests.outcomes.get(503) ?? 0) < 10) await delay(20);
  await fill(join(dataOf(service, place), 'of-others'));
  const { status, answer } = await tryCall(service.url, 'GET', '/readyz');
  expect(status).toBe(503);
  expect(JSON.stringify(answer)).toMatch(/takes no new events: \d+ MB are free"/);
  // With a token, the answer also has the names.
  const { readiness } = await call<Status>(service.url, 'GET', '/v1/status');
  const reason = expect.stringMatching(/takes no new events: \d+ MB are free; deliveries that wait: crm \d{4,}/);
  expect(readiness).toMatchObject({ ready: false, code: 'store-full', reason });
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const metrics = await (await fetch(`${service.url}/metrics`, { headers })).text();
  expect(metrics).toContain('eventferry_ready 0\n');
  expect(metrics).toContain('eventferry_not_ready{reason="store-full"} 1\n');

  release();
  while ((await tryCall(service.url, 'GET', '/readyz')).status !== 200) await delay(50);
  await requests.more(20);
  await requests.stop();
  await receiver.has(requests.acknowledged);
  expect([...receiver.arrived.values()].filter((times) => times.length > 1)).toEqual([]);
  expect([...requests.outcomes.keys()].toSorted()).toEqual([200, 503]);
  expect(await service.stop()).toEqual({ code: 0, signal: null });
});
