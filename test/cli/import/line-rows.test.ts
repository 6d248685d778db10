import { expect, test } from 'vitest';
import { lineRows, ndjsonRows } from '../../../src/cli/import/line-rows.js';
import { type Row, RowError } from '../../../src/cli/import/row.js';

async function* chunksOf(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
}

async function all<T>(rows: AsyncIterable<readonly Row<T>[]>): Promise<Row<T>[]> {
  const found: Row<T>[] = [];
  for await (const some of rows) found.push(...some);
  return found;
}

test('rows have the right line and byte after every kind of line end, and blank lines are skipped', async () => {
  const rows = await all(ndjsonRows(chunksOf('{"n":1}\r', '\n{"n":2}\r\r', '{"n":3}\n \n{"n":4}'), {}));
  expect(rows.map(({ line, start, text, value }) => [line, start, text, value])).toEqual([
    [1, 0, '{"n":1}', { n: 1 }],
    [2, 9, '{"n":2}', { n: 2 }],
    [4, 18, '{"n":3}', { n: 3 }],
    [6, 28, '{"n":4}', { n: 4 }],
  ]);
});

test('only the last line of a file that is cut off within JSON is reported as cut off', async () => {
  const problems = (await all(ndjsonRows(chunksOf('{"n"\n', '{"n":1}\n{"n'), {}))).map(({ problem }) => problem);
  expect(problems).toEqual([
    expect.stringMatching(/^not JSON: (?!.*the file ends)/),
    undefined,
    expect.stringMatching(/^not JSON: .*; the file ends within this line$/),
  ]);
  expect((await all(ndjsonRows(chunksOf('[1]'), {})))[0]?.problem).toBe('not a JSON object');
});

test('an error about a row gives the row a problem, and any other error ends the reading', async () => {
  const read = (text: string): string => {
    if (text === 'bad') throw new RowError('is bad');
    if (text === 'broken') throw new TypeError('broken');
    return text;
  };
  const rows = await all(lineRows(chunksOf('a\nbad\nlong line'), { maxBytes: 5, read }));
  expect(rows.map(({ value, problem }) => value ?? problem)).toEqual(['a', 'is bad', 'longer than 5 bytes']);
  await expect(all(lineRows(chunksOf('broken\n'), { maxBytes: 9, read }))).rejects.toThrow(TypeError);
});
