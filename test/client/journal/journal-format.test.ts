import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkFormat, formatLine, noteFormat } from '../../../src/client/journal/journal-format.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk, refusal } from './faulty-disk.js';

test('the format is noted in a journal, and a newer one is refused', () => {
  const journal = temporaryFolder();
  noteFormat(fs, journal);
  expect(() => checkFormat(fs, journal)).not.toThrow();
  fs.writeFileSync(join(journal, 'format'), formatLine(2));
  noteFormat(fs, journal);
  expect(() => checkFormat(fs, journal)).toThrow('was written by a newer version of eventferry (its format is 2)');
});

test.each([
  ['is missing', undefined],
  ['is empty, as a kill leaves it', ''],
  ['is zeros', '\0\0'],
  ['has another number than its checksum', formatLine(1).replace('1', '3')],
  ['has another checksum than its number', formatLine(2).replace(' ', ' 0')],
  ['is cut off', formatLine(2).slice(0, -1)],
])('a journal whose format note %s counts as of this format, and the note is written again', (_, text) => {
  const journal = temporaryFolder();
  const path = join(journal, 'format');
  if (text !== undefined) fs.writeFileSync(path, text);
  expect(() => checkFormat(fs, journal)).not.toThrow();
  noteFormat(fs, journal);
  expect(fs.readFileSync(path, 'utf8')).toBe(formatLine(1));
});

test('a full disk only delays the note of the format, and any other failure is an error', () => {
  const journal = temporaryFolder();
  const refusing = (code: string) => faultyDisk((name) => (name === 'writeSync' ? refusal(code) : undefined));
  expect(() => noteFormat(refusing('ENOSPC'), journal)).not.toThrow();
  expect(() => noteFormat(refusing('EIO'), journal)).toThrow('EIO');
});
