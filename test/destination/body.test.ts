import { describe, expect, test } from 'vitest';
import { buildBody, checkDeliverable, type Deliverable } from '../../src/destination/body.js';
import { ValidationError } from '../../src/errors.js';

const timestamp = '2026-11-20T12:00:00.000Z';
const common = { messageId: 'm1', timestamp, userId: 'u1', context: { ip: '203.0.113.7' } };

const parsed = (message: Deliverable): unknown => JSON.parse(Buffer.from(buildBody(message)).toString());

describe('the body', () => {
  test.each<Deliverable>([
    { ...common, type: 'track', event: 'Order Completed', properties: { total: 42 } },
    { ...common, type: 'identify', traits: { plan: 'pro' } },
    { ...common, type: 'page', category: 'docs', name: 'Pricing', properties: { url: 'https://example.com/' } },
    { ...common, type: 'screen', name: 'Checkout' },
    { ...common, type: 'group', groupId: 'g1', traits: { seats: 40 } },
    { ...common, type: 'alias', userId: 'u2', previousId: 'u1' },
  ])('of a $type message is the whole message and version 1', (message) => {
    expect(parsed(message)).toEqual({ ...message, version: 1 });
  });

  test('of a delete notification has three fields and no version', () => {
    const message = { type: 'delete', userId: 'u1', timestamp, messageId: 'm1', context: {} } as const;
    expect(parsed(message)).toEqual({ type: 'delete', userId: 'u1', timestamp });
  });

  test('has times in UTC with milliseconds', () => {
    const message = { type: 'delete', userId: 'u1', timestamp: '2026-11-20T13:00:00+01:00' } as const;
    expect(parsed(message)).toMatchObject({ timestamp });
    const properties = { at: new Date(0) };
    expect(parsed({ ...common, type: 'track', event: 'e', properties })).toMatchObject({
      properties: { at: '1970-01-01T00:00:00.000Z' },
    });
  });

  test('keeps fields it does not know, and says version 1 whatever came', () => {
    const message = { ...common, type: 'track', event: 'e', receivedAt: timestamp, version: 2 } as Deliverable;
    expect(parsed(message)).toMatchObject({ receivedAt: timestamp, version: 1 });
  });

  test('is UTF-8', () => {
    const body = buildBody({ ...common, type: 'track', event: 'Käse 🧀' });
    expect(new TextDecoder('utf-8', { fatal: true }).decode(body)).toContain('Käse 🧀');
  });

  test('says where the message cannot be written', () => {
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    const message: Deliverable = { ...common, type: 'track', event: 'e', properties: cyclic };
    expect(() => buildBody(message)).toThrow('track.properties.self: expected no cycle');
  });
});

describe('what can be delivered', () => {
  test.each<[string, unknown, string]>([
    ['nothing', null, 'message: expected an object, got null'],
    ['text', 'track', 'message: expected an object, got string "track"'],
    ['an unknown type', { ...common, type: 'order' }, 'message.type: expected one of identify, track,'],
    ['a type from the prototype', { ...common, type: 'toString' }, 'message.type: expected one of'],
    ['no id', { ...common, type: 'track', messageId: undefined }, 'track.messageId: expected well-formed text'],
    ['a long id', { ...common, type: 'track', messageId: 'x'.repeat(101) }, 'track.messageId: expected'],
    ['half a character', { ...common, type: 'track', messageId: '\ud800' }, 'track.messageId: expected'],
    ['a delete of nobody', { type: 'delete', userId: '', timestamp }, 'delete.userId: expected a non-empty string'],
  ])('not %s', (_, message, expected) => {
    expect(() => checkDeliverable(message as Deliverable)).toThrow(ValidationError);
    expect(() => checkDeliverable(message as Deliverable)).toThrow(expected);
  });

  test('not a message without a valid time', () => {
    expect(() => buildBody({ ...common, type: 'track', event: 'e', timestamp: 'soon' })).toThrow(
      'track.timestamp: expected',
    );
  });
});
