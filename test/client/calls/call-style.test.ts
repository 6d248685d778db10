import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { Analytics } from '../../../src/client/analytics.js';
import type { Tracker } from '../../../src/index.js';
import { MESSAGE_TYPES } from '../../../src/protocol/field-table.js';
import { client, track } from '../../support/client.js';
import { sampleCalls } from '../../support/sample-calls.js';
import { sink } from '../../support/sink.js';

const nowhere = { endpoint: 'http://127.0.0.1:1' };

/** Returns the error of a call in the style of another client. */
async function refusalOf(call: (analytics: Analytics) => unknown): Promise<string> {
  const { analytics } = client(nowhere);
  try {
    await call(analytics);
  } catch (error) {
    expect(analytics.stats().accepted).toBe(0);
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
  return 'accepted';
}

/** Calls as plain JavaScript makes them. */
type Loose = Record<string, (...args: unknown[]) => unknown>;
const loose = (analytics: Analytics | Tracker): Loose => analytics as unknown as Loose;
const callback = (): void => expect.unreachable();

test.each<[string, (analytics: Analytics) => unknown, string]>([
  [
    "track('Order Completed', { total: 42 })",
    (analytics) => loose(analytics)['track']?.('Order Completed', { total: 42 }),
    "ValidationError: track: expected one object, such as track({ userId: 'u1', event: 'Order Completed', properties: { total: 42 } }), got string \"Order Completed\"",
  ],
  [
    "identify('u1')",
    (analytics) => loose(analytics)['identify']?.('u1'),
    "ValidationError: identify: expected one object, such as identify({ userId: 'u1', traits: { plan: 'pro' } }), got string \"u1\"",
  ],
  [
    'track(message, callback)',
    (analytics) => loose(analytics)['track']?.(track(), callback),
    'OptionError: Expected `track` to be called with a message only, got a function as well. Instead of a callback, await the `delivered` of the receipt, or `flush()`',
  ],
  [
    'page(message, undefined, callback)',
    (analytics) => loose(analytics)['page']?.(track(), undefined, callback),
    'OptionError: Expected `page` to be called with a message only, got a function as well. Instead of a callback, await the `delivered` of the receipt, or `flush()`',
  ],
  [
    'alias(message, options)',
    (analytics) => loose(analytics)['alias']?.({}, { timestamp: 0 }),
    "OptionError: Expected `alias` to be called with a message only, got an object as well. Write alias({ userId: 'u1', previousId: 'a1' })",
  ],
  [
    'flush(callback)',
    (analytics) => loose(analytics)['flush']?.(callback),
    'OptionError: Expected `options` to be an object, got a function. Write await flush()',
  ],
  [
    'flush(1000)',
    (analytics) => loose(analytics)['flush']?.(1_000),
    'OptionError: Expected `options` to be an object, got a number. Write flush({ timeout: 1000 })',
  ],
  [
    'close(1000)',
    (analytics) => loose(analytics)['close']?.(1_000),
    'OptionError: Expected `options` to be an object, got a number. Write close({ timeout: 1000 })',
  ],
  [
    'flush(null)',
    (analytics) => loose(analytics)['flush']?.(null),
    'OptionError: Expected `options` to be an object, got null. Write flush({ timeout: … })',
  ],
  [
    'flush({ timeot })',
    (analytics) => loose(analytics)['flush']?.({ timeot: 1 }),
    'OptionError: Expected `timeot` to be a known option, got an unknown name. Did you mean `timeout`?',
  ],
  [
    'close({ timeoutMs })',
    (analytics) => loose(analytics)['close']?.({ timeoutMs: 1 }),
    'OptionError: Expected `timeoutMs` to be a known option, got an unknown name. Did you mean `timeout`?',
  ],
  [
    'import(rows, { onprogress })',
    (analytics) => loose(analytics)['import']?.([], { onprogress: callback }),
    'OptionError: Expected `onprogress` to be a known option, got an unknown name. Did you mean `onProgress`?',
  ],
  [
    'child({ user_id })',
    (analytics) => loose(analytics)['child']?.({ user_id: 'u' }),
    'OptionError: Expected `user_id` to be a known option, got an unknown name. Did you mean `userId`?',
  ],
  [
    "on('error')",
    (analytics) => loose(analytics)['on']?.('error', callback),
    'OptionError: Expected `event` to be one of delivered, lost, violation, flush, retry, journal, got string "error". Use `lost`',
  ],
  [
    "on('Delivered')",
    (analytics) => loose(analytics)['on']?.('Delivered', callback),
    'OptionError: Expected `event` to be one of delivered, lost, violation, flush, retry, journal, got string "Delivered". Use `delivered`',
  ],
  [
    "on('done')",
    (analytics) => loose(analytics)['on']?.('done', callback),
    'OptionError: Expected `event` to be one of delivered, lost, violation, flush, retry, journal, got string "done"',
  ],
  [
    "on('lost')",
    (analytics) => loose(analytics)['on']?.('lost'),
    'OptionError: Expected `listener` to be a function, got undefined',
  ],
])('a call in the style of another client is refused with an example: %s', async (_, call, message) => {
  expect(await refusalOf(call)).toBe(message);
});

test.each(['child', 'flush', 'close'])(
  'the call %s("…") is refused without showing its text, which may be a key',
  async (method) => {
    const message = await refusalOf((analytics) => loose(analytics)[method]?.('very-secret'));
    expect(message).toContain('Expected `options` to be an object, got a string of 11 characters. Write');
    expect(message).not.toContain('very-secret');
  },
);

describe.each<[string, (analytics: Analytics) => Analytics | Tracker]>([
  ['a client', (analytics) => analytics],
  ['a child', (analytics) => analytics.child({ userId: 'u' })],
  ['a child of a child', (analytics) => analytics.child({}).child({ userId: 'u' })],
])('%s', (_, of) => {
  test('the methods of a client, including flush, work without their object', async () => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url });
    const { child, flush, ...calls } = { ...loose(of(analytics)) };
    for (const name of MESSAGE_TYPES) calls[name]?.(sampleCalls[name]);
    (child as Analytics['child'])({ userId: 'u' }).track({ event: 'of a child' });
    await flush?.();
    expect(collector.messages.map(({ type }) => type)).toEqual([...MESSAGE_TYPES, 'track']);
  });

  test('the methods of a client work through a proxy', async () => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url });
    const proxy = new Proxy(of(analytics), {});
    for (const name of MESSAGE_TYPES) loose(proxy)[name]?.(sampleCalls[name]);
    proxy.child({ userId: 'u' }).track({ event: 'of a child' });
    await proxy.flush();
    expect(collector.messages).toHaveLength(MESSAGE_TYPES.length + 1);
    expect(inspect(proxy)).toMatch(/^(Analytics|Tracker) \{.*\}$/);
  });

  test('the methods of a client can be passed to forEach and map', async () => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url });
    [track('one'), track('two')].forEach(of(analytics).track);
    const receipts = [track('three')].map(of(analytics).track);
    await of(analytics).flush();
    await receipts[0]?.delivered;
    expect(collector.messages).toMatchObject([{ event: 'one' }, { event: 'two' }, { event: 'three' }]);
  });
});

test('the other members of a client can be read without it and through a proxy', async () => {
  const { analytics } = client(nowhere);
  const proxy = new Proxy(analytics, {});
  const { on, stats, ready, close } = proxy;
  on('lost', callback)();
  await ready();
  expect(proxy.pending).toEqual({ messages: 0, bytes: 0 });
  expect(stats()).toEqual(proxy.stats());
  await proxy[Symbol.asyncDispose]();
  await expect(close()).resolves.toMatchObject({ accepted: 0 });
});

test('an overriding method of a subclass is called, and can call the original', async () => {
  const collector = await sink();
  class Shop extends Analytics {
    override track(message: Parameters<Analytics['track']>[0]) {
      return super.track({ ...message, event: `Shop ${message.event}` });
    }
  }
  const shop = new Shop({ writeKey: 'key', endpoint: collector.url });
  const { track: detached } = shop;
  detached(track('Visited'));
  await shop.close();
  expect(collector.messages).toMatchObject([{ event: 'Shop Visited' }]);
});
