import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { defineEvents } from '../../src/events/define-events.js';
import type { IdentifyMessage, PageMessage, TrackMessage } from '../../src/index.js';
import { captureAnalytics } from '../../src/testing/capture-analytics.js';

test('messages are found by type and by name, each with its own type', async () => {
  await using captured = captureAnalytics();
  const { analytics, events } = captured;
  const userId = 'u1';
  analytics.track({ userId, event: 'Added' });
  analytics.track({ userId, event: 'Completed', properties: { total: 1 } });
  analytics.identify({ userId, traits: { plan: 'pro' } });
  analytics.page({ userId, name: 'Pricing' });
  analytics.screen({ userId, name: 'Home' });
  analytics.group({ userId, groupId: 'g1' });
  analytics.alias({ userId, previousId: 'a1' });
  expect(events.track()).toHaveLength(2);
  expect(events.track('Completed')).toMatchObject([{ event: 'Completed', properties: { total: 1 } }]);
  expect(events.track('Other')).toEqual([]);
  expect(events.identify()).toMatchObject([{ traits: { plan: 'pro' } }]);
  expect([events.page('Pricing'), events.page('Other')]).toMatchObject([[{ name: 'Pricing' }], []]);
  expect(events.screen('Home')).toHaveLength(1);
  expect(events.group()).toMatchObject([{ groupId: 'g1' }]);
  expect(events.alias()).toMatchObject([{ previousId: 'a1' }]);
  expect(events.map(({ type }) => type)).toHaveLength(7);
  expectTypeOf(events.track('Completed')).toEqualTypeOf<TrackMessage[]>();
  expectTypeOf(events.identify()).toEqualTypeOf<IdentifyMessage[]>();
  expectTypeOf(events.page()).toEqualTypeOf<PageMessage[]>();
});

test('a list with its methods equals a list without them', async () => {
  await using captured = captureAnalytics();
  captured.analytics.track({ userId: 'u1', event: 'Added' });
  expect(captured.events).toStrictEqual([...captured.events]);
  expect(Object.keys(captured.events)).toEqual(['0']);
});

test('a catalogue gives the client and the captured messages its types', async () => {
  const events = defineEvents({
    'Order Completed': z.object({ total: z.number(), at: z.date() }),
    'Signed Up': z.object({ plan: z.string().optional() }),
  });
  await using captured = captureAnalytics({ events });
  captured.analytics.track({
    userId: 'u1',
    event: 'Order Completed',
    properties: { total: 42, at: new Date(0) },
  });
  // @ts-expect-error There is no such event.
  const misspell = () => captured.analytics.track({ userId: 'u1', event: 'Order Complete' });
  expect(misspell).toBeTypeOf('function');
  const [order] = captured.events.track('Order Completed');
  expect(order?.properties).toEqual({ total: 42, at: '1970-01-01T00:00:00.000Z' });
  expectTypeOf(order?.properties.total).toEqualTypeOf<number | undefined>();
  expectTypeOf(order?.properties.at).toEqualTypeOf<string | undefined>();
  const [user] = captured.events.track('Signed Up');
  expectTypeOf(user?.properties?.plan).toEqualTypeOf<string | undefined>();
  // @ts-expect-error There is no such event.
  expect(captured.events.track('Order Complete')).toEqual([]);
});
