import { link, open, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileAt } from '../../../src/cli/options/same-file.js';
import { newFile, newFolder } from '../files.js';

test('a path, the links to it and an open descriptor identify the same file', async () => {
  const [file, other, folder] = [await newFile('a.csv', 'x'), await newFile('b.csv', 'x'), await newFolder()];
  const links = [join(folder, 'soft'), join(folder, 'hard')] as const;
  await symlink(file, links[0]);
  await link(file, links[1]);
  const opened = await open(file);
  const same = [file, ...links, opened.fd].map(fileAt);
  await opened.close();
  expect(new Set(same).size).toBe(1);
  expect(fileAt(other)).not.toBe(same[0]);
});

test('a folder, a device and a path that leads nowhere are not regular files', async () => {
  for (const path of [await newFolder(), '/dev/null', '/nowhere/at/all']) expect(fileAt(path)).toBeUndefined();
});
