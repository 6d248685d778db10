import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../../src/base/process/make-folder.js';
import {
  bytesIn,
  flushFolders,
  isGone,
  listed,
  makePlainFolder,
  renamed,
  withPlain,
  writeAll,
  writeFile,
} from '../../../src/client/journal/file-system.js';
import { PROBLEMS, systemCodeOf } from '../../../src/client/journal/system-errors.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk, refusal } from './faulty-disk.js';

test('a folder that does not exist has no names, and a file that does not exist has no bytes', () => {
  const folder = temporaryFolder();
  fs.writeFileSync(join(folder, 'b'), '1');
  fs.writeFileSync(join(folder, 'a'), '2');
  expect(listed(fs, folder, 'files')).toEqual(['a', 'b']);
  expect(listed(fs, join(folder, 'none'), 'files')).toEqual([]);
  expect(bytesIn(fs, join(folder, 'none'))).toHaveLength(0);
});

test('only plain files or only folders are listed, and no links to them', () => {
  const folder = temporaryFolder();
  fs.writeFileSync(join(folder, 'file'), '');
  fs.mkdirSync(join(folder, 'folder'));
  for (const to of ['file', 'folder', 'none']) fs.symlinkSync(join(folder, to), join(folder, `link to ${to}`));
  expect([listed(fs, folder, 'files'), listed(fs, folder, 'folders')]).toEqual([['file'], ['folder']]);
});

const FLAGS = { read: fs.constants.O_RDONLY, make: fs.constants.O_RDWR | fs.constants.O_CREAT };

test.each(
  ['folder', 'link to a file', 'link to a folder', 'link to nothing', 'pipe'].flatMap((kind) =>
    Object.entries(FLAGS).map(([what, flags]) => [kind, what, flags] as const),
  ),
)('a %s is not opened as a file, whether to %s one', (kind, _, flags) => {
  const folder = temporaryFolder();
  const path = join(folder, kind);
  fs.writeFileSync(join(folder, 'a file'), 'theirs');
  fs.mkdirSync(join(folder, 'a folder'));
  if (kind === 'folder') fs.mkdirSync(path);
  else if (kind === 'pipe') execFileSync('mkfifo', [path]);
  else fs.symlinkSync(join(folder, kind.replace('link to ', '')), path);
  const before = fs.readdirSync(folder);
  expect(() => withPlain(fs, path, flags, () => 'opened')).toThrow(PROBLEMS.stranger(path));
  expect([fs.readdirSync(folder), fs.readFileSync(join(folder, 'a file'), 'latin1')]).toEqual([before, 'theirs']);
});

test('a folder below a journal is neither made nor listed through a link', () => {
  const folder = temporaryFolder();
  fs.symlinkSync(temporaryFolder(), join(folder, 'full'));
  fs.symlinkSync(join(folder, 'nothing'), join(folder, 'dangling'));
  for (const path of ['full', 'dangling'].map((name) => join(folder, name))) {
    expect(() => makePlainFolder(fs, path)).toThrow(PROBLEMS.stranger(path));
    expect(() => listed(fs, path, 'files')).toThrow(PROBLEMS.stranger(path));
  }
  expect(fs.readdirSync(folder)).toEqual(['dangling', 'full']);
});

test('a folder or file that cannot be read throws an error instead of looking empty', () => {
  const disk = faultyDisk(() => refusal('EMFILE'));
  expect(() => listed(disk, temporaryFolder(), 'files')).toThrow('EMFILE');
  expect(() => bytesIn(disk, 'file')).toThrow('EMFILE');
  expect([systemCodeOf(refusal('EIO')), systemCodeOf(new Error('none')), systemCodeOf('text')]).toEqual([
    'EIO',
    '',
    '',
  ]);
});

test('a write that the system accepts only in parts is written completely', () => {
  const path = join(temporaryFolder(), 'file');
  const handle = fs.openSync(path, 'w');
  const disk = {
    ...fs,
    writeSync: ((to: number, bytes: Buffer, from: number, _: number, at: number) =>
      fs.writeSync(to, bytes, from, 1, at)) as typeof fs.writeSync,
  };
  writeAll(disk, handle, Buffer.from('abcdef'), 4, 1);
  fs.closeSync(handle);
  expect(fs.readFileSync(path, 'latin1')).toBe('\0abcd');
});

test('a path counts as gone only if it certainly does not exist', () => {
  const folder = temporaryFolder();
  expect([isGone(fs, folder), isGone(fs, join(folder, 'none'))]).toEqual([false, true]);
  expect(
    isGone(
      faultyDisk(() => refusal('EIO')),
      join(folder, 'none'),
    ),
  ).toBe(false);
});

test('writeFile can overwrite the start of a file, and makes the file if there is none', () => {
  const path = join(temporaryFolder(), 'file');
  for (const text of ['longer', 'new']) writeFile(fs, path, Buffer.from(text), true);
  expect(fs.readFileSync(path, 'latin1')).toBe('newger');
});

test('only the first of two attempts to rename the same folder succeeds', () => {
  const folder = temporaryFolder();
  makeFolder(fs, join(folder, 'a'));
  expect([1, 2].map(() => renamed(fs, join(folder, 'a'), join(folder, 'b')))).toEqual([true, false]);
});

test('folders are flushed from a folder up to a given parent, and not above it', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'a', 'b');
  makeFolder(fs, path);
  const flushed: unknown[] = [];
  const disk = faultyDisk((name, [at]) => {
    if (name === 'open') flushed.push(at);
    return undefined;
  });
  await flushFolders(disk, path, join(folder, 'a'));
  expect(flushed).toEqual([path, join(folder, 'a')]);
});
