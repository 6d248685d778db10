import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineSplitter, type TextLine } from '../../../src/base/text/lines.js';

const text = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString('latin1');

test('a line has its number, its start and its text', () => {
  const splitter = new LineSplitter({ maxBytes: 100 });
  const lines = [...splitter.push(Buffer.from('ab\r\ncd\n\nef')), ...splitter.end()];
  expect(lines.map(({ bytes, ...line }) => ({ ...line, text: text(bytes) }))).toEqual([
    { number: 1, start: 0, text: 'ab' },
    { number: 2, start: 4, text: 'cd' },
    { number: 3, start: 7, text: '' },
    { number: 4, start: 8, text: 'ef' },
  ]);
});

test('the lines do not depend on how the file is cut into chunks', () => {
  const content = fc.stringMatching(/^[ab\n\r]{0,60}$/);
  fc.assert(
    fc.property(content, fc.array(fc.integer({ min: 1, max: 7 })), (whole, sizes) => {
      const splitter = new LineSplitter({ maxBytes: 1000 });
      const lines: TextLine[] = [];
      let at = 0;
      for (const size of [...sizes, whole.length]) {
        lines.push(...splitter.push(Buffer.from(whole.slice(at, at + size))));
        at += size;
      }
      lines.push(...splitter.end());
      const found = lines.map(({ number, start, bytes }) => [number, start, text(bytes)]);
      // The last match of a text is empty.
      const expected = [...whole.matchAll(/([^\r\n]*)(\r\n|\r|\n|$)/g)].filter(([all]) => all !== '');
      expect(found).toEqual(expected.map(({ index, 1: line }, at) => [at + 1, index, line]));
    }),
  );
});

test('a line longer than allowed has no text, and the lines after it are read', () => {
  const splitter = new LineSplitter({ maxBytes: 3 });
  const lines = [...splitter.push(Buffer.from('abcd')), ...splitter.push(Buffer.from('efgh\nxyz\n'))];
  expect(lines.map(({ number, start, bytes }) => [number, start, text(bytes)])).toEqual([
    [1, 0, undefined],
    [2, 9, 'xyz'],
  ]);
});

test('a splitter that starts in the middle of a file continues its numbers and offsets', () => {
  const lines = new LineSplitter({ maxBytes: 10, number: 7, start: 100 }).push(Buffer.from('a\nb\n'));
  expect(lines).toMatchObject([
    { number: 7, start: 100 },
    { number: 8, start: 102 },
  ]);
});
