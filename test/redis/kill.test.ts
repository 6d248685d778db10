import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import { prepareEvent } from '../../src/destination/intake/prepared-event.js';
import type { EventStore } from '../../src/store/event-store.js';
import { track } from '../destination/track.js';
import { type Reaction, startEndpoint } from '../scheduler/test-endpoint.js';
import { bundled } from '../support/bundled.js';
import { RedisCluster } from './redis-cluster.js';
import type { RedisServer } from './redis-server.js';
import { KILLED, openDestination, openStorage, startRedis } from './storage.js';

const child = bundled(new URL('./worker-child.ts', import.meta.url));

interface Run {
  readonly process: ChildProcess;
  readonly ended: Promise<number | null>;
}

/** Starts processes on one storage. `ended` resolves with the exit code, which is null for a killed process. */
function starter(redis: RedisServer | RedisCluster, endpoint: string) {
  const url = redis instanceof RedisCluster ? redis.urls.join() : redis.url;
  const folder = mkdtempSync(join(tmpdir(), 'eventferry-kill-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const accepted = join(folder, 'accepted');
  writeFileSync(accepted, '');
  let runs = 0;
  const start = (task: 'load' | 'deliver' | 'drain'): Run => {
    const args = [child, url, endpoint, task, `r${runs++}`, accepted];
    const process = spawn(globalThis.process.execPath, args, { stdio: 'inherit' });
    onTestFinished(() => void process.kill('SIGKILL'));
    return { process, ended: once(process, 'exit').then(([code]) => code as number | null) };
  };
  return { start, accepted: () => readFileSync(accepted, 'utf8').trimEnd().split('\n') };
}

async function kill({ process, ended }: Run): Promise<void> {
  process.kill('SIGKILL');
  expect(await ended).toBeNull();
}

async function expectNothingLeft(store: EventStore): Promise<void> {
  expect(await store.backlog()).toEqual([]);
  expect(await store.dead(undefined, 10)).toEqual([]);
}

/** Creates a reaction that fails one in twenty requests. */
function failing(): Reaction {
  let requests = 0;
  return (_, response) => void response.writeHead(++requests % 20 === 0 ? 500 : 200).end();
}

test('two processes that are alternately frozen and killed under load lose no event and give none up', async () => {
  const server = await startRedis();
  const endpoint = await startEndpoint(failing());
  const { start, accepted } = starter(server, endpoint.url);
  let [older, newer] = [start('load'), start('load')];
  for (let round = 0; round < 3; round++) {
    await endpoint.has(endpoint.received.length + 100);
    older.process.kill('SIGSTOP');
    // Its leases end, and the other process takes its deliveries.
    await delay(KILLED.leaseMs + 500);
    older.process.kill('SIGCONT');
    await endpoint.has(endpoint.received.length + 100);
    await kill(older);
    [older, newer] = [newer, start('load')];
  }
  await endpoint.has(endpoint.received.length + 100);
  await Promise.all([older, newer].map(kill));
  expect(await start('drain').ended).toBe(0);

  const arrived = new Set<string>();
  for (const { body } of endpoint.received) {
    const { messageId } = JSON.parse(body.toString()) as { messageId: string };
    expect(body.equals(Buffer.from(prepareEvent(track(messageId)).body))).toBe(true);
    arrived.add(messageId);
  }
  expect(accepted().length).toBeGreaterThan(100);
  expect(accepted().filter((id) => !arrived.has(id))).toEqual([]);
  const storage = await openStorage(server, 'killed', { intervals: KILLED });
  await expectNothingLeft(await storage.deliveries('orders'));
});

test('a delivery is made even if its worker is killed again and again', async () => {
  const server = await startRedis();
  const hang: Reaction = () => undefined;
  const endpoint = await startEndpoint(hang, hang, hang, hang, 200);
  const { start } = starter(server, endpoint.url);
  const store = await (await openStorage(server, 'killed', { intervals: KILLED })).deliveries('orders');
  await store.add(newEvent('m1', 'track', [endpoint.url], Date.now()), prepareEvent(track('m1')).body);
  for (let killed = 1; killed <= 4; killed++) {
    const run = start('deliver');
    await endpoint.has(killed);
    await kill(run);
  }
  expect(await start('drain').ended).toBe(0);
  expect(endpoint.received.length).toBe(5);
  await expectNothingLeft(store);
});

test('on a cluster, deliveries that wait behind the one of a killed process are sent after it, in order', async () => {
  const cluster = await RedisCluster.start();
  onTestFinished(() => cluster.remove());
  const endpoint = await startEndpoint(() => undefined, 200);
  const ids = ['m0', 'm1', 'm2', 'm3'];
  const store = await (await openStorage(cluster, 'killed', { intervals: KILLED })).deliveries('orders');
  for (const id of ids) {
    const { body, user = '' } = prepareEvent({ ...track(id), userId: 'ann' });
    const event = newEvent(id, 'track', [endpoint.url], Date.now(), { bytes: body.length, user });
    await store.add({ ...event, isOrdered: true }, body);
  }
  const run = starter(cluster, endpoint.url).start('deliver');
  await endpoint.has(1);
  await kill(run);
  const survivor = await openDestination(cluster, 'killed', {
    ...{ webhooks: [{ url: endpoint.url }], ordered: 'user', intervals: KILLED },
  });
  await survivor.idle();
  const arrived = endpoint.received.map(({ body }) => JSON.parse(body.toString()).messageId);
  expect(arrived).toEqual(['m0', ...ids]);
  await expectNothingLeft(store);
});
