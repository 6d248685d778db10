import { Hono } from 'hono';
import { expect, onTestFinished, test } from 'vitest';
import { Service } from '../../src/service/service.js';
import { memoryStorage } from '../../src/store/memory/memory-storage.js';
import { basic, track } from '../collector/support.js';
import { configOf, destinationOf, TOKEN } from './support.js';

async function opened() {
  const config = configOf({ destinations: [destinationOf('http://127.0.0.1:9/')] });
  const service = await Service.open(config, { storage: memoryStorage() });
  onTestFinished(() => service.close());
  return service;
}

const ask = (service: Service, path: string, init: RequestInit = {}): Promise<Response> =>
  service.fetch(new Request(`https://example.com${path}`, init));

const bearer = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };

test('the fetch of a service stores the messages of a client', async () => {
  const service = await opened();
  const headers = { authorization: basic('dev') };
  const sent = await ask(service, '/v1/batch', {
    method: 'POST',
    headers,
    body: JSON.stringify({ batch: [track(), track()] }),
  });
  expect([sent.status, await sent.text()]).toEqual([200, '{"success":true}']);
  const metrics = await ask(service, '/metrics', { headers: bearer });
  expect(await metrics.text()).toContain('eventferry_collector_messages_total{outcome="accepted"} 2');
});

test('the fetch of a service answers the admin API to requests with the token', async () => {
  const service = await opened();
  expect((await ask(service, '/v1/status')).status).toBe(401);
  const status = await ask(service, '/v1/status', { headers: bearer });
  expect([status.status, await status.json()]).toMatchObject([200, { store: { type: 'lmdb' } }]);
  const paused = await ask(service, '/v1/destinations/crm/enabled', {
    method: 'PUT',
    headers: bearer,
    body: JSON.stringify({ enabled: false }),
  });
  expect([paused.status, await paused.json()]).toMatchObject([200, { enabled: false }]);
});

test('the fetch of a service accepts the list of an audience below a path of a Hono app', async () => {
  const service = await opened();
  const app = new Hono().all('/in/*', (context) => service.fetch(context.req.raw));
  const url = 'https://example.com/in';
  const lines = Array.from({ length: 20_000 }, (_, n) => `${JSON.stringify(`user-${n}`)}\n`).join('');
  const request = new Request(`${url}/v1/audiences/Buyers`, {
    method: 'PUT',
    headers: { ...bearer, 'content-type': 'application/x-ndjson' },
    body: new Blob([lines]).stream(),
    duplex: 'half',
  });
  const synced = await app.fetch(request);
  expect([synced.status, await synced.json()]).toMatchObject([200, { members: 20_000 }]);
});
