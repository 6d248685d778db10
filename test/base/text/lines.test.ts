import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineSplitter, type TextLine } from '../../../src/base/text/lines.js';

const text = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString('latin1');

test('a line has its number and its text', () => {
  const splitter = new LineSplitter(100);
  const lines = [...splitter.push(Buffer.from('ab\r\ncd\n\nef')), ...splitter.end()];
  expect(lines.map(({ bytes, ...line }) => ({ ...line, text: text(bytes) }))).toEqual([
    { number: 1, text: 'ab' },
    { number: 2, text: 'cd' },
    { number: 3, text: '' },
    { number: 4, text: 'ef' },
  ]);
});

test('the lines do not depend on how the file is cut into chunks', () => {
  const content = fc.stringMatching(/^[ab\n\r]{0,60}$/);
  fc.assert(
    fc.property(content, fc.array(fc.integer({ min: 1, max: 7 })), (whole, sizes) => {
      const splitter = new LineSplitter(1000);
      const lines: TextLine[] = [];
      let at = 0;
      for (const size of [...sizes, whole.length]) {
        lines.push(...splitter.push(Buffer.from(whole.slice(at, at + size))));
        at += size;
      }
      lines.push(...splitter.end());
      const found = lines.map(({ number, bytes }) => [number, text(bytes)]);
      // The last match of a text is empty.
      const expected = [...whole.matchAll(/([^\r\n]*)(\r\n|\r|\n|$)/g)].filter(([all]) => all !== '');
      expect(found).toEqual(expected.map(({ 1: line }, at) => [at + 1, line]));
    }),
  );
});

test('a line longer than allowed has no text, and the lines after it are read', () => {
  const splitter = new LineSplitter(3);
  const lines = [...splitter.push(Buffer.from('abcd')), ...splitter.push(Buffer.from('efgh\nxyz\n'))];
  expect(lines.map(({ number, bytes }) => [number, text(bytes)])).toEqual([
    [1, undefined],
    [2, 'xyz'],
  ]);
});
