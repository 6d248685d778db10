import { expect, test } from 'vitest';
import { printable, shorten } from '../../src/cli/printable.js';
import { readableTerminal } from './terminal.js';

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

test('there are colours on a terminal and none elsewhere', () => {
  expect(readableTerminal({ isTTY: true }).terminal.style('red', 'no')).toBe('\u001b[31mno\u001b[39m');
  expect(readableTerminal().terminal.style('red', 'no')).toBe('no');
});
