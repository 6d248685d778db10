import { expect, test } from 'vitest';
import { type Inspect, inspectString, inspectText, mistakeIn } from '../../src/protocol/common.js';
import { errorOf, NOBODY, sent } from './calling.js';

const TIME =
  'expected a valid Date, an ISO 8601 time with Z or an offset, or milliseconds since 1970, within the years 0000 to 9999';

test.each([
  [{ userId: 42 }, 'userId: expected a non-empty string, got number 42'],
  [{ userId: 0 }, 'userId: expected a non-empty string, got number 0'],
  [{ userId: 'u', anonymousId: false }, 'anonymousId: expected a non-empty string, got boolean false'],
  [{ userId: null }, `userId: ${NOBODY} userId null and anonymousId undefined`],
  [{ userId: null, anonymousId: '' }, `userId: ${NOBODY} userId null and anonymousId string ""`],
  [
    { userId: 'u', messageId: 'x'.repeat(101) },
    'messageId: expected a string of 1 to 100 characters, got a string of 101 characters',
  ],
  [{ userId: 'u', timestamp: Number.NaN }, `timestamp: ${TIME}, got number NaN`],
  [{ userId: 'u', timestamp: new Date('x') }, `timestamp: ${TIME}, got an invalid Date`],
])('a call with the common fields %j is refused', (fields, error) => {
  expect(errorOf('track', { ...fields, event: 'e' })).toBe(`track.${error}`);
});

test('a message id of 100 characters is accepted', () => {
  expect(sent('track', { userId: 'u', event: 'e', messageId: 'x'.repeat(100) }).messageId).toHaveLength(100);
});

test.each([{ userId: 'u' }, { anonymousId: 'a' }])('a single id is enough: %j', (ids) => {
  expect(sent('identify', ids)).toMatchObject(ids);
});

test('an empty string counts as a string, but not as text', () => {
  expect([inspectString(''), inspectText('x')]).toEqual([undefined, undefined]);
  expect([inspectString(7), inspectText(''), inspectText(undefined)]).toMatchObject([
    { expected: 'a string' },
    { expected: 'a non-empty string' },
    { expected: 'a non-empty string' },
  ]);
});

test('the first mistake in the order of the fields is returned, with its path', () => {
  const text: Inspect = (value) => (typeof value === 'string' ? undefined : { path: [], expected: 'text' });
  const inner = (value: unknown) => mistakeIn(value as object, { a: text, b: text });
  expect(mistakeIn({ x: 'x', y: { a: '', b: 7 }, z: 1 }, { x: text, y: inner, z: text })).toEqual({
    path: ['y', 'b'],
    expected: 'text',
  });
  expect(mistakeIn({ x: 'x' }, { x: text })).toBeUndefined();
});
