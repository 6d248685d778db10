import { Analytics as SegmentAnalytics } from '@segment/analytics-node';
import { expect, test } from 'vitest';
import { Analytics } from '../../src/index.js';
import { listening } from './support.js';

test('@segment/analytics-node delivers all six calls', async () => {
  const { url, messages, requests } = await listening({ now: Date.now });
  const analytics = new SegmentAnalytics({ writeKey: 'dev', host: url, maxRetries: 0 });
  const timestamp = new Date('2015-06-01T12:00:00Z');
  analytics.identify({ userId: 'u', traits: { plan: 'pro' }, timestamp });
  analytics.track({ userId: 'u', event: 'Order Completed', properties: { total: 42 } });
  analytics.page({ anonymousId: 'a', name: 'Pricing' });
  analytics.screen({ anonymousId: 'a', name: 'Checkout' });
  analytics.group({ userId: 'u', groupId: 'g', traits: { seats: 4 } });
  analytics.alias({ userId: 'u', previousId: 'a' });
  await analytics.closeAndFlush({ timeout: 5_000 });
  expect(messages.map(({ type }) => type)).toEqual(['identify', 'track', 'page', 'screen', 'group', 'alias']);
  expect(messages[0]).toMatchObject({
    userId: 'u',
    traits: { plan: 'pro' },
    originalTimestamp: '2015-06-01T12:00:00.000Z',
    context: { library: { name: '@segment/analytics-node' } },
  });
  expect(requests[0]?.attempt).toBe(1);
});

test('our own client delivers, and loses exactly what the collector rejects', async () => {
  const { url, messages } = await listening({ now: Date.now });
  const analytics = new Analytics({ writeKey: 'dev', endpoint: url });
  const before = analytics.track({ userId: 'u', event: 'Before' }).delivered;
  const deep = JSON.parse(`${'{"a":'.repeat(1_500)}1${'}'.repeat(1_500)}`);
  const tooDeep = analytics.track({ userId: 'u', event: 'Deep', properties: deep }).delivered;
  const after = analytics.track({ userId: 'u', event: 'After' }).delivered;
  await Promise.all([
    expect(before).resolves.not.toThrow(),
    expect(tooDeep).rejects.toThrow('message_too_deep: The message has more than 1000 levels'),
    expect(after).resolves.not.toThrow(),
    analytics.close(),
  ]);
  expect(messages).toMatchObject([{ event: 'Before' }, { event: 'After' }]);
});
