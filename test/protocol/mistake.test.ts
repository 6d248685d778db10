import { expect, test } from 'vitest';
import { type Inspect, mistakeIn } from '../../src/protocol/mistake.js';

test('the first mistake in the order of the fields is returned, with its path', () => {
  const text: Inspect = (value) => (typeof value === 'string' ? undefined : { path: [], expected: 'text' });
  const inner = (value: unknown) => mistakeIn(value as object, { a: text, b: text });
  expect(mistakeIn({ x: 'x', y: { a: '', b: 7 }, z: 1 }, { x: text, y: inner, z: text })).toEqual({
    path: ['y', 'b'],
    expected: 'text',
  });
  expect(mistakeIn({ x: 'x' }, { x: text })).toBeUndefined();
});
