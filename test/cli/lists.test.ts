import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { ListFormats } from '../../src/cli/audience/list-file.js';
import { idFormats } from '../../src/cli/audience/sync-audience.js';
import { rowsIn } from '../../src/cli/import/import-source.js';
import { inputOf, open } from '../../src/cli/import/input.js';
import { valueFormats } from '../../src/cli/trait/sync-trait.js';
import { newFile } from './files.js';
import { itemsOf } from './list-items.js';

// All commands that read lists accept the same files and apply the same checks.

type Read = (path: string) => Promise<string[]>;

/** Returns the ids in a file of rows. Throws at the first rejected row. */
async function readRows(path: string): Promise<string[]> {
  const ids: string[] = [];
  const input = await inputOf(path);
  for await (const rows of rowsIn(open(input), input, {})) {
    for (const row of rows) {
      try {
        ids.push(row.read()['userId'] as string);
      } catch (error) {
        throw new Error(`line ${row.line}: ${(error as Error).message}`);
      }
    }
  }
  return ids;
}

async function readList<T extends string | { userId: string }>(
  path: string,
  formats: ListFormats<T>,
): Promise<string[]> {
  const ids: string[] = [];
  for await (const item of itemsOf(path, {}, formats)) {
    ids.push(typeof item === 'string' ? item : item.userId);
  }
  return ids;
}

const commands: Record<string, Read> = {
  'import and check': readRows,
  'audience sync': (path) => readList(path, idFormats({})),
  'trait sync': (path) => readList(path, valueFormats(path.includes('.csv') ? { value: 'properties.value:json' } : {})),
};

const row = (id: string, value = '1'): string =>
  `{"userId":"${id}","type":"page","timestamp":"2024-01-01","value":${value}}`;

const HEADER = 'userId,type,timestamp,properties.value';
const cells = (id: string, value = '1'): string => `${id},page,2024-01-01,${value}`;

/** Files that contain u1 and u2. */
const accepted: [string, string, string | Uint8Array][] = [
  ['LF', 'a.ndjson', `${row('u1')}\n${row('u2')}\n`],
  ['CR', 'a.ndjson', `${row('u1')}\r${row('u2')}\r`],
  ['CRLF', 'a.ndjson', `${row('u1')}\r\n${row('u2')}\r\n`],
  ['all line ends', 'a.ndjson', `\r\n\n\r${row('u1')}\r\r\n${row('u2')}`],
  ['a byte order mark', 'a.ndjson', `\ufeff${row('u1')}\n${row('u2')}`],
  ['large numbers that are exact or in quotes', 'a.ndjson', `${row('u1', '1e20')}\n${row('u2', '"9007199254740993"')}`],
  ['gzip', 'a.ndjson.gz', gzipSync(`${row('u1')}\n${row('u2')}\n`)],
  ['LF', 'a.csv', `${HEADER}\n${cells('u1')}\n${cells('u2')}\n`],
  ['CR', 'a.csv', `${HEADER}\r${cells('u1')}\r${cells('u2')}\r`],
  ['CRLF', 'a.csv', `${HEADER}\r\n${cells('u1')}\r\n${cells('u2')}`],
  ['a header with CRLF and rows with LF', 'a.csv', `${HEADER}\r\n${cells('u1')}\n${cells('u2')}\n`],
  ['a header with LF and rows with CRLF', 'a.csv', `${HEADER}\n${cells('u1')}\r\n${cells('u2')}\r\n`],
  ['all line ends and blank lines', 'a.csv', `\n\r\r\n${HEADER}\r\r\n${cells('u1')}\n \n\r\n${cells('u2')}\r`],
  ['a quoted cell that ends in CR', 'a.csv', `${HEADER}\n"u1\r",page,2024-01-01,1\r"u2",page,2024-01-01,1\r\n`],
  ['a byte order mark', 'a.csv', `\ufeff${HEADER}\n${cells('u1')}\n${cells('u2')}\n`],
  ['nameless columns', 'a.csv', `,${HEADER}, \n0,${cells('u1')},\n1,${cells('u2')},x\n`],
  ['rows of commas alone', 'a.csv', `,,,\n${HEADER}\n,,,\n${cells('u1')}\n,,,,,\n ,"",,\n${cells('u2')}\n,,,`],
  ['gzip', 'a.csv.gz', gzipSync(`${HEADER}\n${cells('u1')}\n${cells('u2')}\n`)],
];

const latin = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const ndjson = `${row('u1')}\n${row('u2')}\n`;
const csv = `${HEADER}\n${cells('u1')}\n${cells('u2')}\n`;

/** Files that every command refuses, with the reason. */
const refused: [string, string, string | Uint8Array, string | RegExp][] = [
  ['bytes that are not UTF-8', 'a.ndjson', latin(`${row('u1')}\n${row('Zoë')}`), 'line 2: not valid UTF-8'],
  ['bytes that are not UTF-8', 'a.csv', latin(`${HEADER}\n${cells('u1')}\n${cells('Zoë')}`), 'line 3: not valid UTF-8'],
  ['a header that is not UTF-8', 'a.csv', latin(`userId,type,é\nu1,page,1\n`), 'the header is not valid UTF-8'],
  ['UTF-16 LE', 'a.ndjson', utf16(`\ufeff${ndjson}`), 'is text in UTF-16, and not NDJSON in UTF-8; convert it: iconv'],
  ['UTF-16 BE', 'a.ndjson', utf16(ndjson).swap16(), 'iconv -f UTF-16BE'],
  ['UTF-16 LE', 'a.csv', utf16(csv), 'is text in UTF-16, and not CSV in UTF-8; convert it: iconv -f UTF-16LE'],
  ['UTF-16 BE', 'a.csv', utf16(`\ufeff${csv}`).swap16(), 'is text in UTF-16'],
  ['a zip archive', 'a.csv', latin('PK\x03\x04\x14\0\x08\0a.csv'), 'is a zip archive, and not CSV'],
  [
    'Excel',
    'a.csv',
    latin('PK\x03\x04\x14\0\x08\0[Content_Types].xml'),
    'is a spreadsheet, and not CSV in UTF-8; save it as',
  ],
  ['HTML', 'a.ndjson', '<!DOCTYPE html><html>\n', 'is an HTML page, and not NDJSON'],
  ['HTML in gzip', 'a.csv.gz', gzipSync('<html>\n'), 'is an HTML page, and not CSV'],
  ['gzip that is cut off', 'a.ndjson', gzipSync(ndjson).subarray(0, -9), 'is not valid gzip: '],
  ['a JSON array', 'a.ndjson', `[${row('u1')}]`, 'expected one JSON object per line'],
  ['half a line of JSON', 'a.ndjson', `${row('u1')}\n${row('u2').slice(0, -9)}`, 'line 2: not '],
  ['an open quote', 'a.csv', `${csv}"u3,page`, 'not valid CSV: Quote Not Closed'],
  ['a row with too few cells', 'a.csv', `${csv}u3,page`, 'line 4: has 2 values where the header has 4'],
  ['a row with too many cells', 'a.csv', `${csv}${cells('u3')},5\n`, 'line 4: has 5 values where the header has 4'],
  ['another delimiter', 'a.csv', csv.replaceAll(',', ';'), "give --delimiter ';'"],
  [
    'a column twice',
    'a.csv',
    `${HEADER}, userId\n${cells('u1')},u2\n`,
    /two columns are named "userId"|userId and userId are both filled/,
  ],
  [
    'a bad row behind a CRLF in quotes',
    'a.csv',
    `${HEADER}\n${cells('u1', '"\r\n1"')}\n\n${cells('u2')},\n`,
    'line 5: has 5',
  ],
  [
    'a rounded integer',
    'a.ndjson',
    `${row('u1', '9007199254740993')}\n`,
    'line 1: the number 9007199254740993 would become',
  ],
  ['a negative rounded integer', 'a.ndjson', `${row('u1', '{"a":[-9007199254740993]}')}\n`, 'number -9007199254740993'],
  ['a rounded fraction', 'a.ndjson', `${row('u1', '4503599627370497.5')}\n`, 'number 4503599627370497.5 would become'],
  ['1e400', 'a.ndjson', `${row('u1', '1e400')}\n`, 'number 1e400 would become Infinity'],
  [
    'a key twice',
    'a.ndjson',
    `${row('u1', '{"a":1,"a":2}')}\n`,
    'line 1: the key "a" is there twice; leave one of them out',
  ],
];

describe.each(Object.entries(commands))('%s', (_, read) => {
  test.each(accepted)('a file with %s is read: %s', async (_name, file, content) => {
    expect(await read(await newFile(file, content))).toEqual(['u1', 'u2']);
  });

  test.each(refused)('a file with %s is refused: %s', async (_name, file, content, reason) => {
    await expect(read(await newFile(file, content))).rejects.toThrow(reason);
  });
});

test('a cell that is read as a number or as JSON keeps its value', async () => {
  const ltv = async (cell: string, type: string): Promise<unknown[]> => {
    const file = await newFile('a.csv', `userId,ltv\nu1,${cell}\n`);
    const values: unknown[] = [];
    for await (const { value } of itemsOf(file, {}, valueFormats({ value: `ltv:${type}` }))) values.push(value);
    return values;
  };
  for (const type of ['number', 'json']) {
    expect(await ltv('1e20', type)).toEqual([1e20]);
    expect(await ltv('0.1', type)).toEqual([0.1]);
    expect(await ltv('3.14159265358979312', type)).toEqual([Math.PI]);
    for (const cell of ['9007199254740993', '4503599627370497.5', '-9007199254740993', '9007199254740993.0']) {
      await expect(ltv(cell, type)).rejects.toThrow(`line 2: column ltv: the number ${cell} would become`);
    }
  }
  await expect(ltv('1e400', 'number')).rejects.toThrow('expected a number, got string "1e400"');
  await expect(ltv('1e400', 'json')).rejects.toThrow('the number 1e400 would become Infinity');
  await expect(ltv('"{""a"":1,""a"":2}"', 'json')).rejects.toThrow('column ltv: the key "a" is there twice');
});
