import { expect, test } from 'vitest';
import { digestOf } from '../../../src/cli/import/checkpoint.js';
import { rowsAfter, rowsIn } from '../../../src/cli/import/import-source.js';
import { inputOf, open } from '../../../src/cli/import/input.js';
import type { Row } from '../../../src/cli/import/row.js';
import { newFile } from '../files.js';

type Last = Parameters<typeof rowsAfter>[0];

async function rowsOf(name: string, content: string | Uint8Array, last?: Last): Promise<Row[]> {
  const input = await inputOf(await newFile(name, content));
  const all = rowsIn(open(input), input, {});
  const rows: Row[] = [];
  for await (const some of last === undefined ? all : rowsAfter(last, all, name)) rows.push(...some);
  return rows;
}

const THREE = '{"n":1}\n\n{"n":2}\n{"n":3}\n';

test('the rows of NDJSON are its objects with their line numbers, and empty lines are skipped', async () => {
  const rows = await rowsOf('a.ndjson', THREE);
  expect(rows.map((row) => [row.line, row.read()])).toEqual([
    [1, { n: 1 }],
    [3, { n: 2 }],
    [4, { n: 3 }],
  ]);
});

test('a row that is not a JSON object in UTF-8 has a problem, and the next rows are read', async () => {
  const lines = [Buffer.from('{"n":\n[1]\n"'), Buffer.from([0xff]), Buffer.from('"\n{"n":4}\n')];
  const rows = await rowsOf('a.ndjson', Buffer.concat(lines));
  const problems = ['not JSON: ', 'not a JSON object', 'not valid UTF-8'];
  for (const [index, problem] of problems.entries()) expect(() => rows[index]?.read()).toThrow(problem);
  expect(rows[3]?.read()).toEqual({ n: 4 });
});

test('a source continues after the last row of a checkpoint', async () => {
  const last = { line: 3, digest: digestOf('{"n":2}') };
  expect((await rowsOf('a.ndjson', THREE, last)).map((row) => [row.line, row.read()])).toEqual([[4, { n: 3 }]]);
});

test.each([
  ['a line that has changed', { line: 3, digest: digestOf('{"n":7}') }],
  ['a line after the end', { line: 9, digest: digestOf('{"n":9}') }],
])('a source refuses a file if its checkpoint refers to %s', async (_, last) => {
  await expect(rowsOf('a.ndjson', THREE, last)).rejects.toThrow('has changed');
});
