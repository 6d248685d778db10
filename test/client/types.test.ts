import { expectTypeOf, test } from 'vitest';
import type {
  Analytics,
  AnalyticsClient,
  AnalyticsEvents,
  AnalyticsOptions,
  Before,
  Forgettable,
  Message,
  Receipt,
  Stats,
  Transport,
} from '../../src/index.js';

/** The test is that `tsc` compiles these calls; none of them needs to run. */
declare const analytics: Analytics;
const calls = (_: () => void): void => {};

test('a message needs a user and the required fields of its type', () => {
  calls(() => {
    expectTypeOf(analytics.track({ userId: 'u', event: 'e' })).toEqualTypeOf<Receipt>();
    analytics.track({ anonymousId: 'a', event: 'e', properties: { any: ['thing'] }, timestamp: new Date() });
    analytics.alias({ userId: 'u', previousId: 'p' });
    // @ts-expect-error nobody is named
    analytics.track({ event: 'e' });
    // @ts-expect-error a track needs an event
    analytics.track({ userId: 'u' });
    // @ts-expect-error an event is a string
    analytics.track({ userId: 'u', event: 1 });
    // @ts-expect-error a group needs a groupId
    analytics.group({ userId: 'u' });
    // @ts-expect-error an alias needs a previousId
    analytics.alias({ userId: 'u' });
    // @ts-expect-error a url is a string
    analytics.page({ userId: 'u', properties: { url: 1 } });
    // @ts-expect-error a destination is switched by a boolean or an object
    analytics.track({ userId: 'u', event: 'e', integrations: { Webhooks: 'yes' } });
    // @ts-expect-error a field is called properties
    analytics.track({ userId: 'u', event: 'e', propertes: {} });
  });
});

interface Order {
  readonly total: number;
  coupon?: string;
  items: { sku: string }[];
}

class Plan {
  readonly #seats = 3;
  name = 'pro';
  seats(): number {
    return this.#seats;
  }
}

interface Visit {
  url: string;
  visits: number;
}

interface Surroundings {
  ip: string;
  tenant: string;
}

test('properties, traits and context may be of any object type', () => {
  calls(() => {
    const order = {} as Order;
    analytics.track({ userId: 'u', event: 'e', properties: order });
    analytics.track({ userId: 'u', event: 'e', properties: { ...order, plan: new Plan() } });
    analytics.track({ userId: 'u', event: 'e', properties: {} as Record<string, unknown> });
    analytics.track({ userId: 'u', event: 'e', properties: {} as Readonly<Record<string, string>> });
    analytics.track({ userId: 'u', event: 'e', properties: Object.freeze({ total: 42 }) });
    analytics.identify({ userId: 'u', traits: new Plan() });
    analytics.group({ userId: 'u', groupId: 'g', traits: order });
    analytics.screen({ userId: 'u', properties: new Plan() });
    analytics.page({ userId: 'u', properties: {} as Visit });
    analytics.page({ userId: 'u', properties: new Plan() });
    analytics.page({ userId: 'u', properties: { url: 'https://example.com', more: 1 } });
    analytics.track({ userId: 'u', event: 'e', context: {} as Surroundings });
    analytics.track({ userId: 'u', event: 'e', context: { ip: '::1', app: new Plan(), device: order, more: 1 } });
    analytics.track({ userId: 'u', event: 'e', integrations: { All: false, Webhooks: order } });
    analytics.child({ context: {} as Surroundings, integrations: { Webhooks: new Plan() } });
    // @ts-expect-error the url of a page is a string, in an interface too
    analytics.page({ userId: 'u', properties: {} as { url: number; visits: number } });
    // @ts-expect-error an ip is a string, in an interface too
    analytics.track({ userId: 'u', event: 'e', context: {} as { ip: number; tenant: string } });
  });
});

test('properties may be of a type parameter', () => {
  calls(() => {
    function object<P extends object>(properties: P): void {
      analytics.track({ userId: 'u', event: 'e', properties });
      analytics.identify({ userId: 'u', traits: properties });
      analytics.page({ userId: 'u', properties });
      analytics.track({ userId: 'u', event: 'e', context: properties });
    }
    function events<E extends { [name: string]: Order }, N extends string & keyof E>(event: N, properties: E[N]): void {
      analytics.track({ userId: 'u', event, properties });
    }
    expectTypeOf(object).toBeFunction();
    expectTypeOf(events).toBeFunction();
  });
});

test('a list, a Map, a string or a function is refused as properties', () => {
  calls(() => {
    // @ts-expect-error a list
    analytics.track({ userId: 'u', event: 'e', properties: ['a'] });
    // @ts-expect-error a list
    analytics.page({ userId: 'u', properties: [1] });
    // @ts-expect-error a Map
    analytics.identify({ userId: 'u', traits: new Map([['plan', 'pro']]) });
    // @ts-expect-error bytes
    analytics.track({ userId: 'u', event: 'e', properties: new Uint8Array(1) });
    // @ts-expect-error a string
    analytics.track({ userId: 'u', event: 'e', properties: 'a' });
    // @ts-expect-error a function
    analytics.track({ userId: 'u', event: 'e', context: () => {} });
  });
});

interface Session {
  userId?: string;
  anonymousId?: string;
}

interface NullableSession {
  userId?: string | null;
  anonymousId?: string | null | undefined;
  role: string;
}

test('a message may have optional ids from a session, one of which is present at run time', () => {
  calls(() => {
    const session = {} as Session;
    const nullable = {} as NullableSession;
    analytics.track({ ...session, event: 'e' });
    analytics.track({ ...nullable, event: 'e', properties: { total: 42 } });
    analytics.track({ userId: session.userId, event: 'e' });
    analytics.track({ userId: nullable.userId, anonymousId: nullable.anonymousId, event: 'e' });
    analytics.identify(session);
    analytics.identify(nullable);
    analytics.identify({ ...session, traits: new Plan() });
    analytics.page(session);
    analytics.page({ ...nullable, name: 'Pricing' });
    analytics.screen({ ...session, name: 'Checkout' });
    analytics.group({ ...session, groupId: 'g' });
    analytics.child(session).track({ event: 'e' });
    analytics.child(nullable).track({ event: 'e' });
    expectTypeOf(analytics.track({ ...session, event: 'e' })).toEqualTypeOf<Receipt>();
    // @ts-expect-error an event is a string, whichever user it is about
    analytics.track({ ...session, event: 1 });
    // @ts-expect-error a track needs an event
    analytics.track(session);
    // @ts-expect-error a group needs a groupId
    analytics.group(session);
    // @ts-expect-error an id is a string
    analytics.track({ userId: 1 as number | undefined, event: 'e' });
    // @ts-expect-error nobody is named
    analytics.identify({ traits: {} });
    // @ts-expect-error nobody is named
    analytics.page({});
  });
});

test('optional fields of a message may be null', () => {
  calls(() => {
    analytics.track({
      userId: 'u',
      anonymousId: null,
      event: 'e',
      messageId: null,
      timestamp: null,
      properties: null,
      context: null,
      integrations: null,
    });
    analytics.page({
      userId: null,
      anonymousId: 'a',
      name: null,
      category: null,
      properties: { url: null, path: null },
    });
    analytics.identify({ userId: 'u', traits: null, context: { ip: null, app: null, integrations: null } });
    analytics.group({ userId: 'u', groupId: 'g', traits: null, integrations: { All: null, Webhooks: null } });
    analytics.child({ userId: null, anonymousId: null, context: null, integrations: null });
    // @ts-expect-error an event is needed
    analytics.track({ userId: 'u', event: null });
    // @ts-expect-error an alias needs both
    analytics.alias({ userId: 'u', previousId: null });
    // @ts-expect-error nobody is named
    analytics.track({ userId: null, event: 'e' } as { userId: null; event: string; anonymousId: never[] });
  });
});

test('the message in a before function has readable types, and may be returned changed', () => {
  const message = {} as Message;
  if (message.type === 'track') {
    expectTypeOf(message.properties).toEqualTypeOf<Record<string, unknown> | undefined>();
    expectTypeOf(message.context?.['tenant']).toEqualTypeOf<unknown>();
  }
  if (message.type === 'page') expectTypeOf(message.properties?.url).toEqualTypeOf<string | null | undefined>();
  expectTypeOf(message.userId).toEqualTypeOf<string | undefined>();
  const before: Before[] = [
    (changed) => changed,
    (changed) => ({ ...changed, context: { ...changed.context, ip: undefined } }),
    (changed) => ({ ...changed, anonymousId: null, context: null }),
    (changed) => (changed.type === 'track' ? { ...changed, properties: new Plan() } : null),
  ];
  expectTypeOf(before).toBeArray();
});

test('the calls of a child need no user', () => {
  calls(() => {
    const child = analytics.child({ userId: 'u' });
    expectTypeOf(child.track({ event: 'e' })).toEqualTypeOf<Receipt>();
    // @ts-expect-error a child is closed with its client
    child.close();
  });
});

test("the payload of an event is typed by the event's name", () => {
  calls(() => {
    analytics.on('lost', (event) => expectTypeOf(event).toEqualTypeOf<AnalyticsEvents['lost']>());
    analytics.on('lost', ({ message, error }) => {
      expectTypeOf(message).toEqualTypeOf<Message | undefined>();
      expectTypeOf(error.code).toEqualTypeOf<string>();
    });
    // @ts-expect-error there is no such event
    analytics.on('drained', () => {});
  });
});

test("a message's `type` narrows its other fields", () => {
  calls(() => {
    const message = {} as Message;
    if (message.type === 'track') expectTypeOf(message.event).toEqualTypeOf<string>();
    expectTypeOf(message.timestamp).toEqualTypeOf<string>();
  });
});

test('options, counts and promises have the documented types', () => {
  expectTypeOf<AnalyticsOptions>().toHaveProperty('writeKey').toEqualTypeOf<string>();
  expectTypeOf<AnalyticsOptions['flushAt']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<ReturnType<Analytics['close']>>().toEqualTypeOf<Promise<Stats>>();
  expectTypeOf<ReturnType<Analytics['flush']>>().toEqualTypeOf<Promise<void>>();
  calls(() => {
    analytics.enabled = undefined;
    analytics.child({}).enabled = false;
    return analytics.ready({ signal: new AbortController().signal });
  });
  expectTypeOf<Analytics['enabled']>().toEqualTypeOf<boolean>();
  expectTypeOf<Receipt['delivered']>().toEqualTypeOf<Promise<void>>();
});

test('a transport can be written with fetch', () => {
  const transport: Transport = async ({ url, headers, body, signal }) => {
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
  expectTypeOf(transport).toBeFunction();
});

test('an `AnalyticsClient` accepts any client, even of another copy of the package', () => {
  calls(() => {
    const client: AnalyticsClient = analytics;
    client.track({ userId: 'u', event: 'e' });
    client.current.child({ userId: 'u' }).track({ event: 'e' });
    // @ts-expect-error nobody is named
    client.track({ event: 'e' });
    // A type with private fields would accept no look-alike.
    const structural = {} as Pick<AnalyticsClient, keyof AnalyticsClient>;
    const taken: AnalyticsClient = structural;
    void taken.close();
  });
});

test('forget() requires at least one id that is certain to be present', () => {
  expectTypeOf<{ userId: string; anonymousId?: string | undefined }>().toExtend<Forgettable>();
  expectTypeOf<{ anonymousId: string }>().toExtend<Forgettable>();
  expectTypeOf<{ previousId: string }>().toExtend<Forgettable>();
  expectTypeOf<{ userId: string; anonymousId: string | null }>().toExtend<Forgettable>();
  expectTypeOf<{ userId?: string }>().not.toExtend<Forgettable>();
  expectTypeOf<{ userId: string | undefined }>().not.toExtend<Forgettable>();
  calls(() => {
    // @ts-expect-error nobody is named
    analytics.forget({});
  });
});
