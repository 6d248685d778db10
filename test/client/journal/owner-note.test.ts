import * as fs from 'node:fs';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { disownUnknown, foldersIn, OwnerFolder, unknownIn } from '../../../src/client/journal/owner-folder.js';
import { isAlive } from '../../../src/client/journal/owner-note.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk, refusal } from './faulty-disk.js';

test('an owner without a socket counts as alive while its process lives, or when it runs on another machine', async () => {
  const journal = temporaryFolder();
  const owner = OwnerFolder.create(fs, journal, undefined);
  const note = join(owner.path, 'owner.json');
  const identity = { ...JSON.parse(readFileSync(note, 'utf8')), hasSocket: false };
  await owner.release(true);
  const isAlive = async (changes: object): Promise<boolean | undefined> => {
    writeFileSync(note, JSON.stringify({ ...identity, ...changes }));
    return (await foldersIn(fs, journal))[0]?.isAlive;
  };
  expect(await isAlive({})).toBe(true);
  expect(await isAlive({ startedAt: 0 })).toBe(false);
  expect(await isAlive({ startedAt: 0, place: 'another machine' })).toBe(true);
});

/** The folder of an owner without a socket, with a changed note. */
async function ownerWithout(journal: string, changes: object): Promise<string> {
  const owner = OwnerFolder.create(fs, journal, undefined);
  const note = join(owner.path, 'owner.json');
  const identity = JSON.parse(readFileSync(note, 'utf8'));
  await owner.release(true);
  writeFileSync(note, JSON.stringify({ ...identity, hasSocket: false, ...changes }));
  return owner.path;
}

test('on the word of an operator the owners without a socket in another place have ended, and no other', async () => {
  const journal = temporaryFolder();
  const elsewhere = await ownerWithout(journal, { place: 'a container that is gone' });
  const moved = await ownerWithout(journal, { hasSocket: true, place: 'a machine whose copy lacks the socket' });
  rmSync(join(moved, 'alive'));
  const here = await ownerWithout(journal, {});
  const living = OwnerFolder.create(fs, journal, undefined);
  onTestFinished(() => living.release(true));
  expect(unknownIn(fs, journal).toSorted()).toEqual([elsewhere, moved].toSorted());
  disownUnknown(fs, journal);
  expect(unknownIn(fs, journal)).toEqual([]);
  expect([await isAlive(fs, elsewhere), await isAlive(fs, moved)]).toEqual([false, false]);
  expect(await isAlive(fs, here)).toBe(true);
  expect(await isAlive(fs, living.path)).toBe(true);
});

test('an owner whose note cannot be read for want of descriptors counts as alive', async () => {
  const journal = temporaryFolder();
  const owner = OwnerFolder.create(fs, journal, undefined);
  await owner.release(true);
  let isRefused = true;
  const disk = faultyDisk((name) => (isRefused && name === 'readFileSync' ? refusal('EMFILE') : undefined));
  expect(await isAlive(disk, owner.path)).toBe(true);
  isRefused = false;
  expect(await isAlive(disk, owner.path)).toBe(false);
  expect(existsSync(owner.path)).toBe(true);
});
