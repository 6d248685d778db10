import { expect, test } from 'vitest';
import { messageTypes } from '../../src/protocol/message-checks.js';
import { normalize } from '../../src/protocol/normalize.js';
import { errorOf, sent, stamp, stamped } from './calling.js';

test.each([
  [undefined, 'got undefined'],
  ['Order Completed', 'got string "Order Completed"'],
  [[], 'got an array'],
])('a call with %j instead of a message is refused', (message, got) => {
  expect(errorOf('track', message)).toBe(`track: expected an object, ${got}`);
});

test('a message with the type of another call is refused', () => {
  const message = { userId: 'u', event: 'e', type: 'page' };
  expect(errorOf('track', message)).toBe('track.type: expected "track", got string "page"');
});

test('a ValidationError has code, path, expected and received as separate fields', () => {
  expect(() => sent('track', { userId: 42, event: 'e' })).toThrow(
    expect.objectContaining({
      code: 'EVENTFERRY_INVALID_MESSAGE',
      path: 'track.userId',
      expected: 'a non-empty string',
      received: 'number 42',
    }),
  );
});

test('an error shows the length of a long value and not the value', () => {
  expect(errorOf('track', { userId: 'u', event: 'e', properties: 's'.repeat(41) })).toContain(
    'a string of 41 characters',
  );
});

const nothing = { userId: null, messageId: null, timestamp: null, context: null, integrations: null };

test('null inside properties, context and integrations is sent unchanged', () => {
  const own = {
    properties: { url: null, title: null, referrer: null, path: null, other: null },
    context: { ip: null, app: null },
    integrations: { All: null, Webhooks: null },
  };
  expect(sent('page', { userId: 'u', ...own })).toEqual({ type: 'page', ...stamped, userId: 'u', ...own });
});

test('null integrations in the context add no integrations', () => {
  expect(sent('identify', { userId: 'u', context: { ip: '1', integrations: null } })).toEqual({
    type: 'identify',
    ...stamped,
    userId: 'u',
    context: { ip: '1' },
  });
});

test('defaults replace null fields and empty ids', () => {
  const defaults = { userId: 'd', context: { ip: 'd' }, integrations: { A: true } };
  const expected = { type: 'identify', ...stamped, ...defaults };
  expect(sent('identify', { ...nothing, anonymousId: '' }, defaults)).toEqual(expected);
  expect(sent('identify', { userId: '' }, defaults)).toEqual(expected);
});

test('a field whose toJSON returns null is omitted', () => {
  const document = { toJSON: () => null };
  expect(sent('identify', { userId: 'u', traits: document, context: document })).toEqual({
    type: 'identify',
    ...stamped,
    userId: 'u',
  });
});

test.each([null, undefined, 'Invalid date'])('a timestamp whose toJSON returns %s is refused', (json) => {
  const invalid = { toJSON: () => json };
  expect(errorOf('identify', { userId: 'u', timestamp: invalid })).toMatch(/^identify\.timestamp: expected /);
});

test('integrations in the context move to the top level, where those of the message have precedence', () => {
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

test.each([
  [{}, { anonymousId: 'v' }],
  [{ userId: '', anonymousId: null }, { anonymousId: 'v' }],
  [{ userId: 'u' }, { userId: 'u' }],
  [{ anonymousId: 'a' }, { anonymousId: 'a' }],
])('a message with the ids %j gets the ids %j if the request has a visitor id', (ids, expected) => {
  const { userId, anonymousId } = sent('track', { event: 'e', ...ids }, { visitorId: 'v' });
  expect({ userId, anonymousId }).toEqual(expected);
});

test('the visitor id is not used if the user is known by default', () => {
  expect(sent('track', { event: 'e' }, { userId: 'd', visitorId: 'v' })).not.toHaveProperty('anonymousId', 'v');
});

test('defaults are merged key by key, and the message has precedence', () => {
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

test('an unknown field is sent unchanged', () => {
  expect(sent('track', { userId: 'u', event: 'e', channel: 'server', nested: { a: [1] } })).toMatchObject({
    channel: 'server',
    nested: { a: [1] },
  });
});

test('the limits on size and depth apply to unknown fields too', () => {
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

test('properties and traits must be objects, even if the type has no such field', () => {
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

test('the toJSON of an object is called, and its result is checked', () => {
  const document = { toJSON: () => ({ plan: 'pro' }) };
  expect(sent('identify', { userId: 'u', traits: document }).traits).toEqual({ plan: 'pro' });
  const moment = { toJSON: () => '2024-02-29T00:00:00+01:00' };
  expect(sent('identify', { userId: 'u', timestamp: moment }).timestamp).toBe('2024-02-28T23:00:00.000Z');
  expect(errorOf('identify', { userId: 'u', traits: { toJSON: () => 'text' } })).toBe(
    'identify.traits: expected a plain object, got string "text"',
  );
});

test('a getter is read once, so that the checked value is the one that is sent', () => {
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

test('__proto__ and constructor are ordinary fields, and change no prototype', () => {
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

test('a message may have no prototype, or be an instance of a class', () => {
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
])('%s is refused, and none of its items is read', (_, message, received) => {
  expect(errorOf('track', message)).toBe(`track: expected an object, got ${received}`);
});

test('a toJSON of the message itself is not called', () => {
  expect(sent('track', { userId: 'u', event: 'e', toJSON: () => 7 })).toEqual({
    type: 'track',
    ...stamped,
    userId: 'u',
    event: 'e',
  });
});
