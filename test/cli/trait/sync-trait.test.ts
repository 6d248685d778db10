import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type SyncTraitOptions, valueFormats } from '../../../src/cli/trait/sync-trait.js';
import type { TraitValue } from '../../../src/service/api/requests.js';
import { newFile } from '../files.js';
import { itemsOf } from '../list-items.js';

async function valuesIn(name: string, content: string | Uint8Array, options: SyncTraitOptions): Promise<TraitValue[]> {
  const file = await newFile(name, content);
  const found: TraitValue[] = [];
  for await (const value of itemsOf(file, options, valueFormats(options))) found.push(value);
  return found;
}

test.each<[string, string, SyncTraitOptions]>([
  ['ltv.ndjson', '{"userId":"ann","value":1.5}\n\n{"userId":"bob","value":null}\n', {}],
  ['ltv.csv', 'value,userId\n1.5,ann\n,bob\n', { value: 'value:number' }],
  ['ltv.csv', 'who;ltv\nann;1.50\nbob;\n', { column: 'who', value: 'ltv:number', delimiter: ';' }],
  ['ltv.tsv', 'who\tltv\nann\t1.5\nbob\t\n', { column: 'who', value: 'ltv:json' }],
  ['ltv.export', 'who,ltv\nann,1.5\nbob,\n', { column: 'who', value: 'ltv:number' }],
])('the values of %s with %j and %j are read, gzipped or not', async (name, content, options) => {
  const expected = [
    { userId: 'ann', value: 1.5 },
    { userId: 'bob', value: null },
  ];
  expect(await valuesIn(name, content, options)).toEqual(expected);
  expect(await valuesIn(`${name}.gz`, gzipSync(content), options)).toEqual(expected);
});

test('a cell without a conversion is text', async () => {
  expect(await valuesIn('plan.csv', 'userId,value\nann,007\n', {})).toEqual([{ userId: 'ann', value: '007' }]);
});

test.each<[string, string, SyncTraitOptions, string]>([
  ['ltv.ndjson', '{"userId":"ann"}\n', {}, 'line 1: value: expected a JSON value, got none'],
  ['ltv.csv', 'userId,ltv\nann,1\n', {}, 'there is no column "value"; give --value NAME, one of userId, ltv'],
  ['ltv.csv', 'userId,ltv\nann,1\n', { value: 'ltv:date' }, 'there is no column "ltv:date"; give --value NAME, one of'],
  ['ltv.csv', 'userId,ltv\nann,1\n', { value: 'x:date' }, 'there is no column "x:date"; give --value NAME, one of'],
  ['ltv.csv', 'who,value\nann,1\n', {}, 'there is no column "userId"; give --column NAME, one of who, value'],
  [
    'ltv.csv',
    'userId,value\nann,1\nbob,x\n',
    { value: 'value:number' },
    'line 3: column value: expected a number, got string "x"',
  ],
  ['ltv.csv', 'userId,value\n,1\n', {}, 'line 2: userId: expected a non-empty string, got string ""'],
])('values in %s with %.20j and %j are refused: %s', async (name, content, options, message) => {
  await expect(valuesIn(name, content, options)).rejects.toThrow(message);
});
