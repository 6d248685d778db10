import { expect, test } from 'vitest';
import { KeyNumbers } from '../../../src/store/redis/key-numbers.js';

test('each key of a script has one number, counted from one as Lua does, after those that the script knows by heart', () => {
  const numbers = new KeyNumbers(['messages', 'holders']);
  expect(['holders', 'events', 'urls', 'events'].map((key) => numbers.of(key))).toEqual([2, 3, 4, 3]);
  expect(numbers.all).toEqual(['messages', 'holders', 'events', 'urls']);
});

test('no key of a script has the number 0, and is not sent', () => {
  const numbers = new KeyNumbers();
  expect(numbers.of(undefined)).toBe(0);
  expect(numbers.all).toEqual([]);
});
