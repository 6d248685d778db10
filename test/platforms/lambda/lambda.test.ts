import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startInstance } from './lambda.js';

const root = join(import.meta.dirname, '../../..');
const example = (name: string): string => join(root, 'examples', name);
const silent = join(import.meta.dirname, 'handler.mjs');

interface Received {
  readonly events: readonly string[];
  /** Answers the request, if the collector does not do so by itself. */
  answer(): void;
}

/** Starts a collector whose answers can be held back, and whose connections can be cut. */
async function startCollector() {
  const requests: Received[] = [];
  const collector = { requests, isHolding: false, url: '', cut: () => server.closeAllConnections() };
  const ok = (response: ServerResponse) =>
    response.setHeader('Content-Type', 'application/json').end('{"success":true}');
  const server = createServer(async (request, response) => {
    const { batch } = (await json(request)) as { batch: { event: string }[] };
    requests.push({ events: batch.map(({ event }) => event), answer: () => void ok(response) });
    if (!collector.isHolding) ok(response);
  });
  // Only the test cuts connections.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  collector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return collector;
}

const eventsOf = (requests: readonly Received[]): string[] => requests.flatMap(({ events }) => events);

test('a function that flushes before it answers has delivered by then, despite freezes and a connection cut during one', async () => {
  const collector = await startCollector();
  const instance = await startInstance(example('lambda.ts'), { EVENTFERRY_ENDPOINT: collector.url });
  for (let delivered = 1; delivered <= 6; delivered++) {
    expect(await instance.invoke({ userId: 'u1' }), instance.output()).toBe('{"statusCode":200}');
    expect(eventsOf(collector.requests)).toHaveLength(delivered);
    await instance.frozen();
    if (delivered % 2 === 0) collector.cut();
  }
  expect(instance.output()).toBe('');
});

test('a function that streams completes its answer before it has delivered, and is frozen after the delivery', async () => {
  const collector = await startCollector();
  collector.isHolding = true;
  const instance = await startInstance(example('lambda-streaming.ts'), { EVENTFERRY_ENDPOINT: collector.url });
  expect(await instance.invoke({ userId: 'u1' }), instance.output()).toBe('ordered');
  await expect.poll(() => collector.requests).toHaveLength(1);
  let isFrozen = false;
  const frozen = instance.frozen().then(() => (isFrozen = true));
  await delay(50);
  expect(isFrozen).toBe(false);
  collector.requests[0]?.answer();
  await frozen;
});

test('a function with an extension sends its whole answer before it has delivered, and is frozen after the delivery', async () => {
  const collector = await startCollector();
  const instance = await startInstance(example('lambda-extension.ts'), { EVENTFERRY_ENDPOINT: collector.url });
  for (let delivered = 1; delivered <= 4; delivered++) {
    collector.isHolding = true;
    expect(await instance.invoke({ userId: 'u1' }), instance.output()).toBe('{"statusCode":200}');
    await expect.poll(() => collector.requests).toHaveLength(delivered);
    let isFrozen = false;
    const frozen = instance.frozen().then(() => (isFrozen = true));
    await delay(50);
    expect(isFrozen).toBe(false);
    collector.requests.at(-1)?.answer();
    await frozen;
    if (delivered % 2 === 0) collector.cut();
  }
  expect(eventsOf(collector.requests)).toHaveLength(4);
  expect(instance.output()).toBe('');
});

test('a function that does not wait for its flush delivers during the next invocation, each message once', async () => {
  const collector = await startCollector();
  const instance = await startInstance(silent, { EVENTFERRY_ENDPOINT: collector.url, FLUSH_AFTER: '100' });
  await instance.invoke({ event: 'first' });
  await instance.frozen();
  // Waits until the client's timer is due.
  await delay(200);
  expect(collector.requests).toEqual([]);
  await instance.invoke({ event: 'second', wait: true });
  await instance.frozen();
  expect(eventsOf(collector.requests)).toEqual(['first', 'second']);
  expect(instance.output().split('\n').sort().join('')).toBe('delivered first;delivered second;');
});

test('an answer that arrived while the process was frozen counts, even after the timeout of the request', async () => {
  const collector = await startCollector();
  collector.isHolding = true;
  const instance = await startInstance(silent, { EVENTFERRY_ENDPOINT: collector.url, FLUSH_AFTER: '0' });
  await instance.invoke({ event: 'warm' });
  await instance.frozen();
  // This sends the waiting messages, and the process is frozen again before there is an answer.
  await instance.invoke({ event: 'second' });
  await instance.frozen();
  if (collector.requests.length === 0) await instance.invoke({ event: 'third' });
  await instance.frozen();
  collector.isHolding = false;
  for (const { answer } of collector.requests) answer();
  await delay(1_700);
  await instance.invoke({ event: 'last', wait: true });
  await instance.frozen();
  const events = eventsOf(collector.requests);
  expect(events).toEqual([...new Set(events)]);
  expect(events).toContain('last');
  const endings = instance.output().trim().split('\n').sort();
  expect(endings).toEqual(events.map((event) => `delivered ${event};`).sort());
});

test('a request whose connection broke while the process was frozen is sent again, and nothing is lost', async () => {
  const collector = await startCollector();
  collector.isHolding = true;
  const instance = await startInstance(silent, { EVENTFERRY_ENDPOINT: collector.url, FLUSH_AFTER: '0' });
  for (let turn = 0; collector.requests.length === 0; turn++) await instance.invoke({ event: `early ${turn}` });
  await instance.frozen();
  collector.isHolding = false;
  collector.cut();
  await delay(1_700);
  await instance.invoke({ event: 'last', wait: true });
  await instance.frozen();
  const events = [...new Set(eventsOf(collector.requests))];
  const endings = instance
    .output()
    .split('\n')
    .filter((line) => /^(delivered|lost)/.test(line));
  expect(endings.sort()).toEqual(events.map((event) => `delivered ${event};`).sort());
});
