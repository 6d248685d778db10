import { expect, test } from 'vitest';
import { excerpt, printable, shorten } from '../../../src/base/text/printable.js';

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

test('shorten cuts a long text and marks the cut', () => {
  expect(shorten('abcdef', 6)).toBe('abcdef');
  expect(shorten('abcdefg', 6)).toBe('abcde…');
});

test.each([
  ['a short text is unchanged', 'no such key', 'no such key'],
  ['199 characters are unchanged', 'x'.repeat(199), 'x'.repeat(199)],
  ['a longer text is cut to 200 characters, with the mark', 'x'.repeat(201), `${'x'.repeat(199)}…`],
  ['control characters are escaped', '\u001b[31mred\r\n\u0000', '\\u{1b}[31mred\\r\\n\\u{0}'],
  ['a surrogate pair is not cut in two', `${'x'.repeat(198)}🎉`, `${'x'.repeat(198)}…`],
  ['an escape is not cut in two', `${'x'.repeat(197)}\u001b`, `${'x'.repeat(197)}…`],
  ['half of a surrogate pair is escaped', 'a\ud83cb', 'a\\u{d83c}b'],
  ['characters that change the direction of text are escaped', 'a\u202eb\u2028c', 'a\\u{202e}b\\u{2028}c'],
])('excerpt: %s', (_, text, shown) => {
  expect(excerpt(text)).toBe(shown);
});

test('an excerpt of control characters also has at most 200 characters', () => {
  expect(excerpt('\u0001'.repeat(10_000)).length).toBeLessThanOrEqual(200);
});
