import { describe, expect, test } from 'vitest';
import { ValidationError } from '../../../src/base/errors/errors.js';
import type { Deliverable } from '../../../src/delivery/deliverable.js';
import { userKey } from '../../../src/delivery/event-names.js';
import { canonicalEvent } from '../../../src/destination/intake/canonical-event.js';
import { prepareEvent } from '../../../src/destination/intake/prepared-event.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { openDestination } from '../open.js';
import { track } from '../track.js';

test('a prepared event has the key of its user, and the user id has precedence', () => {
  const message = { ...track('m1'), anonymousId: 'a1' };
  expect(prepareEvent(message).user).toBe(userKey({ userId: 'u1' }));
  expect(prepareEvent({ ...message, userId: null } as never).user).toBe(userKey({ anonymousId: 'a1' }));
  expect(prepareEvent({ type: 'delete', userId: 'u1', timestamp: message.timestamp }).user).toBe(
    userKey({ userId: 'u1' }),
  );
});

test('a delete notification may have an id, which is not sent', async () => {
  const endpoint = await startEndpoint(200);
  const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
  const timestamp = '2026-11-20T12:00:00.000Z';
  const { id } = await destination.deliver({ type: 'delete', userId: 'u1', timestamp, messageId: 'd1' });
  await endpoint.has(1);
  expect(id).toBe('d1');
  expect(JSON.parse(String(endpoint.received[0]?.body))).toEqual({ type: 'delete', userId: 'u1', timestamp });
});

const timestamp = '2026-11-20T12:00:00.000Z';

const common = { messageId: 'm1', timestamp, userId: 'u1', context: { ip: '203.0.113.7' } };

const parsed = (message: Deliverable): unknown => JSON.parse(Buffer.from(prepareEvent(message).body).toString());

describe('the body of a delivery', () => {
  test.each<Deliverable>([
    { ...common, type: 'track', event: 'Order Completed', properties: { total: 42 } },
    { ...common, type: 'identify', traits: { plan: 'pro' } },
    { ...common, type: 'page', category: 'docs', name: 'Pricing', properties: { url: 'https://example.com/' } },
    { ...common, type: 'screen', name: 'Checkout' },
    { ...common, type: 'group', groupId: 'g1', traits: { seats: 40 } },
    { ...common, type: 'alias', userId: 'u2', previousId: 'u1' },
  ])('the body of a $type message is the whole message and version 1', (message) => {
    expect(parsed(message)).toEqual({ ...message, version: 1 });
  });

  test('the body of a delete notification has three fields and no version', () => {
    const message = { type: 'delete', userId: 'u1', timestamp, messageId: 'm1', context: {} } as const;
    expect(parsed(message)).toEqual({ type: 'delete', userId: 'u1', timestamp });
  });

  test('the body contains times in UTC with milliseconds', () => {
    const message = { type: 'delete', userId: 'u1', timestamp: '2026-11-20T13:00:00+01:00' } as const;
    expect(parsed(message)).toMatchObject({ timestamp });
    const properties = { at: new Date(0) };
    expect(parsed({ ...common, type: 'track', event: 'e', properties })).toMatchObject({
      properties: { at: '1970-01-01T00:00:00.000Z' },
    });
  });

  test('the body keeps unknown fields, and always has version 1', () => {
    const message = { ...common, type: 'track', event: 'e', receivedAt: timestamp, version: 2 } as Deliverable;
    expect(parsed(message)).toMatchObject({ receivedAt: timestamp, version: 1 });
  });

  test('the body is encoded in UTF-8', () => {
    const { body } = prepareEvent({ ...common, type: 'track', event: 'Käse 🧀' });
    expect(new TextDecoder('utf-8', { fatal: true }).decode(body)).toContain('Käse 🧀');
  });

  test('the body may have 65,536 bytes, which our receiver accepts, and no more', () => {
    const filled = (length: number): Deliverable => ({ ...common, type: 'track', event: 'x'.repeat(length) });
    const most = 65_536 - prepareEvent(filled(1)).body.length + 1;
    expect(prepareEvent(filled(most)).body).toHaveLength(65_536);
    expect(() => prepareEvent(filled(most + 1))).toThrow('track: expected at most 65536 bytes of JSON, got 65537');
  });

  test('a message that cannot be written is refused with the path to the problem', () => {
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    const message: Deliverable = { ...common, type: 'track', event: 'e', properties: cyclic };
    expect(() => prepareEvent(message)).toThrow('track.properties.self: expected no cycle');
  });
});

describe('a message passed to deliver', () => {
  const track = { ...common, type: 'track', event: 'e' };

  test.each<[string, object, object]>([
    ['a number as an id', { userId: 42, anonymousId: -0 }, { userId: '42', anonymousId: '0' }],
    ['a number as its event', { event: 5 }, { event: '5' }],
    ['the empty list PHP makes of an object', { properties: [], context: [] }, { properties: {}, context: {} }],
    ['a sentAt in milliseconds', { sentAt: 0 }, { sentAt: '1970-01-01T00:00:00.000Z' }],
    [
      'an originalTimestamp with an offset',
      { originalTimestamp: '2026-11-20T13:00+01' },
      { originalTimestamp: timestamp },
    ],
    ['a receivedAt that is a Date', { receivedAt: new Date(0) }, { receivedAt: '1970-01-01T00:00:00.000Z' }],
    ['an invalid sentAt', { sentAt: 'now', receivedAt: {} }, { sentAt: null, receivedAt: null }],
    ['null in optional fields', { userId: null, context: null }, { userId: null, context: null }],
    ['properties with a toJSON', { properties: { toJSON: () => ({ a: 1 }) } }, { properties: { a: 1 } }],
    ['a lone surrogate in its id', { messageId: '\ud800' }, { messageId: '\ud800' }],
  ])('a message passed to deliver may have %s', (_, given, sent) => {
    expect(parsed({ ...track, ...given } as Deliverable)).toEqual({ ...track, ...sent, version: 1 });
  });

  test('a message passed to deliver may be an object with a toJSON, such as a database document', () => {
    const document = Object.create({ toJSON: () => track });
    expect(parsed(document)).toEqual({ ...track, version: 1 });
  });

  test('a message passed to deliver is not changed', () => {
    const message = { ...track, userId: 42, properties: [] };
    prepareEvent(message as unknown as Deliverable);
    expect(message).toMatchObject({ userId: 42, properties: [] });
  });

  test.each<[string, unknown, string]>([
    ['nothing', null, 'message: expected an object, got null'],
    ['text', 'track', 'message: expected an object, got string "track"'],
    ['an unknown type', { ...common, type: 'order' }, 'message.type: expected one of identify, track,'],
    ['a type from the prototype', { ...common, type: 'toString' }, 'message.type: expected one of'],
    ['without an id', { ...track, messageId: undefined }, 'track.messageId: expected a string of 1 to 100 characters'],
    ['with a long id', { ...track, messageId: 'x'.repeat(101) }, 'track.messageId: expected'],
    ['without an event', { ...track, event: undefined }, 'track.event: expected a non-empty string, got undefined'],
    ['with an empty event', { ...track, event: '' }, 'track.event: expected a non-empty string, got string ""'],
    ['a group without a group', { ...common, type: 'group' }, 'group.groupId: expected a non-empty string'],
    ['an alias without a previous id', { ...common, type: 'alias' }, 'alias.previousId: expected a non-empty string'],
    ['an alias of nobody', { ...common, type: 'alias', previousId: 'p', userId: null }, 'alias.userId: expected'],
    ['with an id that is an object', { ...track, userId: {} }, 'track.userId: expected a string, got an object'],
    [
      'with an id that is no number',
      { ...track, userId: Number.NaN },
      'track.userId: expected a string, got number NaN',
    ],
    ['with a name that is a list', { ...common, type: 'page', name: [] }, 'page.name: expected a string, got an array'],
    [
      'with properties that are text',
      { ...track, properties: 'p' },
      'track.properties: expected an object, got string',
    ],
    [
      'with properties that are a Map',
      { ...track, properties: new Map() },
      'track.properties: expected an object, got a Map',
    ],
    ['with traits that are a list', { ...track, traits: [1] }, 'track.traits: expected an object, got an array'],
    ['with a BigInt', { ...track, properties: { n: 1n } }, 'track.properties.n: expected a value that JSON can hold'],
    ['a delete of nobody', { type: 'delete', userId: '', timestamp }, 'delete.userId: expected a non-empty string'],
    ['without a time', { ...track, timestamp: undefined }, 'track.timestamp: expected a valid Date'],
    ['with an invalid time', { ...track, timestamp: 'soon' }, 'track.timestamp: expected a valid Date'],
    ['with seconds', { ...track, timestamp: 1_700_000_000 }, 'track.timestamp: expected milliseconds since 1970, and'],
  ])('a message passed to deliver is refused: %s', (_, message, expected) => {
    expect(() => prepareEvent(message as Deliverable)).toThrow(ValidationError);
    expect(() => prepareEvent(message as Deliverable)).toThrow(expected);
  });

  test('a message passed to deliver is checked even if it is skipped', () => {
    expect(() => canonicalEvent({ ...track, event: '', integrations: { All: false } })).toThrow('track.event');
  });
});
