import { expectTypeOf, test } from 'vitest';
import type { Analytics, AnalyticsEvents, AnalyticsOptions, Message, Receipt, Stats, Transport } from '../src/index.js';

/** Compiled by `tsc`, which is the test; nothing here needs to run. */
declare const analytics: Analytics;
const calls = (_: () => void): void => {};

test('a message names someone, and has what its type needs', () => {
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
  });
});

test('a child may leave out who it is about', () => {
  calls(() => {
    const child = analytics.child({ userId: 'u' });
    expectTypeOf(child.track({ event: 'e' })).toEqualTypeOf<Receipt>();
    // @ts-expect-error a child is closed with its client
    child.close();
  });
});

test('events are typed by their name', () => {
  calls(() => {
    analytics.on('lost', (event) => expectTypeOf(event).toEqualTypeOf<AnalyticsEvents['lost']>());
    analytics.on('lost', ({ message, error }) => {
      expectTypeOf(message).toEqualTypeOf<Message>();
      expectTypeOf(error.code).toEqualTypeOf<string>();
    });
    // @ts-expect-error there is no such event
    analytics.on('drained', () => {});
  });
});

test('a message is told by its type', () => {
  calls(() => {
    const message = {} as Message;
    if (message.type === 'track') expectTypeOf(message.event).toEqualTypeOf<string>();
    expectTypeOf(message.timestamp).toEqualTypeOf<string>();
  });
});

test('options, counts and promises are what they say', () => {
  expectTypeOf<AnalyticsOptions>().toHaveProperty('writeKey').toEqualTypeOf<string>();
  expectTypeOf<AnalyticsOptions['flushAt']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<ReturnType<Analytics['close']>>().toEqualTypeOf<Promise<Stats>>();
  expectTypeOf<ReturnType<Analytics['flush']>>().toEqualTypeOf<Promise<void>>();
  expectTypeOf<Receipt['delivered']>().toEqualTypeOf<Promise<void>>();
});

test('fetch makes a transport', () => {
  const transport: Transport = async ({ url, headers, body, signal }) => {
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
  expectTypeOf(transport).toBeFunction();
});
