import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { isGzip, otherKind, textIn } from '../../../src/base/text/file-text.js';

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

test.each<[string, Uint8Array, string]>([
  ['UTF-16 LE', utf16('\ufeff{}'), 'text in UTF-16, and not JSON in UTF-8; convert it: iconv -f UTF-16 -t UTF-8 FILE'],
  ['UTF-16 BE', utf16('{"a":1}').swap16(), 'text in UTF-16, and not JSON in UTF-8; convert it: iconv -f UTF-16BE'],
  ['gzip', gzipSync('{}'), 'compressed with gzip, and not JSON in UTF-8; unpack it: gzip -dc FILE'],
  ['a zip archive', Buffer.from('PK\x03\x04\x14\0', 'latin1'), 'a zip archive, and not JSON in UTF-8; unpack it'],
  ['HTML', Buffer.from('<!doctype html>'), 'an HTML page, and not JSON in UTF-8; download the data behind it'],
  ['zeros', Buffer.alloc(9_000), 'binary data, and not JSON in UTF-8'],
  ['Latin-1', Buffer.from('{"a":"é"}', 'latin1'), 'not UTF-8 text'],
])('a file of %s is not read as text, and the problem says why', (_, bytes, problem) => {
  expect(textIn(bytes, 'JSON')).toEqual({ problem: expect.stringMatching(new RegExp(`^${problem}`)) });
});

test.each(['', '{}', 'ä', '{"a":"\u0000"}', 'PK: 1\n', `"${'a'.repeat(9_000)}"`])(
  'a file of UTF-8 such as %j is read as text, with and without a byte order mark',
  (text) => {
    expect(textIn(Buffer.from(text), 'JSON')).toEqual({ text });
    expect(textIn(Buffer.from(`\ufeff${text}`), 'JSON')).toEqual({ text });
  },
);

test('gzip is recognised by its first two bytes and is not text', () => {
  const head = gzipSync('{}').toString('latin1');
  expect([isGzip(head), isGzip(head.slice(1)), isGzip('{}')]).toEqual([true, false, false]);
  expect(otherKind(head, 'CSV')).toBe('compressed with gzip, and not CSV in UTF-8; unpack it: gzip -dc FILE');
});
