import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type IdOptions, openIds } from '../../../src/cli/audience/id-format.js';
import { inputOf } from '../../../src/cli/import/input.js';
import { newFile } from '../files.js';

async function idsIn(name: string, content: string | Uint8Array, options: IdOptions): Promise<string[]> {
  const file = await newFile(name, content);
  const found: string[] = [];
  for await (const id of openIds(await inputOf(file), options, Readable.from([])).items) found.push(id);
  return found;
}

test.each<[string, string, IdOptions]>([
  ['users.txt', ' ann \r\n\nbob\n', {}],
  ['users', '\ufeffann\nbob', {}],
  ['users.csv', 'name,userId\nAnn,ann\n"Bob\nby",bob\n', {}],
  ['users.csv', 'who\nann\nbob\n', {}],
  ['users.csv', 'id,who\n1,ann\n2,bob\n', { column: 'who' }],
  ['users.csv', 'id;who\n1;ann\n2;bob\n', { column: 'who', delimiter: ';' }],
  ['users.tsv', 'id\twho\n1\tann\n2\tbob\n', { column: 'who' }],
  ['users.export', '"ann"\n"bob"\n', { format: 'ndjson' }],
])('the ids of %s with content %j and options %j are read, compressed or not', async (name, content, options) => {
  expect(await idsIn(name, content, options)).toEqual(['ann', 'bob']);
  expect(await idsIn(`${name}.gz`, gzipSync(content), options)).toEqual(['ann', 'bob']);
});

test.each<[string, string, IdOptions, string]>([
  [
    'users.txt',
    '"ann"\n',
    {},
    'line 1: looks like JSON; give --format ndjson to read it as JSON, --format text to take it as it is',
  ],
  ['users.txt', `ann\n${'x'.repeat(1_001)}`, {}, 'line 2: expected an id of at most 1000 bytes, got one of 1001'],
  ['users.ndjson', '"ann"\n7\n', {}, 'line 2: expected a JSON string, or an object with a userId, got number 7'],
  ['users.csv', 'a,b\n1,2\n', {}, 'there is no column "userId"; give --column NAME, one of a, b'],
  ['users.csv', 'a,b\n1,2\n', { column: 'c' }, 'there is no column "c"; give --column NAME, one of a, b'],
  ['users.csv', 'a,b\n1,"x\ny"\n,2\n', { column: 'a' }, 'line 4: has no id'],
])('the ids of %s with content %.20j and options %j are refused: %s', async (name, content, options, message) => {
  await expect(idsIn(name, content, options)).rejects.toThrow(message);
});
