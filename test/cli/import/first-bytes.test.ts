import { expect, test } from 'vitest';
import { refuseOthers } from '../../../src/cli/import/first-bytes.js';

const read = (format: string, content: string | Uint8Array): void =>
  refuseOthers(Buffer.from(content).toString('latin1'), { name: 'a', format });

const NDJSON = /^a does not begin as NDJSON does: expected one JSON object per line, .* give --format csv to read CSV$/;

test.each(['[', '\ufeff\n [{"type":"track"}]', `[${' '.repeat(10_000)}`])(
  'a file that is a JSON array is refused with one error',
  (text) => {
    expect(() => read('ndjson', text)).toThrow(NDJSON);
  },
);

test.each(['{\n  "type": "track"\n}\n', '\ufeff{\r\n"a":1}', '{\r"a":1}', '\n{ \n'])(
  'a file of JSON over several lines, %j, is refused with one error',
  (text) => {
    expect(() => read('ndjson', text)).toThrow(NDJSON);
  },
);

test('a file of NDJSON that is read as CSV is refused with one error', () => {
  expect(() => read('csv', '\ufeff{"a":1}\n{"a":2}\n')).toThrow(
    'a does not begin as CSV does: expected a line with the names of columns; give --format ndjson to read JSON',
  );
});

test.each(['type,userId,event\n', '"type";"user id"\r\n', 'type\tuserId', 'a|b\n', 'a,b\r{'])(
  'a file with the CSV header %j is refused as NDJSON with one error',
  (text) => {
    expect(() => read('ndjson', text)).toThrow(NDJSON);
  },
);

test.each(['', '{"a":1,"b":2}\n', 'not json\n', '{}\n[1]\n', '"a","b",3\n', '\n\n{}', 'é\n'])(
  'a file such as %j is read as NDJSON',
  (text) => {
    expect(() => read('ndjson', text)).not.toThrow();
  },
);

const others: [string, string | Uint8Array, string][] = [
  ['xlsx', Buffer.from('PK\x03\x04\x14\0\x06\0....[Content_Types].xml', 'latin1'), 'a spreadsheet'],
  [
    'ods',
    Buffer.from('PK\x03\x04\x14\0\0mimetypeapplication/vnd.oasis.opendocument.spreadsheet', 'latin1'),
    'spreadsheet',
  ],
  ['zip', Buffer.from('PK\x03\x04\x14\0\x08\0users.csv', 'latin1'), 'a zip archive'],
  ['empty zip', Buffer.from('504b0506000000', 'hex'), 'binary data'],
  ['xls', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'an Excel file'],
  ['bzip2', 'BZh91AY&SY', 'compressed, or an archive'],
  ['zstd', Buffer.from('28b52ffd04', 'hex'), 'compressed, or an archive'],
  ['xz', Buffer.from('fd377a585a00', 'hex'), 'compressed, or an archive'],
  ['7z', Buffer.from('377abcaf271c', 'hex'), 'compressed, or an archive'],
  ['tar', `${'a'.repeat(257)}ustar`, 'compressed, or an archive'],
  ['parquet', Buffer.from('PAR1\x15\x04', 'latin1'), 'columnar'],
  ['pdf', '%PDF-1.7\n', 'a PDF document'],
  ['html', '\n<!DOCTYPE html>\n<html>', 'an HTML page'],
  ['html', '<html lang="en"><body>', 'an HTML page'],
  ['xml', '\ufeff<?xml version="1.0"?>', 'XML'],
  ['UTF-16 LE with a mark', Buffer.from('\ufeffä', 'utf16le'), 'text in UTF-16'],
  ['UTF-16 BE with a mark', Buffer.from('\ufeffä', 'utf16le').swap16(), 'text in UTF-16'],
  ['UTF-16 LE', Buffer.from('{"a":1}\n', 'utf16le'), 'iconv -f UTF-16LE -t UTF-8'],
  ['UTF-16 BE', Buffer.from('{"a":1}\n', 'utf16le').swap16(), 'iconv -f UTF-16BE -t UTF-8'],
  ['UTF-16 LE of Cyrillic', Buffer.from('{"имя":"Ольга"}\n', 'utf16le'), 'iconv -f UTF-16LE -t UTF-8'],
  ['zeros', Buffer.alloc(100), 'binary data'],
];

test.each(others)('a file of %s is refused with one sentence', (_, content, what) => {
  for (const format of ['ndjson', 'csv', 'text'] as const) {
    const refusal = expect.objectContaining({ exitCode: 3, message: expect.stringContaining(what) });
    expect(() => read(format, content)).toThrow(refusal);
  }
});

test.each(['PK,xl/name\n1,2\n', 'Obj,b\n', '<a>,b\n', 'a,b\nx\0,y\n', '7z,b\n', 'ORC\nu2\n', 'PAR1\tb\n', 'BZh1x,b\n'])(
  'a CSV file such as %j is read',
  (text) => {
    expect(() => read('csv', text)).not.toThrow();
  },
);
