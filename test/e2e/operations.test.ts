import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { SourcePage } from '../../src/service/api/answer-types.js';
import type { DeliveryPage } from '../../src/service/api/delivery-answers.js';
import { metricsAt, track } from '../service/support.js';
import { call, sendBatch, tryCall } from './api.js';
import { destinationOf } from './destinations.js';
import { WebhookReceiver } from './receiver.js';
import { Home, isEnding } from './service.js';
import { beginRequest } from './slow-request.js';

async function office(config: object = {}) {
  const crm = await WebhookReceiver.start();
  const place = await Home.make({
    sources: [
      { name: 'shop', writeKeys: ['shop-key'], destinations: ['crm'], trackSchema: { blocked: ['Mouse Moved'] } },
      { name: 'app', writeKeys: ['app-key'], destinations: [] },
    ],
    destinations: [destinationOf('crm', crm)],
    ...config,
  });
  return { crm, place, service: await place.start() };
}

const range = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

test('an event that was refused for good is a dead letter, which can be replayed or discarded', async () => {
  const { crm, service } = await office();
  const { url } = service;
  const ids = range('m', 30);
  crm.failing = 410;
  await sendBatch(
    url,
    'shop-key',
    ids.map((id) => track(id)),
  );
  const path = '/v1/deliveries';
  const dead = (query: string) => call<DeliveryPage>(url, 'GET', `${path}?destination=crm&phase=dead&${query}`);
  while (((await dead('count=true')).count?.deliveries ?? 0) < 30);
  const { deliveries, next } = await dead('limit=20');
  const rest = await dead(`limit=20&after=${next}`);
  const listed = [...deliveries, ...rest.deliveries];
  expect(listed.map(({ id }) => id.replace(/.*\//, '')).toSorted()).toEqual(ids.toSorted());
  expect(deliveries[0]).toMatchObject({ webhook: { url: crm.url }, attempts: 1, result: '410' });

  crm.failing = undefined;
  const [one, other] = listed.map(({ id }) => id);
  expect(await tryCall(url, 'POST', `${path}/replay`, {})).toMatchObject({ status: 422 });
  expect(await call(url, 'POST', `${path}/discard`, { destination: 'crm', id: one })).toMatchObject({ deliveries: 1 });
  expect(await call(url, 'POST', `${path}/replay`, { destination: 'crm', id: other })).toMatchObject({ deliveries: 1 });
  await crm.hasEvents(1);
  expect(await call(url, 'POST', `${path}/replay`, { all: true })).toMatchObject({ deliveries: 28, status: 'done' });
  await crm.hasEvents(29);
  expect(await dead('')).toEqual({ deliveries: [] });
  expect(crm.times(listed[0]?.id.replace(/.*\//, '') ?? '')).toBe(0);
});

test('messages of each source are counted by event and hour, even across a restart', async () => {
  const { crm, place, service } = await office();
  const send = (key: string, ...batch: unknown[]) => sendBatch(service.url, key, batch);
  await send('shop-key', track('m1'), track('m2'), track('m3', { event: 'Mouse Moved' }), {
    type: 'page',
    userId: 'u',
  });
  await send('shop-key', track('m1'));
  await send('app-key', track('m1', { event: 'App Opened' }));
  await send('shop-key', track('m4'), { type: 'track', userId: 'u' });
  await crm.hasEvents(4);
  await service.stop();
  const { url } = await place.start();
  const total = async (source: string): Promise<Record<string, number[]>> => {
    const counts = await call<Count[]>(url, 'GET', `/v1/sources/${source}/counts`);
    const totals: Record<string, number[]> = {};
    for (const { event, type, received, blocked } of counts) {
      const [before = 0, blockedBefore = 0] = totals[event ?? type] ?? [];
      totals[event ?? type] = [before + received, blockedBefore + blocked];
    }
    return totals;
  };
  expect(await total('shop')).toEqual({ 'Order Completed': [3, 0], 'Mouse Moved': [1, 1], page: [1, 0] });
  expect(await total('app')).toEqual({ 'App Opened': [1, 0] });
  const { sources } = await call<SourcePage>(url, 'GET', '/v1/sources');
  expect(sources.map(({ lastHour }) => lastHour)).toMatchObject([
    { received: 5, blocked: 1, rejected: 1, forwarded: 4 },
    { received: 1, blocked: 0, rejected: 0, forwarded: 0 },
  ]);
});

test('/metrics shows what was received, forwarded and delivered', async () => {
  const { crm, service } = await office();
  await sendBatch(service.url, 'shop-key', [
    ...range('m', 40).map((id) => track(id)),
    track('b', { event: 'Mouse Moved' }),
  ]);
  await sendBatch(
    service.url,
    'shop-key',
    range('m', 10).map((id) => track(id)),
  );
  await sendBatch(
    service.url,
    'app-key',
    range('m', 7).map((id) => track(id)),
  );
  await sendBatch(service.url, 'a wrong key', [track('x')]);
  await crm.hasEvents(40);
  let text = '';
  while (!text.includes('eventferry_deliveries_total{destination="crm",outcome="delivered"} 40')) {
    text = await metricsAt(service.url);
  }
  const value = (name: string): number | undefined => {
    const line = text.split('\n').find((each) => each.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.slice(name.length));
  };
  expect({
    received: value('eventferry_messages_total{outcome="received"}'),
    blocked: value('eventferry_messages_total{outcome="blocked"}'),
    duplicates: value('eventferry_collector_messages_total{outcome="duplicate"}'),
    forwarded: value('eventferry_forwarded_total{outcome="stored"}'),
    attempts: value('eventferry_attempts_total{destination="crm",result="success"}'),
    dead: value('eventferry_deliveries_total{destination="crm",outcome="dead"}'),
    deadLetters: value('eventferry_dead_letters{destination="crm"}'),
  }).toEqual({ received: 48, blocked: 1, duplicates: 10, forwarded: 40, attempts: 40, dead: 0, deadLetters: 0 });
  expect(value('eventferry_store_bytes')).toBeGreaterThan(0);
  expect(text).not.toMatch(/shop-key|a shared secret|\/hook/);
});

test('/readyz answers 503 once the service begins to close, and /healthz answers 200 until it has ended', async () => {
  const { service } = await office();
  const [health, readiness] = [new Probe(`${service.url}/healthz`), new Probe(`${service.url}/readyz`)];
  expect([await health.status(), await readiness.status()]).toEqual([200, 200]);
  const slow = await beginRequest(service.url, 'shop-key', [track('slow')]);
  const ended = service.stop();
  await service.logged(isEnding);
  expect([await health.status(), await readiness.status()]).toEqual([200, 503]);
  expect(await slow.finish()).toBe(200);
  expect(await ended).toEqual({ code: 0, signal: null });
});

test('the admin API answers only requests with the token', async () => {
  const { service } = await office();
  for (const path of ['/v1/status', '/v1/sources', '/v1/destinations', '/v1/deletions', '/v1/audiences', '/v1/feed']) {
    expect(await tryCall(service.url, 'GET', path, undefined, 'a-wrong-token-of-tests')).toMatchObject({ status: 401 });
    expect((await fetch(service.url + path)).status).toBe(401);
  }
  const body = { userIds: ['u'] };
  expect(await tryCall(service.url, 'POST', '/v1/deletions', body, 'shop-key')).toMatchObject({ status: 401 });
  expect(await call(service.url, 'GET', '/v1/deletions')).toEqual([]);
});

test('without a token in the configuration the admin API is disabled', async () => {
  const { service } = await office({ admin: {} });
  expect(await tryCall(service.url, 'GET', '/v1/status')).toMatchObject({
    status: 403,
    answer: { code: 'admin_disabled' },
  });
});

/** Asks repeatedly on one connection, because a service that is closing accepts no new ones. */
class Probe {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(url: string) {
    this.#url = url;
    onTestFinished(() => this.#agent.destroy());
  }

  async status(): Promise<number | undefined> {
    const sent = request(this.#url, { agent: this.#agent }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await once(response.resume(), 'end');
    return response.statusCode;
  }
}

interface Count {
  readonly event: string | null;
  readonly type: string;
  readonly received: number;
  readonly blocked: number;
}
