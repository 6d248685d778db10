import { expect, test } from 'vitest';
import { printable, shorten } from '../src/printable.js';

test.each([
  ['Order Completed', 'Order Completed'],
  ['grüße, 注文 🎉', 'grüße, 注文 🎉'],
  ['a\nb\tc', 'a\\nb\\tc'],
  ['\u001b[31mred', '\\u{1b}[31mred'],
  ['abc\u202edef', 'abc\\u{202e}def'],
  ['\u0007\u009b', '\\u{7}\\u{9b}'],
])('%j is shown as %j', (text, shown) => {
  expect(printable(text)).toBe(shown);
});

test('a long text is cut, and shows that it was', () => {
  expect(shorten('abcdef', 6)).toBe('abcdef');
  expect(shorten('abcdefg', 6)).toBe('abcde…');
});
