import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { deferred } from '../../collector/support.js';
import { listen, startEndpoint } from '../../scheduler/test-endpoint.js';
import { FakeClock } from '../../support/fake-clock.js';
import { recordingLog } from '../recording-log.js';
import { configOf, destinationOf, sendBatch, serving, sourceOf, TOKEN, track } from '../support.js';

test('/healthz and /readyz answer 200 while the service takes messages', async () => {
  const { url } = await serving(configOf());
  for (const path of ['/healthz', '/readyz']) {
    const response = await fetch(url + path);
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  }
});

test('/readyz answers 503 while the store fails, and the log has the reason', async () => {
  const storage = memoryStorage();
  const log = recordingLog();
  const { url } = await serving(configOf(), { storage, log });
  storage.check = async () => Promise.reject(new Error('no space left on device'));
  const response = await fetch(`${url}/readyz`);
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({ code: 'not_ready', message: 'The store cannot be read or written' });
  expect(log.lines).toContainEqual(expect.objectContaining({ level: 'error', error: 'no space left on device' }));
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test('a closing service finishes requests in flight and refuses new ones', async () => {
  const storage = memoryStorage();
  const stored = deferred();
  const claimed = deferred();
  const claim = storage.messageIds.claim.bind(storage.messageIds);
  storage.messageIds.claim = async (...args) => {
    claimed.resolve();
    await stored.promise;
    return claim(...args);
  };
  const { service, url } = await serving(configOf(), { storage });
  // Another server in front, whose connections are not the service's to close.
  const mounted = `http://127.0.0.1:${await listen(createServer(service.handler))}`;
  const answer = sendBatch(url, track('m1'));
  await claimed.promise;
  const closed = service.close();
  expect((await fetch(`${mounted}/readyz`)).status).toBe(503);
  expect((await sendBatch(mounted, track('m2'))).body).toMatchObject({ code: 'closing' });
  await expect(fetch(`${url}/readyz`)).rejects.toThrow();
  stored.resolve();
  expect((await answer).status).toBe(200);
  await closed;
});

test('the metrics cover messages, destinations, webhooks and the process', async () => {
  const clock = new FakeClock();
  const crm = await startEndpoint(200, 404, 503);
  const { url, service } = await serving(
    configOf({
      sources: [sourceOf({ trackSchema: { allowed: undefined, blocked: ['Blocked'] } })],
      destinations: [destinationOf(`${crm.url}?token=secret`)],
    }),
    { clock },
  );
  await sendBatch(url, track('m1'));
  await crm.has(1);
  await sendBatch(url, track('m1'), track('m2'), { type: 'nonsense' });
  await crm.has(2);
  await sendBatch(url, track('m3'), track('m4', { event: 'Blocked' }));
  await crm.has(3);
  const [managed] = service.destinations();
  await expect.poll(() => managed?.counters().attempts).toBe(3);
  await clock.pass(0);
  const response = await fetch(`${url}/metrics`);
  expect(response.headers.get('content-type')).toContain('text/plain');
  const text = await response.text();
  const value = (name: string): number =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length),
    );
  expect(value('eventferry_collector_messages_total{outcome="rejected"}')).toBe(1);
  expect(value('eventferry_messages_total{outcome="received"}')).toBe(4);
  expect(value('eventferry_messages_total{outcome="blocked"}')).toBe(1);
  expect(value('eventferry_forwarded_total{outcome="stored"}')).toBe(3);
  expect(value('eventferry_attempts_total{destination="crm",result="success"}')).toBe(1);
  expect(value('eventferry_attempts_total{destination="crm",result="server-error"}')).toBe(1);
  expect(value('eventferry_deliveries_total{destination="crm",outcome="dead"}')).toBe(1);
  expect(value('eventferry_dead_letters{destination="crm"}')).toBe(1);
  expect(value('eventferry_destination_enabled{destination="crm"}')).toBe(1);
  const webhook = `{destination="crm",webhook="1",host="${new URL(crm.url).origin}"}`;
  expect(value(`eventferry_waiting${webhook}`)).toBe(1);
  expect(value(`eventferry_failing${webhook}`)).toBe(0);
  const breaker = (state: string) => value(`eventferry_breaker_state${webhook.replace('}', `,state="${state}"}`)}`);
  expect(['closed', 'open', 'half-open'].map(breaker)).toEqual([1, 0, 0]);
  expect(value(`eventferry_oldest_due_seconds${webhook}`)).toBe(0);
  expect(value('eventferry_store_bytes')).toBe(0);
  expect(value('eventferry_event_loop_delay_seconds{quantile="0.99"}')).toBeGreaterThanOrEqual(0);
  expect(value('process_resident_memory_bytes')).toBeGreaterThan(1e6);
  expect(text).not.toMatch(/secret|shhh|dev|a-token/);
});

test('the metrics have the age of the oldest due delivery of a webhook', async () => {
  const clock = new FakeClock();
  const crm = await startEndpoint(503);
  const { url, service } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { clock });
  await sendBatch(url, ...Array.from({ length: 12 }, (_, index) => track(`m${index}`)));
  await expect.poll(() => service.destinations()[0]?.counters().attempts).toBe(12);
  const endpoint = () => service.destinations()[0]?.destination.endpoints()[0];
  await expect.poll(() => endpoint()?.state).toBe('open');
  const due = endpoint()?.oldestDue ?? 0;
  // Left alone: what is due stays so.
  await clock.pass(due - clock.now() - 1);
  const text = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();
  expect(await text()).toMatch(/^eventferry_breaker_state\{.*,state="open"\} 1$/m);
  expect(await text()).toMatch(/^eventferry_oldest_due_seconds\{.*\} 0$/m);
});

test('a webhook that answers 404 to everything is failing, in the API, the metrics, the log and explain', async () => {
  const log = recordingLog();
  const statuses = [404, 404, 404];
  const crm = await startEndpoint((_, response) => void response.writeHead(statuses.shift() ?? 200).end());
  const { url, ask, service } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { log });
  const health = async () => {
    await service.destinations()[0]?.destination.idle();
    const { state, failing } = (await ask('/v1/destinations')).body[0].endpoints[0];
    const [, metric] = /^eventferry_failing\{.*\} (.)$/m.exec(await (await fetch(`${url}/metrics`)).text()) ?? [];
    return { state, failing, metric };
  };
  const lines = () => log.lines.filter(({ text }) => /most of the last attempts/.test(String(text)));
  await sendBatch(url, track('m1'), track('m2'));
  expect(await health()).toEqual({ state: 'closed', failing: false, metric: '0' });
  await sendBatch(url, track('m3'));
  expect(await health()).toEqual({ state: 'closed', failing: true, metric: '1' });
  expect((await ask('/v1/deliveries/m3')).body[0].endpoints[0]).toMatchObject({ phase: 'dead', failing: true });
  const webhook = { destination: 'crm', webhook: new URL(crm.url).origin };
  const why = 'a 4xx other than 408 and 429 is permanent';
  const begins = { failed: 3, attempts: 3, result: 'rejected', status: 404, why };
  expect(lines()).toEqual([
    { level: 'warn', text: 'most of the last attempts at a webhook failed', ...webhook, ...begins },
  ]);
  await sendBatch(url, ...Array.from({ length: 6 }, (_, index) => track(`n${index}`)));
  expect((await health()).failing).toBe(true);
  await sendBatch(url, track('n6'));
  expect(await health()).toEqual({ state: 'closed', failing: false, metric: '0' });
  expect(lines().slice(1)).toEqual([
    { level: 'info', text: 'most of the last attempts at a webhook succeed again', ...webhook },
  ]);
});

test('an open breaker and dead letters are a log line each, without the path of the URL', async () => {
  const clock = new FakeClock();
  const log = recordingLog();
  const [busy, gone] = await Promise.all([startEndpoint(503), startEndpoint(404)]);
  const { url, service } = await serving(
    configOf({
      sources: [sourceOf({ destinations: ['busy', 'gone'] })],
      destinations: [destinationOf(busy.url, { name: 'busy' }), destinationOf(gone.url, { name: 'gone' })],
    }),
    { clock, log },
  );
  await sendBatch(url, ...Array.from({ length: 20 }, (_, index) => track(`m${index}`)));
  await service.destinations()[1]?.destination.idle();
  await expect.poll(() => log.lines.length).toBeGreaterThan(0);
  await clock.pass(10_000);
  const said = log.lines.filter(({ level }) => level === 'warn');
  const opened = said.filter(({ destination, state }) => destination === 'busy' && state !== undefined);
  const webhook = new URL(busy.url).origin;
  expect(opened[0]).toMatchObject({ webhook, state: 'open', until: expect.stringMatching(/Z$/) });
  const reasons = [
    {
      webhook: new URL(gone.url).origin,
      reason: 'permanent',
      last: 404,
      why: 'a 4xx other than 408 and 429 is permanent',
      events: 20,
    },
  ];
  expect(said.filter(({ destination, reasons }) => destination === 'gone' && reasons !== undefined)).toEqual([
    { level: 'warn', text: 'events became dead letters', destination: 'gone', events: 20, reasons },
  ]);
  expect(JSON.stringify(log.lines)).not.toMatch(/\/hook|u1|Order Completed|shhh/);
  expect(JSON.stringify(log.lines)).not.toContain(TOKEN);
});

test('a repeated error is logged at once, and then with the number of repetitions', async () => {
  const [clock, log, storage] = [new FakeClock(), recordingLog(), memoryStorage()];
  const { url } = await serving(configOf(), { clock, log, storage });
  storage.messageIds.claim = async () => Promise.reject(new Error('no space left on device'));
  for (const id of ['m1', 'm2', 'm3']) expect((await sendBatch(url, track(id))).status).toBe(503);
  const told = { level: 'error', text: 'messages could not be stored', error: 'no space left on device' };
  expect(log.lines).toEqual([told]);
  await clock.pass(10_000);
  expect(log.lines).toEqual([told, { ...told, again: 2 }]);
});

test.each([
  'GET /v1/status HTTP/1.1\r\nHost: a b\r\n\r\n',
  'GET //v1/status HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET http://[ HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /v1/status?%ff HTTP/1.1\r\nHost: x\r\nCookie: eventferry_session=%\r\n\r\n',
  'GET /v1/deliveries/%ff HTTP/1.1\r\nHost: x\r\n\r\n',
  'POST /v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
])('a request that makes no sense ends with itself: %j', async (bytes) => {
  const { url } = await serving(configOf());
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(bytes);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  socket.destroy();
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
});

test('the metrics answer without those of the store while it fails', async () => {
  const storage = memoryStorage();
  const { url } = await serving(configOf(), { storage });
  storage.size = async () => Promise.reject(new Error('connection lost'));
  const response = await fetch(`${url}/metrics`);
  expect(response.status).toBe(200);
  const text = await response.text();
  expect(text).toContain('eventferry_messages_total{outcome="received"} 0');
  expect(text).toMatch(/^eventferry_store_bytes Nan$/im);
});
