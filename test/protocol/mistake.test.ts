import { expect, test } from 'vitest';
import { mistakeIn, optional, required } from '../../src/protocol/mistake.js';

const isText = (value: unknown): boolean => typeof value === 'string';

test.each([
  ['right', 'x', undefined],
  ['of another kind', 1, { path: [], expected: 'text' }],
  ['absent', undefined, { path: [], expected: 'text' }],
])('the inspection of a required field that is %s', (_, value, mistake) => {
  expect(required(isText, 'text')(value)).toEqual(mistake);
});

test.each([undefined, null, 'x'])('an optional field may be %j', (value) => {
  expect(optional(isText, 'text')(value)).toBeUndefined();
});

test('the first mistake in the order of the fields is returned, with its path', () => {
  const text = required(isText, 'text');
  const inner = (value: unknown) => mistakeIn(value as object, { a: text, b: text });
  expect(mistakeIn({ x: 'x', y: { a: '', b: 7 }, z: 1 }, { x: text, y: inner, z: text })).toEqual({
    path: ['y', 'b'],
    expected: 'text',
  });
  expect(mistakeIn({ x: 'x' }, { x: text })).toBeUndefined();
});
