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

test('rows have the right line after every kind of line end, and blank lines are skipped', async () => {
  const rows = await all(ndjsonRows(chunksOf('{"n":1}\r', '\n{"n":2}\r\r', '{"n":3}\n \n{"n":4}')));
  expect(rows.map((row) => [row.line, row.text, row.read()])).toEqual([
    [1, '{"n":1}', { n: 1 }],
    [2, '{"n":2}', { n: 2 }],
    [4, '{"n":3}', { n: 3 }],
    [6, '{"n":4}', { n: 4 }],
  ]);
});

test('a row that has no value throws the reason when it is read, and the next rows are read', async () => {
  const read = (text: string): string => {
    if (text === 'bad') throw new RowError('is bad');
    return text;
  };
  const [good, bad, long] = await all(lineRows(chunksOf('a\nbad\nlong line'), 5, read));
  expect(good?.read()).toBe('a');
  expect(() => bad?.read()).toThrow(new RowError('is bad'));
  expect(() => long?.read()).toThrow(new RowError('longer than 5 bytes'));
});
