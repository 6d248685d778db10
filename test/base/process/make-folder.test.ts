import fs, { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../../src/base/process/make-folder.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

test('a folder is made with those above it, and a file in its place is an error', () => {
  const folder = temporaryFolder();
  makeFolder(fs, join(folder, 'a', 'b'));
  makeFolder(fs, join(folder, 'a', 'b'));
  expect(statSync(join(folder, 'a', 'b')).isDirectory()).toBe(true);
  writeFileSync(join(folder, 'file'), '');
  expect(() => makeFolder(fs, join(folder, 'file'))).toThrow(
    expect.objectContaining({ code: 'EEXIST', message: expect.stringMatching(/file is a file, not a folder$/) }),
  );
  expect(() => makeFolder(fs, join(folder, 'file', 'in it'))).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
});

test.runIf(process.platform === 'linux')(
  'a folder in a file system that refuses its name as not found is an error, where Node would try for ever',
  () => {
    expect(() => makeFolder(fs, '/proc/none/below')).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  },
);
