import { expect, test } from 'vitest';
import { basic, post } from '../../collector/support.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { FakeClock } from '../../support/fake-clock.js';
import { configOf, destinationOf, sendBatch, serving, sourceOf, track } from '../support.js';

test('sources are listed with what they sent, and without their keys', async () => {
  const crm = await startEndpoint(200);
  const trackSchema = { allowed: undefined, blocked: ['Blocked'] };
  const { ask, url } = await serving(
    configOf({ sources: [sourceOf({ trackSchema })], destinations: [destinationOf(crm.url)] }),
    { clock: new FakeClock() },
  );
  await sendBatch(url, track('m1'), track('m2', { event: 'Blocked' }), { type: 'track' });
  const { sources: body } = (await ask('/v1/sources')).body;
  expect(body).toEqual([
    {
      name: 'website',
      destinations: ['crm'],
      trackSchema: { allowed: null, blocked: ['Blocked'] },
      trackingPlan: null,
      lastHour: { received: 2, rejected: 1, blocked: 1, forwarded: 1 },
    },
  ]);
});

test('sources are found by a part of their name or a destination, and the totals are always of all', async () => {
  const sources = [sourceOf(), sourceOf({ name: 'App', writeKeys: ['app'], destinations: ['lake'] })];
  const destinations = ['crm', 'lake'].map((name) => destinationOf('http://127.0.0.1:9/hook', { name }));
  const { ask, url } = await serving(configOf({ sources, destinations }), { clock: new FakeClock() });
  await sendBatch(url, track('m1'));
  for (const q of ['app', '%20LAK%20']) {
    const { body } = await ask(`/v1/sources?q=${q}`);
    expect(body).toMatchObject({ sources: [{ name: 'App' }], found: 1, lastHour: { received: 1 } });
  }
});

test('sources are listed as configured, by name, or by a count of the last hour in descending order, page by page', async () => {
  const named = (name: string) =>
    sourceOf({ name, writeKeys: [name], trackSchema: { allowed: undefined, blocked: ['B'] } });
  const { ask, url } = await serving(
    configOf({ sources: ['shop', 'app', 'blog'].map(named), destinations: [destinationOf('http://127.0.0.1:9/hook')] }),
    {
      clock: new FakeClock(),
    },
  );
  const send = (name: string, ...events: object[]) => post(url, { batch: events }, { authorization: basic(name) });
  await send('app', track('a1'), track('a2', { event: 'B' }), track('a3', { event: 'B' }));
  await send('blog', track('b1'), track('b2'), { type: 'track' });
  await send('shop', track('s1'));
  const names = async (query: string) =>
    (await ask(`/v1/sources${query}`)).body.sources.map(({ name }: { name: string }) => name).join(' ');
  expect(await names('')).toBe('shop app blog');
  expect(await names('?sort=name')).toBe('app blog shop');
  expect(await names('?sort=received')).toBe('app blog shop');
  expect(await names('?sort=forwarded')).toBe('blog app shop');
  expect(await names('?sort=blocked')).toBe('app blog shop');
  expect(await names('?sort=rejected')).toBe('blog app shop');
  expect(await names('?sort=rejected&limit=1&after=blog')).toBe('app');
  expect((await ask('/v1/sources?sort=size')).status).toBe(400);
});

test('the counts of a source are listed by hour and event, newest hour first', async () => {
  const clock = new FakeClock();
  const { ask, url } = await serving(configOf(), { clock });
  await sendBatch(url, track('m1'), { type: 'page', userId: 'u1' });
  // The first counts are written in their own hour.
  await clock.pass(10_000);
  clock.freeze(60 * 60_000);
  await sendBatch(url, track('m2'), track('m3'));
  const counted = { event: 'Order Completed', type: 'track', blocked: 0 };
  const path = '/v1/sources/website/counts';
  const now = { ...counted, hour: '2026-11-20T13', received: 2 };
  expect((await ask(path)).body).toEqual([
    now,
    { hour: '2026-11-20T12', event: null, type: 'page', received: 1, blocked: 0 },
    { ...counted, hour: '2026-11-20T12', received: 1 },
  ]);
  expect((await ask(`${path}?hours=1`)).body).toEqual([now]);
  expect((await ask(`${path}?hours=0`)).status).toBe(400);
  expect((await ask('/v1/sources/nobody/counts')).status).toBe(404);
});

test('a message counts in the last hour of its source for sixty minutes', async () => {
  const clock = new FakeClock();
  const { ask, url } = await serving(configOf(), { clock });
  await sendBatch(url, ...Array.from({ length: 8 }, (_, index) => track(`m${index}`)));
  const received = async (): Promise<number[]> => {
    const { body } = await ask('/v1/sources');
    return [body.sources[0].lastHour.received, body.lastHour.received];
  };
  expect(await received()).toEqual([8, 8]);
  await clock.pass(10_000);
  clock.freeze(58 * 60_000);
  await clock.pass(10_000);
  expect(await received()).toEqual([8, 8]);
  clock.freeze(3 * 60_000);
  await clock.pass(10_000);
  await sendBatch(url, track('n'));
  expect(await received()).toEqual([1, 1]);
});
