import { type } from 'arktype';
import * as v from 'valibot';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import {
  type Catalogue,
  defineEvents,
  type EventName,
  type EventProperties,
  type TrackOf,
} from '../../src/events/index.js';
import {
  Analytics,
  type AnalyticsOptions,
  type CatalogueOptions,
  type Receipt,
  type Tracker,
} from '../../src/index.js';

/** The test is that `tsc` compiles these calls; none of them needs to run. */
const calls = (_: () => void): void => {};

const events = defineEvents(
  {
    'Order Completed': z.object({ total: z.number(), currency: z.enum(['EUR', 'USD']).optional() }),
    'Signed Up': { schema: z.object({ plan: z.string().optional() }), description: 'An account was made.' },
    'Signed Out': {},
    Paid: z.union([z.object({ by: z.literal('card'), last4: z.string() }), z.object({ by: z.literal('cash') })]),
    Coerced: z.object({
      at: z.coerce.date(),
      count: z.string().transform(Number),
      tags: z.string().array().default([]),
    }),
    Whole: z.object({ total: z.number() }).optional(),
    Nothing: z.strictObject({}),
    Counts: z.record(z.string(), z.number()),
    Anything: z.any(),
    Loose: z.looseObject({ total: z.number() }),
    'of valibot': v.object({ total: v.number(), coupon: v.optional(v.string()) }),
    'of valibot, loose': v.looseObject({ total: v.number() }),
    'of arktype': type({ total: 'number', 'coupon?': 'string' }),
  },
  {
    identify: z.object({ plan: z.string() }),
    group: v.object({ seats: v.optional(v.number()) }),
    page: type({ title: 'string' }),
  },
);

declare const analytics: Analytics<typeof events>;
declare const name: string;
const user = { userId: 'u' };

interface Order {
  total: number;
  coupon?: string;
}

declare const order: Order;

test('the types of a client with a catalogue allow its events, each with its properties', () => {
  calls(() => {
    expectTypeOf(new Analytics({ writeKey: 'k', endpoint: 'http://x', events })).toEqualTypeOf<typeof analytics>();
    expectTypeOf(analytics.track({ ...user, event: 'Signed Out' })).toEqualTypeOf<Receipt>();
    analytics.track({ ...user, event: 'Order Completed', properties: { total: 42, currency: 'EUR' } });
    // @ts-expect-error there is no such event
    analytics.track({ ...user, event: 'Order Complete', properties: { total: 42 } });
    // @ts-expect-error a total is a number
    analytics.track({ ...user, event: 'Order Completed', properties: { total: '42' } });
    // @ts-expect-error a total is needed
    analytics.track({ ...user, event: 'Order Completed', properties: {} });
    // @ts-expect-error properties are needed, as a total is
    analytics.track({ ...user, event: 'Order Completed' });
    // @ts-expect-error there is no such property
    analytics.track({ ...user, event: 'Order Completed', properties: { total: 42, curency: 'EUR' } });
    // @ts-expect-error not all texts are names of events
    analytics.track({ ...user, event: name, properties: { total: 42 } });
    // @ts-expect-error an event is needed
    analytics.track(user);
    // @ts-expect-error nobody is named
    analytics.track({ event: 'Signed Out' });
    // @ts-expect-error a field is called properties
    analytics.track({ ...user, event: 'Signed Out', propertes: {} });
  });
});

test('the types allow properties to be left out or null if nothing in them is required', () => {
  calls(() => {
    for (const event of ['Signed Up', 'Signed Out', 'Whole', 'Nothing', 'Counts', 'Anything'] as const) {
      analytics.track({ ...user, event });
      analytics.track({ ...user, event, properties: null });
    }
    // @ts-expect-error null is no total
    analytics.track({ ...user, event: 'Order Completed', properties: null });
  });
});

test('the types of properties are the inputs of their schemas, not the outputs', () => {
  calls(() => {
    analytics.track({ ...user, event: 'Coerced', properties: { at: '2026-11-20', count: '1' } });
    // @ts-expect-error the schema makes a number of a text
    analytics.track({ ...user, event: 'Coerced', properties: { at: '2026-11-20', count: 1 } });
  });
});

test('the types allow properties of an interface, with each schema library', () => {
  calls(() => {
    analytics.track({ ...user, event: 'of valibot', properties: order });
    analytics.track({ ...user, event: 'of arktype', properties: order });
    analytics.track({ ...user, event: 'Order Completed', properties: order });
    analytics.track({ ...user, event: 'Loose', properties: order });
    analytics.track({ ...user, event: 'of valibot, loose', properties: order });
    analytics.track({ ...user, event: 'Anything', properties: order });
    analytics.track({ ...user, event: 'Loose', properties: { total: 42, any: ['thing'] } });
    // @ts-expect-error a total is a number
    analytics.track({ ...user, event: 'Loose', properties: { total: '42' } });
    // @ts-expect-error a total is a number
    analytics.track({ ...user, event: 'of valibot', properties: { total: '42' } });
    // @ts-expect-error a total is a number
    analytics.track({ ...user, event: 'of arktype', properties: { total: '42' } });
    // @ts-expect-error a list
    analytics.track({ ...user, event: 'Anything', properties: ['a'] });
  });
});

test('the types allow a union of properties, and a union of event names', () => {
  calls(() => {
    analytics.track({ ...user, event: 'Paid', properties: { by: 'card', last4: '4242' } });
    analytics.track({ ...user, event: 'Paid', properties: { by: 'cash' } });
    // @ts-expect-error a card has digits
    analytics.track({ ...user, event: 'Paid', properties: { by: 'card' } });
    const event = name === 'up' ? 'Signed Up' : 'Signed Out';
    analytics.track({ ...user, event, properties: { plan: 'pro' } });
  });
});

test('traits and page properties have the types of their schemas, or the default types without one', () => {
  calls(() => {
    analytics.identify({ ...user, traits: { plan: 'pro' } });
    analytics.group({ ...user, groupId: 'g' });
    analytics.group({ ...user, groupId: 'g', traits: { seats: 3 } });
    analytics.page({ ...user, name: 'Pricing', category: 'Shop', properties: { title: 'Pricing' } });
    analytics.screen({ ...user, properties: order });
    analytics.alias({ ...user, previousId: 'p' });
    // @ts-expect-error a plan is needed
    analytics.identify(user);
    // @ts-expect-error a plan is a text
    analytics.identify({ ...user, traits: { plan: 1 } });
    // @ts-expect-error seats are a number
    analytics.group({ ...user, groupId: 'g', traits: { seats: '3' } });
    // @ts-expect-error a title is a text
    analytics.page({ ...user, properties: { title: 1 } });
  });
});

test('the catalogue also types calls with a session, of a child and inside a run', () => {
  calls(() => {
    const session = {} as { userId?: string; anonymousId?: string | null };
    analytics.track({ ...session, event: 'Order Completed', properties: { total: 42 } });
    analytics.identify({ ...session, traits: { plan: 'pro' } });
    analytics.child(user).track({ event: 'Order Completed', properties: { total: 42 } });
    analytics.child(user).child({}).track({ event: 'Signed Out' });
    analytics.current.track({ event: 'Signed Out' });
    expectTypeOf(analytics.child(user)).toEqualTypeOf<Tracker<unknown, typeof events>>();
    // @ts-expect-error a total is a number
    analytics.track({ ...session, event: 'Order Completed', properties: { total: '42' } });
    // @ts-expect-error there is no such event
    analytics.child(user).track({ event: 'Order Complete' });
    // @ts-expect-error a total is needed
    analytics.current.track({ event: 'Order Completed' });
  });
});

test('with `allowUnknown`, unknown events may have any properties, and known ones only their own', () => {
  calls(() => {
    const open = defineEvents({ 'Order Completed': z.object({ total: z.number() }) }, { allowUnknown: true });
    const some = {} as Analytics<typeof open>;
    some.track({ ...user, event: name, properties: order });
    some.track({ ...user, event: 'Anything' });
    some.track({ ...user, event: 'Order Completed', properties: { total: 42 } });
    // @ts-expect-error a total is a number
    some.track({ ...user, event: 'Order Completed', properties: { total: '42' } });
  });
});

test('the types allow your own functions to take an event and its properties, or a message', () => {
  calls(() => {
    const send = <N extends EventName<typeof events>>(event: N, properties: EventProperties<typeof events, N>) =>
      analytics.current.track({ event, properties });
    const pass = <N extends EventName<typeof events>>(message: TrackOf<typeof events, N>) =>
      analytics.current.track(message);
    send('Order Completed', { total: 42 });
    pass({ event: 'Order Completed', properties: { total: 42 } });
    // @ts-expect-error a total is a number
    send('Order Completed', { total: '42' });
    // @ts-expect-error a total is needed
    pass({ event: 'Order Completed' });
    expectTypeOf<EventProperties<typeof events, 'Signed Up'>>().toEqualTypeOf<{ plan?: string | undefined }>();
    expectTypeOf<EventName<Catalogue<{ A: object; B: object }>>>().toEqualTypeOf<'A' | 'B'>();
  });
});

test('a client without a catalogue has the type `Analytics`, and one with a catalogue has another type', () => {
  calls(() => {
    const options: AnalyticsOptions = { writeKey: 'k', endpoint: 'http://x' };
    expectTypeOf(new Analytics(options)).toEqualTypeOf<Analytics>();
    expectTypeOf(new Analytics({ writeKey: 'k', endpoint: 'http://x' })).toEqualTypeOf<Analytics>();
    const typed: CatalogueOptions<typeof events> = { ...options, events };
    expectTypeOf(new Analytics(typed)).toEqualTypeOf<typeof analytics>();
    const untyped: AnalyticsOptions = { ...options, events };
    new Analytics(untyped).track({ ...user, event: name });
    // @ts-expect-error who has an `Analytics` may track any event
    const client: Analytics = analytics;
    // biome-ignore lint/suspicious/noExplicitAny: what a function writes that takes any client
    const any: Analytics<any> = analytics;
    expectTypeOf(client.close).toEqualTypeOf(any.close);
  });
});

test('a call whose method name is a variable compiles without a catalogue', () => {
  calls(() => {
    const untyped = {} as Analytics;
    for (const type of ['track', 'identify', 'page', 'alias'] as const) untyped[type]({} as never);
  });
});
