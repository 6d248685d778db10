import { expect, test } from 'vitest';
import {
  type ListedLine,
  listedLines,
  MAX_LINE_BYTES,
  wrongLine,
} from '../../../src/service/audiences/listed-lines.js';

async function linesIn(kind: 'audience' | 'trait', ...chunks: (string | Uint8Array)[]): Promise<ListedLine[]> {
  const read = async function* () {
    for (const chunk of chunks) yield Buffer.from(chunk as string);
  };
  const lines: ListedLine[] = [];
  for await (const line of listedLines(kind, read())) lines.push(line);
  return lines;
}

test('each line is one JSON value with its number, and empty lines count', async () => {
  expect(await linesIn('trait', '\ufeff{"a":1}\r\n\n  \nnu', 'll\n"x"')).toEqual([
    { number: 1, value: { a: 1 } },
    { number: 4, value: null },
    { number: 5, value: 'x' },
  ]);
});

test.each([
  ['line 2: not valid JSON', '1\n{'],
  ['line 1: not valid UTF-8', Uint8Array.of(0x22, 0xff, 0x22)],
])('a list of either kind is refused with "%s"', async (message, content) => {
  await expect(linesIn('audience', content)).rejects.toMatchObject({
    message,
    code: 'EVENTFERRY_AUDIENCE_INVALID_MEMBER',
  });
  await expect(linesIn('trait', content)).rejects.toMatchObject({ message, code: 'EVENTFERRY_TRAIT_INVALID_VALUE' });
});

test.each(['audience', 'trait'] as const)(
  'the longest line of an %s is taken, and one byte more refused',
  async (kind) => {
    const longest = `"${'x'.repeat(MAX_LINE_BYTES[kind] - 2)}"`;
    expect(await linesIn(kind, longest)).toHaveLength(1);
    await expect(linesIn(kind, `${longest} `)).rejects.toMatchObject({ line: 1 });
  },
);

test('a wrong line names its number in text and as a number', () => {
  expect(wrongLine('trait', 7, 'no value')).toMatchObject({ message: 'line 7: no value', line: 7 });
});
