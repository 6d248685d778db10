import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { symlinkChain } from '../../../src/service/config/symlink-chain.js';
import { newFolder } from '../../cli/files.js';

const folder = async (): Promise<string> => realpath(await newFolder());

test('the chain of a plain file is the file itself, whether or not it exists', async () => {
  const root = await folder();
  expect(await symlinkChain(join(root, 'none'))).toEqual([{ folder: root, name: 'none' }]);
});

test('the chain of a file contains each link on the way, as Kubernetes mounts them', async () => {
  const root = await folder();
  await mkdir(join(root, '..2026'));
  await writeFile(join(root, '..2026', 'config'), '');
  await symlink('..2026', join(root, '..data'));
  await symlink('..data/config', join(root, 'config'));
  expect(await symlinkChain(join(root, 'config'))).toEqual([
    { folder: root, name: 'config' },
    { folder: root, name: '..data' },
    { folder: join(root, '..2026'), name: 'config' },
  ]);
});

test('the chain follows absolute targets and ..', async () => {
  const root = await folder();
  await mkdir(join(root, 'sub'));
  await symlink(join(root, 'target'), join(root, 'absolute'));
  await symlink('../target', join(root, 'sub', 'relative'));
  const target = { folder: root, name: 'target' };
  expect((await symlinkChain(join(root, 'absolute'))).at(-1)).toEqual(target);
  expect((await symlinkChain(join(root, 'sub', 'relative'))).at(-1)).toEqual(target);
});

test('following a cycle of links ends', async () => {
  const root = await folder();
  await symlink('b', join(root, 'a'));
  await symlink('a', join(root, 'b'));
  expect((await symlinkChain(join(root, 'a'))).length).toBeLessThan(50);
});
