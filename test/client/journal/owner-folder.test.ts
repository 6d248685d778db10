import * as fs from 'node:fs';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Lifeline } from '../../../src/base/process/lifeline.js';
import { foldersIn } from '../../../src/client/journal/client-folders.js';
import { OwnerFolder } from '../../../src/client/journal/owner-folder.js';
import { SOCKET, Source } from '../../../src/client/journal/owner-note.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk, fullDisk, refusal } from './faulty-disk.js';
import { clientName, endedOwner, newOwner, shortened, takeOver, writeBatch } from './left-folder.js';

const owners = (journal: string, name = '', ...names: string[]): string =>
  join(journal, 'owners', name && clientName(name), ...names);

/** Makes a folder as an ended client left it, or as one left it that had taken it over. */
function leave(journal: string, name: string): void {
  mkdirSync(owners(journal, name), { recursive: true });
  writeFileSync(owners(journal, name, '000001.batch'), '');
}

/** Lets an owner take over all that it finds. Returns the names that the folders had before. */
async function adopted(owner: OwnerFolder): Promise<string[]> {
  const paths = await takeOver(owner);
  expect(paths.filter((path) => !existsSync(path) || !path.endsWith(`@${basename(owner.path)}`))).toEqual([]);
  return paths.map((path) => shortened(basename(path)).split('@')[0] ?? '');
}

test('only its user has access to an owner folder, and its owner counts as living as soon as the folder is visible', async () => {
  const journal = join(temporaryFolder(), 'a', 'journal');
  const owner = newOwner(journal);
  expect(owner.keep()).toBe(true);
  expect(await foldersIn(fs, journal)).toEqual([{ path: owner.path, owner: owner.path, state: 'living' }]);
  for (const path of [journal, owners(journal), owner.path]) expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(readdirSync(owners(journal))).toEqual([basename(owner.path)]);
});

test('an owner whose folder cannot get its final name leaves no folder behind', () => {
  const journal = temporaryFolder();
  const disk = faultyDisk((name, [, to]) =>
    name === 'renameSync' && dirname(String(to)) === owners(journal) ? refusal('EIO') : undefined,
  );
  expect(() => new OwnerFolder(disk, journal, undefined).open()).toThrow('EIO');
  expect(readdirSync(owners(journal))).toEqual([]);
});

test('an owner notices when its folder is moved away, and when it is back', () => {
  const journal = temporaryFolder();
  const owner = newOwner(journal);
  renameSync(owner.path, `${owner.path}-elsewhere`);
  expect(owner.keep()).toBe(false);
  renameSync(`${owner.path}-elsewhere`, owner.path);
  expect(owner.keep()).toBe(true);
});

test('the folder of an owner that is released with messages left counts as ended', async () => {
  const journal = temporaryFolder();
  const path = await endedOwner(journal);
  expect(await foldersIn(fs, journal)).toEqual([{ path, owner: path, state: 'ended' }]);
});

test('an owner that is released without messages left removes its folder', async () => {
  const journal = temporaryFolder();
  await newOwner(journal).release();
  expect(await foldersIn(fs, journal)).toEqual([]);
});

test('an owner takes over the folders of ended owners, oldest first, and never those of living ones', async () => {
  const journal = temporaryFolder();
  for (const name of ['b', 'a']) leave(journal, name);
  const other = newOwner(journal);
  const owner = newOwner(journal);
  expect(await adopted(owner)).toEqual(['a', 'b']);
  expect(existsSync(other.path)).toBe(true);
  expect(await adopted(owner)).toEqual([]);
});

test('exactly one of several owners that look at the same time takes over each ended folder', async () => {
  const journal = temporaryFolder();
  for (const name of ['a', 'b', 'c']) leave(journal, name);
  const found = await Promise.all([newOwner(journal), newOwner(journal)].map((owner) => adopted(owner)));
  expect(found.flat().toSorted()).toEqual(['a', 'b', 'c']);
});

test('an owner renames only the folder that it takes, and the other folders of ended owners stay as they are', async () => {
  const journal = temporaryFolder();
  for (const name of ['a', 'b@a', 'c@a']) leave(journal, name);
  const owner = newOwner(journal);
  expect((await owner.ended()).map((path) => shortened(basename(path)))).toEqual(['a', 'b@a', 'c@a']);
  owner.take(owners(journal, 'b@a'));
  expect(readdirSync(owners(journal)).sort()).toEqual(
    ['a', 'c@a', `b@${basename(owner.path)}`, basename(owner.path)].map(clientName).sort(),
  );
});

test('folders that an ended owner had taken over are taken over with its own, in the order in which they were made', async () => {
  const journal = temporaryFolder();
  for (const name of ['d', 'a@d', 'c@d', 'e', 'b@gone']) leave(journal, name);
  expect(await adopted(newOwner(journal))).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('a folder that a living owner has taken over belongs to that owner until it is released', async () => {
  const journal = temporaryFolder();
  leave(journal, 'a');
  const first = newOwner(journal);
  await adopted(first);
  const next = newOwner(journal);
  expect(await adopted(next)).toEqual([]);
  const found = await foldersIn(fs, journal);
  expect(found).toContainEqual({
    path: owners(journal, `a@${basename(first.path)}`),
    owner: first.path,
    state: 'living',
  });
  await first.release();
  expect(await adopted(next)).toEqual(['a']);
});

test('a draft that an ended owner left unfinished is taken over, but only after some time', async () => {
  const journal = temporaryFolder();
  for (const name of ['.new-a', '.new-b']) leave(journal, name);
  fs.utimesSync(owners(journal, '.new-a'), 0, 0);
  expect(await adopted(newOwner(journal))).toEqual(['a']);
  expect(existsSync(owners(journal, '.new-b'))).toBe(true);
});

test('on a full disk an owner renames the folder of an ended one to its own, and counts as living', async () => {
  const journal = temporaryFolder();
  const left = await endedOwner(journal);
  const state = { isFull: true };
  const owner = new OwnerFolder(fullDisk(state), journal, undefined);
  onTestFinished(() => owner.release());
  owner.openIfRoom();
  expect(owner.isOpen).toBe(false);
  expect(await takeOver(owner)).toEqual([owner.path]);
  expect([owner.isOpen, owner.firstNumber, existsSync(left)]).toEqual([true, 2, false]);
  expect(await foldersIn(fs, journal)).toEqual([{ path: owner.path, owner: owner.path, state: 'living' }]);
  expect(await takeOver(newOwner(journal))).toEqual([]);
});

/** A disk without room even for what overwrites existing bytes, such as one that copies on write. */
const withoutRoom = faultyDisk((name) => (['mkdirSync', 'writeSync'].includes(name) ? refusal('ENOSPC') : undefined));

test('without room for a note, an owner that accepts no messages counts as living while it has its socket', async () => {
  const journal = temporaryFolder();
  await endedOwner(journal);
  const owner = new OwnerFolder(withoutRoom, journal, undefined);
  owner.openIfRoom();
  expect(await takeOver(owner)).toEqual([owner.path]);
  const next = newOwner(journal);
  expect(await takeOver(next)).toEqual([]);
  await owner.release();
  expect(await takeOver(next)).toHaveLength(1);
});

test('an owner that fails to make an ended folder its own leaves that folder for others', async () => {
  const journal = temporaryFolder();
  const left = await endedOwner(journal);
  const owner = new OwnerFolder(withoutRoom, journal, new Source('key', []));
  owner.openIfRoom();
  await expect(takeOver(owner)).rejects.toThrow('ENOSPC');
  expect(owner.isOpen).toBe(false);
  expect(await takeOver(newOwner(journal))).toHaveLength(1);
  expect(existsSync(left)).toBe(false);
});

/** Returns a disk that refuses the first matching call, for lack of descriptors. */
function refusesOnce(call: string, isMeant: (path: string) => boolean): typeof fs {
  let isRefused = false;
  return faultyDisk((name, [path]) => {
    if (isRefused || name !== call || !isMeant(String(path))) return undefined;
    isRefused = true;
    return refusal('EMFILE');
  });
}

test('an owner that cannot make a new socket at once tries again, and counts as visible only when it has one', async () => {
  const journal = temporaryFolder();
  const owner = newOwner(journal, undefined, { disk: refusesOnce('chmodSync', (path) => !path.includes('.new-')) });
  rmSync(join(owner.path, SOCKET));
  expect(owner.keep()).toBe(false);
  expect(owner.keep()).toBe(true);
  expect(await Lifeline.isAlive(owner.path, SOCKET)).toBe(true);
});

test('two folders that the same client has left are both taken over', async () => {
  const journal = temporaryFolder();
  for (const [index, name] of ['a', 'a@b'].entries()) writeBatch(join(journal, 'owners', clientName(name)), [index]);
  const taken = await takeOver(newOwner(journal));
  expect(taken.map((path) => readdirSync(path))).toEqual([['000001.batch'], ['000001.batch']]);
  expect(new Set(taken).size).toBe(2);
});
