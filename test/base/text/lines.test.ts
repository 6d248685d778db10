import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linesIn, type TextLine } from '../../../src/base/text/lines.js';

const text = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString('latin1');

async function linesOf(maxBytes: number, ...chunks: readonly string[]): Promise<TextLine[]> {
  const lines: TextLine[] = [];
  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield Buffer.from(chunk);
  };
  for await (const some of linesIn(bytes(), maxBytes)) lines.push(...some);
  return lines;
}

test('a line has its number and its text', async () => {
  const lines = await linesOf(100, 'ab\r\ncd\n\nef');
  expect(lines.map(({ bytes, ...line }) => ({ ...line, text: text(bytes) }))).toEqual([
    { number: 1, text: 'ab' },
    { number: 2, text: 'cd' },
    { number: 3, text: '' },
    { number: 4, text: 'ef' },
  ]);
});

test('the lines do not depend on how the file is cut into chunks', async () => {
  const content = fc.stringMatching(/^[ab\n\r]{0,60}$/);
  await fc.assert(
    fc.asyncProperty(content, fc.array(fc.integer({ min: 1, max: 7 })), async (whole, sizes) => {
      const chunks: string[] = [];
      let rest = whole;
      for (const size of [...sizes, whole.length]) {
        chunks.push(rest.slice(0, size));
        rest = rest.slice(size);
      }
      const lines = await linesOf(1000, ...chunks);
      const found = lines.map(({ number, bytes }) => [number, text(bytes)]);
      // The last match of a text is empty.
      const expected = [...whole.matchAll(/([^\r\n]*)(\r\n|\r|\n|$)/g)].filter(([all]) => all !== '');
      expect(found).toEqual(expected.map(({ 1: line }, at) => [at + 1, line]));
    }),
  );
});

test('a line longer than allowed has no text, and the lines after it are read', async () => {
  const lines = await linesOf(3, 'abcd', 'efgh\nxyz\n');
  expect(lines.map(({ number, bytes }) => [number, text(bytes)])).toEqual([
    [1, undefined],
    [2, 'xyz'],
  ]);
});
