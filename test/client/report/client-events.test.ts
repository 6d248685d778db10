import { expect, test } from 'vitest';
import type { AnalyticsEvents } from '../../../src/index.js';
import { client, next, track } from '../../support/client.js';
import { sink } from '../../support/sink.js';

test('each message ends with one event, delivered or lost', async () => {
  const rejected = [{ index: 1, code: 'BAD' }];
  const collector = await sink(() => Response.json({ success: true, rejected }));
  const { analytics, lost } = client({ endpoint: collector.url });
  const delivered: AnalyticsEvents['delivered'][] = [];
  analytics.on('delivered', (event) => delivered.push(event));
  for (const messageId of ['a', 'b', 'c']) analytics.track({ ...track(), messageId });
  await analytics.flush();
  expect(delivered.map(({ message }) => message.messageId)).toEqual(['a', 'c']);
  expect(lost.map(({ message }) => message?.messageId)).toEqual(['b']);
});

test.each(['toString', 'constructor', '__proto__'])(
  'on() refuses the event %s without advice, because no event has a similar meaning',
  (event) => {
    const { analytics } = client({ endpoint: 'http://127.0.0.1:9' });
    expect(() => analytics.on(event as 'lost', () => {})).toThrow(
      /^Expected `event` to be one of [a-z, ]+, got string "\w+"$/,
    );
  },
);

test('the message of an event equals the message that was sent', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  const delivered = next(analytics, 'delivered');
  analytics.page({ userId: 'u', traits: { url: 'https://example.com/€' } });
  await analytics.flush();
  expect((await delivered).message).toEqual(collector.messages[0]);
});

test('the events flush and retry have the number of messages in the request', async () => {
  const collector = await sink(503);
  const { analytics, clock } = client({ endpoint: collector.url });
  const flush = next(analytics, 'flush');
  analytics.track(track());
  analytics.track(track());
  const flushed = analytics.flush();
  const retry = await next(analytics, 'retry');
  clock.advance(retry.delayMs);
  await flushed;
  expect(await flush).toEqual({
    batch: collector.requests[0]?.messageId,
    messages: 2,
    bytes: collector.requests[0]?.bytes,
    headers: {},
  });
  expect(retry).toMatchObject({ messages: 2, attempt: 1, delayMs: 250 });
});

test('headers that a flush listener sets are sent with each request of that batch, in addition to the others', async () => {
  const collector = await sink(503);
  const { analytics, clock } = client({ endpoint: collector.url, headers: { 'X-Tenant': 'acme' } });
  const stop = analytics.on('flush', ({ headers }) => {
    headers['X-Batch'] = 'first';
  });
  analytics.track(track());
  const flushed = analytics.flush();
  clock.advance((await next(analytics, 'retry')).delayMs);
  await flushed;
  stop();
  analytics.track(track());
  await analytics.flush();
  const named = (name: string) => collector.requests.map(({ headers }) => headers.get(name));
  expect(named('x-batch')).toEqual(['first', 'first', null]);
  expect(named('x-tenant')).toEqual(['acme', 'acme', 'acme']);
  expect(named('x-retry-count')).toEqual([null, '1', null]);
});

test('an event listener that throws or rejects does no harm', async () => {
  const collector = await sink(503);
  const { analytics, clock } = client({ endpoint: collector.url });
  for (const event of ['flush', 'retry', 'delivered'] as const) {
    analytics.on(event, () => {
      throw new Error('listener');
    });
    analytics.on(event, () => Promise.reject(new Error('listener')));
  }
  const receipt = analytics.track(track());
  const flushed = analytics.flush();
  clock.advance((await next(analytics, 'retry')).delayMs);
  await flushed;
  await receipt.delivered;
  expect(analytics.stats()).toMatchObject({ delivered: 1, pending: 0 });
});

test('an event listener may call the client, and is not called after it was removed', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  let calls = 0;
  const listener = (): void => {
    if (++calls === 1) analytics.track(track('from a listener'));
    else stop();
  };
  const stop = analytics.on('delivered', listener);
  analytics.track(track());
  await analytics.flush();
  await analytics.flush();
  analytics.track(track());
  await analytics.flush();
  expect(calls).toBe(2);
  expect(collector.messages).toHaveLength(3);
});
