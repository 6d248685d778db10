import { expect, test } from 'vitest';
import { readEvent } from '../../src/webhooks/read-event.js';
import { sampleEvents } from '../../src/webhooks/testing/index.js';

const bytesOf = (value: unknown): Uint8Array =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));

const samples = Object.entries(sampleEvents);

test.each(samples)('readEvent reads a %s as it was sent', (_, sample) => {
  expect(readEvent(bytesOf(sample))).toEqual({ known: true, event: sample });
});

test.each(samples)('readEvent keeps unknown fields of a %s', (_, sample) => {
  const more = { ...sample, projectId: 'p1', nested: { deep: [1] } };
  expect(readEvent(bytesOf(more))).toEqual({ known: true, event: more });
});

const optional = ['userId', 'anonymousId', 'context', 'integrations', 'properties', 'originalTimestamp', 'sentAt'];
test.each([...optional, 'receivedAt'])('readEvent accepts null for %s, because several clients send it', (field) => {
  const message = { ...sampleEvents.track, [field]: null };
  expect(readEvent(bytesOf(message))).toEqual({ known: true, event: message });
});

test('readEvent accepts a delete without a messageId and without a version', () => {
  expect(Object.keys(sampleEvents.delete)).toEqual(['type', 'userId', 'timestamp']);
  expect(readEvent(bytesOf(sampleEvents.delete)).known).toBe(true);
});

test.each(['batch', 'constructor', '__proto__', 'Track'])(
  'readEvent returns an event of the unknown type %s unchanged',
  (type) => {
    const message = `{"type":${JSON.stringify(type)},"anything":[1]}`;
    expect(readEvent(bytesOf(message))).toEqual({ known: false, event: { type, anything: [1] } });
  },
);

const without = (sample: object, field: string): object => ({ ...sample, [field]: undefined });
test.each([
  ['track', without(sampleEvents.track, 'event'), 'track.event: expected a non-empty string, got undefined'],
  ['track', { ...sampleEvents.track, event: '' }, 'track.event: expected a non-empty string, got string ""'],
  [
    'track',
    { ...sampleEvents.track, properties: [] },
    'track.properties: expected an object, or nothing, got an array',
  ],
  ['track', without(sampleEvents.track, 'version'), 'track.version: expected 1, got undefined'],
  ['track', { ...sampleEvents.track, version: 2 }, 'track.version: expected 1, got number 2'],
  ['track', without(sampleEvents.track, 'messageId'), 'track.messageId: expected a non-empty string, got undefined'],
  [
    'identify',
    { ...sampleEvents.identify, traits: 'x' },
    'identify.traits: expected an object, or nothing, got string "x"',
  ],
  ['identify', { ...sampleEvents.identify, userId: 7 }, 'identify.userId: expected a string, or nothing, got number 7'],
  ['page', { ...sampleEvents.page, name: 7 }, 'page.name: expected a string, or nothing, got number 7'],
  ['screen', { ...sampleEvents.screen, category: {} }, 'screen.category: expected a string, or nothing, got an object'],
  ['group', without(sampleEvents.group, 'groupId'), 'group.groupId: expected a non-empty string, got undefined'],
  ['alias', without(sampleEvents.alias, 'previousId'), 'alias.previousId: expected a non-empty string, got undefined'],
  ['alias', { ...sampleEvents.alias, userId: null }, 'alias.userId: expected a non-empty string, got null'],
  ['delete', without(sampleEvents.delete, 'userId'), 'delete.userId: expected a non-empty string, got undefined'],
  ['delete', without(sampleEvents.delete, 'timestamp'), 'delete.timestamp: expected an ISO 8601 time, got undefined'],
  ['page', { ...sampleEvents.page, timestamp: 'soon' }, 'page.timestamp: expected an ISO 8601 time, got string "soon"'],
  ['page', { ...sampleEvents.page, timestamp: 7 }, 'page.timestamp: expected an ISO 8601 time, got number 7'],
])('readEvent refuses a wrong %s and says what is wrong: %j', (_, message, reason) => {
  expect(() => readEvent(bytesOf(message))).toThrow(reason);
});

test.each([
  ['nothing', '', 'body: expected JSON in UTF-8, got 0 bytes that are not'],
  ['half an object', '{"type":', 'body: expected JSON in UTF-8, got 8 bytes that are not'],
  ['an array', '[]', 'body: expected a JSON object, got an array'],
  ['null', 'null', 'body: expected a JSON object, got null'],
  ['an object without a type', '{}', 'body.type: expected a non-empty string, got undefined'],
  ['a type that is no string', '{"type":7}', 'body.type: expected a non-empty string, got number 7'],
])('readEvent refuses %s', (_, body, reason) => {
  expect(() => readEvent(bytesOf(body))).toThrow(reason);
});

test('readEvent refuses bytes that are not UTF-8 instead of replacing them', () => {
  const bytes = bytesOf('{"type":"track","event":"?"}').map((byte) => (byte === 0x3f ? 0xff : byte));
  expect(() => readEvent(bytes)).toThrow('body: expected JSON in UTF-8');
});
