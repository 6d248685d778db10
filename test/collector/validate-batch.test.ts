import { expect, test, vi } from 'vitest';
import { measureMessage, validateBatch, validateMessage } from '../../src/collector/validate-batch.js';

const taken: [string, Record<string, unknown>][] = [
  ['a track of a user', { type: 'track', event: 'e', userId: 'u' }],
  ['a null userId beside an anonymousId', { type: 'track', event: 'e', userId: null, anonymousId: 'a' }],
  ['a number as an id', { type: 'identify', userId: 42 }],
  ['a number as a name', { type: 'page', userId: 'u', name: 5 }],
  ['what is of another type in a field its type does not have', { type: 'track', event: 'e', userId: 'u', name: {} }],
  [
    'null wherever something is optional',
    {
      type: 'page',
      userId: 'u',
      messageId: null,
      timestamp: null,
      context: null,
      integrations: null,
      properties: null,
      name: null,
    },
  ],
  ['the empty list PHP makes of an empty object', { type: 'identify', userId: 'u', traits: [], context: [] }],
  ['fields nobody knows', { type: 'screen', userId: 'u', channel: 'mobile' }],
  ['a group', { type: 'group', groupId: 'g', userId: 'u' }],
  ['an alias', { type: 'alias', previousId: 'p', userId: 'u' }],
  ['a previousId that no user could have, in an identify', { type: 'identify', userId: 'u', previousId: '\udc00' }],
  ['a timestamp of nanoseconds', { type: 'identify', userId: 'u', timestamp: '2026-11-20T12:00:00.123456789Z' }],
  ['an own key __proto__', JSON.parse('{"type":"identify","userId":"u","__proto__":{"a":1}}')],
];

test.each(taken)('the message is accepted: %s', (_, message) => {
  expect(validateMessage(message)).toBeUndefined();
});

const rejected: [string, Record<string, unknown>, string][] = [
  ['no type', { userId: 'u' }, 'invalid_type'],
  ['a type nobody knows', { type: 'unheard-of', userId: 'u' }, 'invalid_type'],
  ['a type that every object has', { type: 'constructor', userId: 'u' }, 'invalid_type'],
  ['a track without an event', { type: 'track', userId: 'u' }, 'missing_event'],
  ['a track with an empty event', { type: 'track', event: '', userId: 'u' }, 'missing_event'],
  ['nobody it is about', { type: 'track', event: 'e', userId: null, anonymousId: '' }, 'missing_user_id'],
  ['a group without a groupId', { type: 'group', userId: 'u' }, 'missing_group_id'],
  ['an alias without a previousId', { type: 'alias', userId: 'u' }, 'missing_previous_id'],
  ['an alias without a userId', { type: 'alias', previousId: 'p', anonymousId: 'a' }, 'missing_user_id'],
  ['a messageId that is no string', { type: 'identify', userId: 'u', messageId: 1 }, 'invalid_message_id'],
  [
    'a messageId of 101 characters',
    { type: 'identify', userId: 'u', messageId: 'm'.repeat(101) },
    'invalid_message_id',
  ],
  ['a timestamp that is no moment', { type: 'identify', userId: 'u', timestamp: 'soon' }, 'invalid_timestamp'],
  ['properties that are text', { type: 'page', userId: 'u', properties: 'p' }, 'invalid_properties'],
  ['traits that are a list', { type: 'identify', userId: 'u', traits: [1] }, 'invalid_traits'],
  ['context that is a number', { type: 'identify', userId: 'u', context: 1 }, 'invalid_context'],
  ['a userId that is a switch', { type: 'identify', userId: true, anonymousId: 'a' }, 'invalid_user_id'],
  ['an anonymousId that is an object', { type: 'identify', userId: 'u', anonymousId: {} }, 'invalid_anonymous_id'],
  ['a userId of 1,001 bytes', { type: 'identify', userId: 'x'.repeat(1_001) }, 'invalid_user_id'],
  ['a userId of 1,002 bytes in 501 characters', { type: 'identify', userId: 'é'.repeat(501) }, 'invalid_user_id'],
  ['an anonymousId with half a surrogate pair', { type: 'identify', anonymousId: 'a\ud800' }, 'invalid_anonymous_id'],
  ['a previousId of 1,001 bytes', { type: 'alias', userId: 'u', previousId: 'x'.repeat(1_001) }, 'invalid_previous_id'],
  [
    'a previousId with half a surrogate pair',
    { type: 'alias', userId: 'u', previousId: '\udc00' },
    'invalid_previous_id',
  ],
  ['a userId of 1e400', JSON.parse('{"type":"identify","userId":1e400,"anonymousId":"a"}'), 'invalid_number'],
  ['a name that is an object', { type: 'page', userId: 'u', name: {} }, 'invalid_name'],
  ['a category that is a list', { type: 'screen', userId: 'u', category: [] }, 'invalid_category'],
  [
    'a number in its properties that is larger than JavaScript holds',
    JSON.parse('{"type":"identify","userId":"u","traits":{"list":[{"n":-1e400}]}}'),
    'invalid_number',
  ],
  ['integrations that are a switch', { type: 'identify', userId: 'u', integrations: false }, 'invalid_integrations'],
];

test.each(rejected)('a message with %s is rejected', (_, message, code) => {
  expect(validateMessage(message)?.code).toBe(code);
});

test.each([
  ['timestamp', { timestamp: 'soon', originalTimestamp: 0 }],
  ['originalTimestamp', { timestamp: null, originalTimestamp: 'soon' }],
])('an invalid time is refused under the name of its field: %s', (field, times) => {
  const refused = { code: 'invalid_timestamp', message: expect.stringMatching(`^${field}: .* got string "soon"$`) };
  expect(validateMessage({ type: 'identify', userId: 'u', ...times })).toMatchObject(refused);
});

/** A message whose JSON has exactly `bytes` bytes. */
const messageOf = (bytes: number, character = 'x'): Record<string, unknown> => {
  const empty = { type: 'identify', userId: 'u', traits: { text: '' } };
  const left = bytes - Buffer.byteLength(JSON.stringify(empty));
  const each = Buffer.byteLength(character);
  return { ...empty, traits: { text: character.repeat(left / each) + 'x'.repeat(left % each) } };
};

test.each(['x', 'é', '日', '😀'])('a message of %s may have 32,768 bytes and no more', (character) => {
  expect(measureMessage(messageOf(32_768, character))).toBe('fits');
  expect(measureMessage(messageOf(32_769, character))).toEqual({ tooLarge: 32_769 });
});

test('many small values count towards the size like a large one', () => {
  const list = { items: Array.from({ length: 16_000 }, () => 1) };
  expect(measureMessage(list)).toBe('fits');
  expect(measureMessage({ items: Array.from({ length: 17_000 }, () => 1) })).toEqual({ tooLarge: 34_011 });
});

const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

test('a message may have 1,000 levels, including itself, and no more', () => {
  expect(measureMessage({ nested: nested(999) })).toBe('fits');
  expect(measureMessage({ nested: nested(1_000) })).toBe('too deep');
  expect(validateMessage({ type: 'identify', userId: 'u', traits: { nested: nested(10_000) } })?.code).toBe(
    'message_too_deep',
  );
});

test('an id of 1,000 bytes is accepted, including whole surrogate pairs', () => {
  for (const userId of ['x'.repeat(1_000), 'é'.repeat(500), '😀'.repeat(250)])
    expect(validateMessage({ type: 'identify', userId })).toBeUndefined();
});

test('user ids that are numbers beyond 2^53 are refused, so that two users do not become one', () => {
  const ids: number[] = JSON.parse('[9007199254740993, 9007199254740992, 1.5, 9007199254740991]');
  const problems = ids.map((userId) => validateMessage({ type: 'identify', userId }));
  const refused = 'invalid_user_id';
  expect(problems.map((problem) => problem?.code)).toEqual([refused, refused, refused, undefined]);
  expect(problems[0]?.message).toContain('a string, or an integer of at most 9007199254740991');
});

test.each([
  ['track', 'anonymousId'],
  ['group', 'groupId'],
  ['alias', 'previousId'],
])('in a %s, a number beyond 2^53 is refused as %s', (type, field) => {
  const message = { type, event: 'e', groupId: 'g', previousId: 'p', userId: 'u', [field]: 2 ** 53 };
  expect(validateMessage(message)?.message).toMatch(new RegExp(`\\b${field}\\b`));
});

test('a message of a client that sent no sentAt is not written as JSON to be measured', () => {
  const write = vi.spyOn(JSON, 'stringify');
  const sent = { ms: Number.NaN, at: undefined };
  const { messages } = validateBatch([{ type: 'identify', userId: 'u' }], {
    ...{ context: undefined, integrations: undefined, sent, newId: () => 'm1' },
    ...{ receivedMs: 0, receivedAt: '1970-01-01T00:00:00.000Z' },
  });
  expect(write).toHaveBeenCalledTimes(0);
  write.mockRestore();
  expect(messages).toHaveLength(1);
});

test('a message that is refused stays as it was sent', () => {
  const item = { type: 'track', event: 5, userId: 7, properties: [], timestamp: 'soon' };
  const { rejected } = validateBatch([structuredClone(item)], {
    ...{ context: undefined, integrations: undefined, sent: { ms: 0, at: undefined }, newId: () => 'm1' },
    ...{ receivedMs: 0, receivedAt: '1970-01-01T00:00:00.000Z' },
  });
  expect(rejected).toMatchObject([{ code: 'invalid_timestamp', item }]);
});
