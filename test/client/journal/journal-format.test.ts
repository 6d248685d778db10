import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkFormat, noteFormat } from '../../../src/client/journal/journal-format.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk, refusal } from './faulty-disk.js';

test('a journal says its format, which is checked', () => {
  const journal = temporaryFolder();
  noteFormat(fs, journal);
  expect(() => checkFormat(fs, journal)).not.toThrow();
  fs.writeFileSync(join(journal, 'format'), '2\n');
  noteFormat(fs, journal);
  expect(() => checkFormat(fs, journal)).toThrow('was written by a newer version of eventferry (its format is 2)');
});

test('a journal that says no format, or none that can be read, is of this one', () => {
  const journal = temporaryFolder();
  expect(() => checkFormat(fs, journal)).not.toThrow();
  fs.writeFileSync(join(journal, 'format'), '\0\0');
  expect(() => checkFormat(fs, journal)).not.toThrow();
});

test('on a full disk the format is noted later, and any other refusal is an error', () => {
  const journal = temporaryFolder();
  const refusing = (code: string) => faultyDisk((name) => (name === 'writeFileSync' ? refusal(code) : undefined));
  expect(() => noteFormat(refusing('ENOSPC'), journal)).not.toThrow();
  expect(() => noteFormat(refusing('EIO'), journal)).toThrow('EIO');
});
