import * as fs from 'node:fs';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Lifeline } from '../../../src/base/process/lifeline.js';
import { Source } from '../../../src/client/journal/journal-source.js';
import { foldersIn, OwnerFolder, removeFolder } from '../../../src/client/journal/owner-folder.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk, refusal } from './faulty-disk.js';

const readable = async (_folder: string): Promise<boolean> => true;

const owners = (journal: string, ...names: string[]): string => join(journal, 'owners', ...names);

/** An owner that lives until the test ends. */
function live(journal: string): OwnerFolder {
  const owner = OwnerFolder.create(fs, journal, undefined);
  onTestFinished(() => owner.release(true));
  return owner;
}

/** A folder as a client has left it, or another that had taken it over. */
function leave(journal: string, name: string): void {
  mkdirSync(owners(journal, name), { recursive: true });
  writeFileSync(owners(journal, name, 'segment-000001'), '');
}

/** What an owner adopts, by its names before. */
async function adopted(owner: OwnerFolder, mayRead = readable): Promise<string[]> {
  const paths = await owner.adopt(mayRead);
  expect(paths.filter((path) => !existsSync(path) || !path.endsWith(`@${basename(owner.path)}`))).toEqual([]);
  return paths.map((path) => basename(path).split('@')[0] ?? '');
}

test('an owner folder of a journal is for its user alone, and lives from the moment it can be seen', async () => {
  const journal = join(temporaryFolder(), 'a', 'journal');
  const owner = live(journal);
  expect(owner.keep()).toBe(true);
  expect(await foldersIn(fs, journal)).toEqual([{ path: owner.path, owner: owner.path, isAlive: true }]);
  for (const path of [journal, owners(journal), owner.path]) expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(readdirSync(owners(journal))).toEqual([basename(owner.path)]);
});

test('an owner whose folder cannot get its name leaves nothing of it behind', () => {
  const journal = temporaryFolder();
  const disk = faultyDisk((name, [, to]) =>
    name === 'renameSync' && dirname(String(to)) === owners(journal) ? refusal('EIO') : undefined,
  );
  expect(() => OwnerFolder.create(disk, journal, undefined)).toThrow('EIO');
  expect(readdirSync(owners(journal))).toEqual([]);
});

test('an owner folder of a journal that is moved away or removed is not there any more', () => {
  const journal = temporaryFolder();
  const owner = live(journal);
  renameSync(owner.path, `${owner.path}-elsewhere`);
  expect(owner.keep()).toBe(false);
  renameSync(`${owner.path}-elsewhere`, owner.path);
  expect(owner.keep()).toBe(true);
});

test('an owner that is released with messages left leaves a folder that counts as dead', async () => {
  const journal = temporaryFolder();
  const owner = OwnerFolder.create(fs, journal, undefined);
  await owner.release(true);
  expect(await foldersIn(fs, journal)).toEqual([{ path: owner.path, owner: owner.path, isAlive: false }]);
});

test('an owner that is released without messages left removes its folder', async () => {
  const journal = temporaryFolder();
  await OwnerFolder.create(fs, journal, undefined).release(false);
  expect(await foldersIn(fs, journal)).toEqual([]);
});

test('an owner adopts the folders of dead owners, oldest first, and never those of living ones', async () => {
  const journal = temporaryFolder();
  for (const name of ['b', 'a']) leave(journal, name);
  const other = live(journal);
  const owner = live(journal);
  expect(await adopted(owner)).toEqual(['a', 'b']);
  expect(existsSync(other.path)).toBe(true);
  expect(await adopted(owner)).toEqual([]);
});

test('a dead owner goes to exactly one of the owners that look at once', async () => {
  const journal = temporaryFolder();
  for (const name of ['a', 'b', 'c']) leave(journal, name);
  const found = await Promise.all([live(journal), live(journal)].map((owner) => adopted(owner)));
  expect(found.flat().toSorted()).toEqual(['a', 'b', 'c']);
});

test('a folder that may not be read stays as it is, and so does one that its dead owner had taken over', async () => {
  const journal = temporaryFolder();
  for (const name of ['a', 'b@a', 'c@a']) leave(journal, name);
  const owner = live(journal);
  expect(await adopted(owner, async (folder: string) => basename(folder) === 'b@a')).toEqual(['b']);
  expect(readdirSync(owners(journal)).filter((name) => !name.endsWith(basename(owner.path)))).toEqual(['a', 'c@a']);
});

test('folders that a dead owner had taken over are adopted with its own, those first whose messages came first', async () => {
  const journal = temporaryFolder();
  for (const name of ['d', 'a@d', 'c@d', 'e', 'b@gone']) leave(journal, name);
  expect(await adopted(live(journal))).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('a folder that a living owner has taken over belongs to it, and is free as soon as that owner is released', async () => {
  const journal = temporaryFolder();
  leave(journal, 'a');
  const first = OwnerFolder.create(fs, journal, undefined);
  await adopted(first);
  const next = live(journal);
  expect(await adopted(next)).toEqual([]);
  const found = await foldersIn(fs, journal);
  expect(found).toContainEqual({
    path: owners(journal, `a@${basename(first.path)}`),
    owner: first.path,
    isAlive: true,
  });
  await first.release(false);
  expect(await adopted(next)).toEqual(['a']);
});

test('drafts of owners that ended while they made them are removed after an hour, and adopted by no one', async () => {
  const journal = temporaryFolder();
  const owner = live(journal);
  const draft = (madeAt: number): string => `.new-${madeAt.toString(36).padStart(9, '0')}-0`;
  const [old, young] = [draft(Date.now() - 61 * 60_000), draft(Date.now())];
  for (const name of [old, young]) mkdirSync(owners(journal, name));
  expect(await adopted(owner)).toEqual([]);
  expect(readdirSync(owners(journal)).toSorted()).toEqual([young, basename(owner.path)]);
  expect(await foldersIn(fs, journal)).toHaveLength(1);
});

test('the folder of an owner that was killed while it removed it is removed by the next', () => {
  const journal = temporaryFolder();
  mkdirSync(owners(journal, 'a'), { recursive: true });
  removeFolder(fs, owners(journal, 'a'));
  expect(readdirSync(owners(journal))).toEqual([]);
});

/** A disk that refuses the first such call, for want of descriptors. */
function refusesOnce(call: string, isMeant: (path: string) => boolean): typeof fs {
  let isRefused = false;
  return faultyDisk((name, [path]) => {
    if (isRefused || name !== call || !isMeant(String(path))) return undefined;
    isRefused = true;
    return refusal('EMFILE');
  });
}

test('a dead owner that the system refuses to read once is adopted at the next look, the others at once', async () => {
  const journal = temporaryFolder();
  for (const name of ['a', 'b', 'c']) leave(journal, name);
  for (const name of ['a', 'b', 'c']) new Source('key', []).mark(fs, owners(journal, name));
  const disk = refusesOnce('readFileSync', (path) => path === owners(journal, 'b', 'source'));
  const owner = OwnerFolder.create(disk, journal, new Source('key', []));
  onTestFinished(() => owner.release(true));
  expect(await adopted(owner)).toEqual(['a', 'c']);
  expect(await adopted(owner)).toEqual(['b']);
  expect(await adopted(owner)).toEqual([]);
});

test('an owner whose socket cannot be made anew at once goes on trying, and says that it lives only when it has one', async () => {
  const journal = temporaryFolder();
  const owner = OwnerFolder.create(
    refusesOnce('chmodSync', (path) => !path.includes('.new-')),
    journal,
    undefined,
  );
  onTestFinished(() => owner.release(true));
  rmSync(join(owner.path, 'alive'));
  expect(owner.keep()).toBe(false);
  expect(owner.keep()).toBe(true);
  expect(await Lifeline.isAlive(owner.path, 'alive')).toBe(true);
});
