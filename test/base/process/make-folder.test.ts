import fs, { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../../src/base/process/make-folder.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

test('makeFolder makes a folder and its parents, and throws if a file is in its place', () => {
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
  "makeFolder throws if a file system reports ENOENT for the new folder, where Node's own mkdir never returns",
  () => {
    expect(() => makeFolder(fs, '/proc/none/below')).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  },
);
