import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeUnseen, visible, visibleLines } from '../../../../src/dashboard/page/ui/visible.js';
import { anyText } from '../../../support/any-text.js';

test.each([
  ['plain', 'plain'],
  ['\u202Egnp.exe', '[U+202E]gnp.exe'],
  ['a\u0000b\u001b', 'a[U+0000]b[U+001B]'],
  ['zero\u200Bwidth', 'zero[U+200B]width'],
  ['👩‍💻 نمی‌خواهم', '👩‍💻 نمی‌خواهم'],
])('the text %j is shown as %s', (text, shown) => {
  expect(visible(text)).toBe(shown);
});

test('a text of several lines keeps its line ends and tabs', () => {
  expect(visibleLines('a\n\tb\u2066c')).toBe('a\n\tb[U+2066]c');
});

test('JSON with escaped invisible characters parses to the same value', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      expect(JSON.parse(escapeUnseen(JSON.stringify(`${text}\u202E`)))).toBe(`${text}\u202E`);
    }),
  );
});
