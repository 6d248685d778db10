import { expect, test } from 'vitest';
import type { ManagedDestination } from '../../../src/service/routing/managed-destination.js';
import { AUDIENCES, limitsOf, SourceRoutes } from '../../../src/service/routing/message-routes.js';
import { configOf, sendBatch, serving, sourceOf, track } from '../support.js';

test('a removed source or key is unknown, and a new one is known', async () => {
  const { service, url } = await serving(configOf());
  await service.reload(configOf({ sources: [sourceOf({ writeKeys: ['new'] })] }));
  expect((await sendBatch(url, track('m1'))).status).toBe(401);
  const headers = { authorization: `Basic ${Buffer.from('new:').toString('base64')}` };
  const body = JSON.stringify({ batch: [track('m1')] });
  expect((await fetch(`${url}/v1/batch`, { method: 'POST', headers, body })).status).toBe(200);
});

const destinations = new Map(['crm', 'lake'].map((name) => [name, { name } as ManagedDestination] as const));
const limit = { messagesPerSecond: 1, burst: 1 };
const routes = new SourceRoutes(
  {
    sources: [
      sourceOf({
        name: 'shop',
        writeKeys: ['k1', 'k2'],
        destinations: ['lake', 'removed'],
        trackSchema: { allowed: ['A', 'B'], blocked: ['B'] },
        rateLimit: limit,
        rateLimitPerWriteKey: limit,
      }),
      sourceOf({ name: 'app', writeKeys: ['k3'], destinations: [] }),
    ],
    audiences: { destinations: ['crm'] },
  },
  destinations,
);

test('a route has the destinations that exist, and audiences have their own', () => {
  const namesOf = (source: string) => routes.of(source)?.managedDestinations.map(({ name }) => name);
  expect([namesOf('shop'), namesOf('app'), namesOf(AUDIENCES), namesOf('none')]).toEqual([
    ['lake'],
    [],
    ['crm'],
    undefined,
  ]);
});

test.each([
  ['shop', 'A', false],
  ['shop', 'B', true],
  ['shop', 'C', true],
  ['app', 'C', false],
  [AUDIENCES, 'A', false],
])('the source %s blocks the event %s: %s', (source, event, isBlocked) => {
  expect(routes.of(source)?.isBlocked(event)).toBe(isBlocked);
});

test('a write key has an owner that does not reveal the key, with the limits of source and key', () => {
  const [k1, k2, k3] = ['k1', 'k2', 'k3'].map((key) => routes.sourceOf(key) ?? { name: 'none' });
  expect([k1, k2, k3]).toEqual([{ name: 'shop' }, { name: 'shop' }, { name: 'app' }]);
  expect([k1, k2, k3].map((owner) => limitsOf(owner ?? { name: '' }).map(({ id }) => id))).toEqual([
    ['source shop', 'key k1'],
    ['source shop', 'key k2'],
    [],
  ]);
  expect(routes.sourceOf('k4')).toBeUndefined();
});
