import * as fs from 'node:fs';
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thisProcess } from '../../../src/base/process/this-process.js';
import { disownUnknown, foldersIn, unknownIn } from '../../../src/client/journal/client-folders.js';
import { claim, disown, markSource, NOTE, SOCKET, Source, stateOf } from '../../../src/client/journal/owner-note.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk, refusal } from './faulty-disk.js';
import { endedOwner, newOwner, noteOwner } from './left-folder.js';

test('an owner without a socket counts as living while its process lives, or if it runs on another machine', async () => {
  const journal = temporaryFolder();
  const folder = await endedOwner(journal);
  const stateWith = async (changes: object): Promise<string | undefined> => {
    noteOwner(folder, { ...thisProcess, hasSocket: false, ...changes });
    return (await foldersIn(fs, journal))[0]?.state;
  };
  expect(await stateWith({})).toBe('living');
  expect(await stateWith({ startedAt: 0 })).toBe('ended');
  expect(await stateWith({ startedAt: 0, place: 'another machine' })).toBe('living');
});

/** Makes the folder of an owner without a socket, with a changed note. */
async function ownerWithout(journal: string, changes: object): Promise<string> {
  const folder = await endedOwner(journal);
  noteOwner(folder, { ...thisProcess, hasSocket: false, ...changes });
  return folder;
}

test('an operator can mark owners without a socket on other machines as ended, and no others', async () => {
  const journal = temporaryFolder();
  const elsewhere = await ownerWithout(journal, { place: 'a container that is gone' });
  const moved = await ownerWithout(journal, { hasSocket: true, place: 'a machine whose copy lacks the socket' });
  rmSync(join(moved, SOCKET), { force: true });
  const here = await ownerWithout(journal, {});
  const living = newOwner(journal);
  expect(unknownIn(fs, journal).toSorted()).toEqual([elsewhere, moved].toSorted());
  disownUnknown(fs, journal);
  expect(unknownIn(fs, journal)).toEqual([]);
  expect([await stateOf(fs, elsewhere), await stateOf(fs, moved)]).toEqual(['ended', 'ended']);
  expect(await stateOf(fs, here)).toBe('living');
  expect(await stateOf(fs, living.path)).toBe('living');
});

test('an owner whose note cannot be read for lack of descriptors counts as living', async () => {
  const journal = temporaryFolder();
  const folder = await endedOwner(journal);
  let isRefused = true;
  const disk = faultyDisk((name) => (isRefused && name === 'readFileSync' ? refusal('EMFILE') : undefined));
  expect(await stateOf(disk, folder)).toBe('living');
  isRefused = false;
  expect(await stateOf(disk, folder)).toBe('ended');
  expect(existsSync(folder)).toBe(true);
});

test('a client whose socket this user may not use counts as hidden', async () => {
  const owner = newOwner(temporaryFolder());
  const disk = faultyDisk((name, [path]) =>
    name === 'accessSync' && String(path).endsWith(SOCKET) ? refusal('EACCES') : undefined,
  );
  expect(await stateOf(disk, owner.path)).toBe('hidden');
});

test('every note has the same length, so that it can be overwritten on a full disk', () => {
  const journal = temporaryFolder();
  const { path } = newOwner(journal);
  const before = statSync(join(path, NOTE)).size;
  disown(fs, path);
  markSource(fs, path, new Source('key', []));
  claim(fs, path, undefined, true);
  expect(statSync(join(path, NOTE)).size).toBe(before);
});
