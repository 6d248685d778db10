import { describe, expect, test } from 'vitest';
import { ValidationError } from '../../src/errors.js';
import { type MessageTypeName, messageTypes } from '../../src/protocol/message.js';
import { normalize, type ResolvedDefaults } from '../../src/protocol/normalize.js';

const stamp = { messageId: () => 'new-id', timestamp: () => '2026-11-20T12:00:00.000Z' };

/** What would be sent, as the collector reads it. */
const sent = (type: MessageTypeName, message: unknown, defaults: ResolvedDefaults = {}) =>
  JSON.parse(JSON.stringify(normalize(messageTypes[type], message, defaults, stamp)));

const errorOf = (type: MessageTypeName, message: unknown): string => {
  try {
    normalize(messageTypes[type], message, {}, stamp);
  } catch (error) {
    if (error instanceof ValidationError) return error.message;
    throw error;
  }
  return 'accepted';
};

const stamped = { messageId: 'new-id', timestamp: '2026-11-20T12:00:00.000Z' };

describe('every call goes out with all it was given', () => {
  const common = {
    userId: 'u1',
    anonymousId: 'a1',
    context: { ip: '10.0.0.1' },
    integrations: { All: false, Webhooks: true },
  };

  test.each<[MessageTypeName, Record<string, unknown>]>([
    ['identify', { traits: { plan: 'pro' } }],
    ['track', { event: 'Order Completed', properties: { total: 42 } }],
    ['page', { category: 'Docs', name: 'Pricing', properties: { url: 'https://example.com', title: 'P', other: 1 } }],
    ['screen', { category: 'Shop', name: 'Checkout', properties: { step: 2 } }],
    ['group', { groupId: 'g1', traits: { seats: 40 } }],
    ['alias', { previousId: 'a0' }],
  ])('%s', (type, fields) => {
    expect(sent(type, { ...common, ...fields })).toEqual({ type, ...stamped, ...common, ...fields });
  });
});

describe('what a call needs', () => {
  test.each<[MessageTypeName, unknown, string]>([
    ['track', { userId: 'u' }, 'track.event: expected a non-empty string, got undefined'],
    ['track', { userId: 'u', event: '' }, 'track.event: expected a non-empty string, got string ""'],
    ['track', { userId: 42, event: 'e' }, 'track.userId: expected a non-empty string, got number 42'],
    ['track', { event: 'e' }, 'track.userId: expected a non-empty string, or an anonymousId, got neither'],
    [
      'track',
      { userId: null, event: 'e' },
      'track.userId: expected a non-empty string, or an anonymousId, got userId null and anonymousId undefined',
    ],
    [
      'track',
      { userId: null, anonymousId: '', event: 'e' },
      'track.userId: expected a non-empty string, or an anonymousId, got userId null and anonymousId string ""',
    ],
    ['track', { userId: 0, event: 'e' }, 'track.userId: expected a non-empty string, got number 0'],
    [
      'track',
      { userId: 'u', anonymousId: false, event: 'e' },
      'track.anonymousId: expected a non-empty string, got boolean false',
    ],
    ['track', { userId: 'u', event: null }, 'track.event: expected a non-empty string, got null'],
    ['group', { userId: 'u', groupId: '' }, 'group.groupId: expected a non-empty string, got string ""'],
    ['alias', { userId: null, previousId: 'p' }, 'alias.userId: expected a non-empty string, got null'],
    ['alias', { userId: '', previousId: 'p' }, 'alias.userId: expected a non-empty string, got string ""'],
    ['track', { userId: 'u', event: 'e', properties: [] }, 'track.properties: expected a plain object, got an array'],
    [
      'track',
      { userId: 'u', event: 'e', properties: 'x' },
      'track.properties: expected a plain object, got string "x"',
    ],
    [
      'track',
      { userId: 'u', event: 'e', properties: new Map() },
      'track.properties: expected a plain object, got a Map',
    ],
    [
      'track',
      { userId: 'u', event: 'e', messageId: 'x'.repeat(101) },
      'track.messageId: expected a string of 1 to 100 characters, got a string of 101 characters',
    ],
    ['track', { userId: 'u', event: 'e', type: 'page' }, 'track.type: expected "track", got string "page"'],
    ['track', { userId: 'u', event: 'e', context: 1 }, 'track.context: expected a plain object, got number 1'],
    [
      'track',
      { userId: 'u', event: 'e', integrations: { Webhooks: 'yes' } },
      'track.integrations.Webhooks: expected true, false or a plain object, got string "yes"',
    ],
    [
      'track',
      { userId: 'u', event: 'e', context: { integrations: { 'Google Ads': 1 } } },
      'track.context.integrations["Google Ads"]: expected true, false or a plain object, got number 1',
    ],
    [
      'track',
      { userId: 'u', event: 'e', timestamp: Number.NaN },
      'track.timestamp: expected a valid Date, an ISO 8601 time with Z or an offset, or milliseconds since 1970, within the years 0000 to 9999, got number NaN',
    ],
    [
      'track',
      { userId: 'u', event: 'e', timestamp: new Date('x') },
      'track.timestamp: expected a valid Date, an ISO 8601 time with Z or an offset, or milliseconds since 1970, within the years 0000 to 9999, got an invalid Date',
    ],
    ['identify', { traits: {} }, 'identify.userId: expected a non-empty string, or an anonymousId, got neither'],
    ['page', { userId: 'u', name: 7 }, 'page.name: expected a string, got number 7'],
    ['page', { userId: 'u', properties: { url: 7 } }, 'page.properties.url: expected a string, got number 7'],
    ['page', { userId: 'u', traits: { path: 7 } }, 'page.traits.path: expected a string, got number 7'],
    [
      'page',
      { userId: 'u', properties: {}, traits: {} },
      'page.traits: expected either properties or traits, which are the same, got an object',
    ],
    ['screen', { userId: 'u', category: 7 }, 'screen.category: expected a string, got number 7'],
    ['group', { userId: 'u' }, 'group.groupId: expected a non-empty string, got undefined'],
    ['group', { groupId: 'g' }, 'group.userId: expected a non-empty string, or an anonymousId, got neither'],
    ['alias', { userId: 'u' }, 'alias.previousId: expected a non-empty string, got undefined'],
    ['alias', { previousId: 'p', anonymousId: 'a' }, 'alias.userId: expected a non-empty string, got undefined'],
    ['track', undefined, 'track: expected an object, got undefined'],
    ['track', 'Order Completed', 'track: expected an object, got string "Order Completed"'],
    ['track', [], 'track: expected an object, got an array'],
  ])('%s(%j) is refused with what was expected and what came', (type, message, error) => {
    expect(errorOf(type, message)).toBe(error);
  });

  test('the error has its parts, to be read by a program', () => {
    expect(() => sent('track', { userId: 42, event: 'e' })).toThrow(
      expect.objectContaining({
        code: 'EVENTFERRY_INVALID_MESSAGE',
        path: 'track.userId',
        expected: 'a non-empty string',
        received: 'number 42',
      }),
    );
  });

  test('a long value is never shown', () => {
    expect(errorOf('track', { userId: 'u', event: 'e', properties: 's'.repeat(41) })).toContain(
      'a string of 41 characters',
    );
  });

  test('a message id of 100 characters is the longest', () => {
    expect(sent('track', { userId: 'u', event: 'e', messageId: 'x'.repeat(100) }).messageId).toHaveLength(100);
  });
});

describe('what is null, and an id that is empty, is absent', () => {
  const nothing = { userId: null, messageId: null, timestamp: null, context: null, integrations: null };

  test.each<[MessageTypeName, Record<string, unknown>, Record<string, unknown>]>([
    ['identify', {}, { traits: null }],
    ['track', { event: 'e' }, { properties: null }],
    ['page', {}, { category: null, name: null, properties: null, traits: null }],
    ['screen', {}, { category: null, name: null, properties: null }],
    ['group', { groupId: 'g' }, { traits: null }],
  ])('%s is sent without it', (type, needed, own) => {
    const expected = { type, ...stamped, anonymousId: 'a', ...needed };
    expect(sent(type, { ...nothing, anonymousId: 'a', ...needed, ...own })).toEqual(expected);
    expect(sent(type, { ...nothing, userId: '', messageId: '', anonymousId: 'a', ...needed })).toEqual(expected);
    const known = { type, ...stamped, userId: 'u', ...needed };
    expect(sent(type, { userId: 'u', anonymousId: null, ...needed })).toEqual(known);
    expect(sent(type, { userId: 'u', anonymousId: '', ...needed })).toEqual(known);
  });

  test('alias is sent without it', () => {
    const ids = { userId: 'u', previousId: 'p' };
    expect(sent('alias', { ...nothing, anonymousId: '', ...ids })).toEqual({ type: 'alias', ...stamped, ...ids });
  });

  test('what is null in the own objects of the caller is sent as it is', () => {
    const own = {
      properties: { url: null, title: null, referrer: null, path: null, other: null },
      context: { ip: null, app: null },
      integrations: { All: null, Webhooks: null },
    };
    expect(sent('page', { userId: 'u', ...own })).toEqual({ type: 'page', ...stamped, userId: 'u', ...own });
  });

  test('integrations of the context that are null add none', () => {
    expect(sent('identify', { userId: 'u', context: { ip: '1', integrations: null } })).toEqual({
      type: 'identify',
      ...stamped,
      userId: 'u',
      context: { ip: '1' },
    });
  });

  test('the defaults stand in for it', () => {
    const defaults = { userId: 'd', context: { ip: 'd' }, integrations: { A: true } };
    const expected = { type: 'identify', ...stamped, ...defaults };
    expect(sent('identify', { ...nothing, anonymousId: '' }, defaults)).toEqual(expected);
    expect(sent('identify', { userId: '' }, defaults)).toEqual(expected);
  });

  test('a toJSON that gives null gives nothing', () => {
    const document = { toJSON: () => null };
    expect(sent('identify', { userId: 'u', traits: document, context: document, timestamp: document })).toEqual({
      type: 'identify',
      ...stamped,
      userId: 'u',
    });
  });
});

describe('what is filled in', () => {
  test("the page's traits go out as its properties", () => {
    const message = sent('page', { userId: 'u', traits: { url: 'https://example.com' } });
    expect(message).toEqual({ type: 'page', ...stamped, userId: 'u', properties: { url: 'https://example.com' } });
  });

  test('integrations inside the context go out at the top level, and those at the top level win', () => {
    const message = {
      userId: 'u',
      context: { ip: '1', integrations: { All: false, A: true } },
      integrations: { A: { k: 1 } },
    };
    expect(sent('identify', message)).toMatchObject({
      context: { ip: '1' },
      integrations: { All: false, A: { k: 1 } },
    });
    expect(sent('identify', message).context).toEqual({ ip: '1' });
  });

  test('defaults are merged key by key, and the message wins', () => {
    const defaults = {
      userId: 'd',
      anonymousId: 'da',
      context: { ip: 'd', app: { v: 1 } },
      integrations: { A: true, B: true },
    };
    const message = { userId: 'u', event: 'e', context: { ip: 'm' }, integrations: { B: false } };
    expect(sent('track', message, defaults)).toMatchObject({
      userId: 'u',
      anonymousId: 'da',
      context: { ip: 'm', app: { v: 1 } },
      integrations: { A: true, B: false },
    });
  });

  test('a field we have no name for goes out unchanged', () => {
    expect(sent('track', { userId: 'u', event: 'e', channel: 'server', nested: { a: [1] } })).toMatchObject({
      channel: 'server',
      nested: { a: [1] },
    });
  });

  test('what is in a field we have no name for is bounded too', () => {
    const refused = (other: unknown) => errorOf('track', { userId: 'u', event: 'e', other });
    expect(refused(new Array(1e9))).toBe('track.other: expected at most 256000 characters, got more');
    expect(refused({ rows: [{ bytes: new Uint8Array(1e9) }] })).toBe(
      'track.other.rows[0].bytes: expected at most 256000 characters, got more',
    );
    expect(refused([[1n]])).toBe('accepted');
    expect(refused({ toJSON: () => 1n })).toBe('track.other: expected a value that JSON can hold, got a BigInt');
    expect(sent('track', { userId: 'u', event: 'e', other: { at: new URL('https://example.com') } })).toMatchObject({
      other: { at: 'https://example.com/' },
    });
  });

  test('properties and traits are objects, also where a type has no such field', () => {
    expect(errorOf('track', { userId: 'u', event: 'e', traits: ['a'] })).toBe(
      'track.traits: expected a plain object, got an array',
    );
    expect(sent('identify', { userId: 'u', properties: { a: 1 } })).toMatchObject({ properties: { a: 1 } });
  });

  test("the caller's objects are neither changed nor copied", () => {
    const properties = Object.freeze({ total: 42 });
    const message = Object.freeze({
      userId: 'u',
      event: 'e',
      properties,
      context: Object.freeze({ integrations: {} }),
    });
    const drafted = normalize(messageTypes.track, message, { context: { ip: '1' } }, stamp);
    expect(drafted).toHaveProperty('properties', properties);
    expect((drafted as { properties: unknown }).properties).toBe(properties);
  });

  test('an object that says itself how it is written is asked, and its answer is checked', () => {
    const document = { toJSON: () => ({ plan: 'pro' }) };
    expect(sent('identify', { userId: 'u', traits: document }).traits).toEqual({ plan: 'pro' });
    const moment = { toJSON: () => '2024-02-29T00:00:00+01:00' };
    expect(sent('identify', { userId: 'u', timestamp: moment }).timestamp).toBe('2024-02-28T23:00:00.000Z');
    expect(errorOf('identify', { userId: 'u', traits: { toJSON: () => 'text' } })).toBe(
      'identify.traits: expected a plain object, got string "text"',
    );
  });
});

describe('hostile messages', () => {
  test('what is checked is what is sent: a getter is read once', () => {
    let reads = 0;
    const message = {
      event: 'e',
      get userId() {
        reads++;
        return reads === 1 ? 'u' : 42;
      },
    };
    expect(sent('track', message).userId).toBe('u');
  });

  test('__proto__ and constructor are fields like others, and change no prototype', () => {
    const message = JSON.parse(
      '{"userId":"u","event":"e","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    );
    const text = JSON.stringify(
      normalize(messageTypes.track, message, { context: JSON.parse('{"__proto__":{"polluted":1}}') }, stamp),
    );
    expect(text).toContain('"__proto__":{"polluted":1}');
    expect(text).toContain('"constructor":{"prototype":{"polluted":1}}');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('a message without a prototype, and one of a class, are messages', () => {
    class Order {
      userId = 'u';
      event = 'e';
    }
    expect(sent('track', Object.assign(Object.create(null), { userId: 'u', event: 'e' })).event).toBe('e');
    expect(sent('track', new Order()).event).toBe('e');
  });

  test.each([
    ['a Buffer', Buffer.alloc(10), 'a Uint8Array'],
    ['a typed array', new Float64Array(200_000_000), 'a Float64Array'],
    ['a `new String`', new String('x'.repeat(2 ** 28)), 'a String'],
  ])('%s is no message, and none of its items is looked at', (_, message, received) => {
    expect(errorOf('track', message)).toBe(`track: expected an object, got ${received}`);
  });

  test('a toJSON of the message itself is not asked, so that it cannot send something else', () => {
    expect(sent('track', { userId: 'u', event: 'e', toJSON: () => 7 })).toEqual({
      type: 'track',
      ...stamped,
      userId: 'u',
      event: 'e',
    });
  });
});
