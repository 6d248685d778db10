import * as fs from 'node:fs';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { JournalError } from '../../../src/base/errors/journal-errors.js';
import { EndedClients } from '../../../src/client/journal/ended-clients.js';
import type { JournalEvent } from '../../../src/client/journal/journal-event.js';
import { Source } from '../../../src/client/journal/owner-note.js';
import { Problems } from '../../../src/client/journal/system-errors.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk, refusal } from './faulty-disk.js';
import { clientName, makeNewer, mark, newOwner, shortened, writeBatch } from './left-folder.js';

/** Leaves numbers as messages in the folder of a client that has ended. */
function leave(journal: string, name: string, ...numbers: number[]): string {
  const folder = join(journal, 'owners', clientName(name));
  writeBatch(folder, numbers);
  return folder;
}

/** Returns the name of a folder before it was taken over. */
const nameOf = (path: string): string => shortened(basename(path)).split('@')[0] ?? '';

function foldersOf(journal: string, { disk = fs, source = undefined as Source | undefined } = {}) {
  const owner = newOwner(journal, source, { disk });
  const told: string[] = [];
  const onEvent = (event: JournalEvent): void => {
    if (event.kind === 'foreign') told.push(`${event.messages} foreign`);
    if (event.kind !== 'damaged') return;
    const { path, message } = event.error;
    told.push(`${path === owner.path ? 'own' : nameOf(path)}: ${message}`);
  };
  const problems = new Problems((...args) => new JournalError(...args), journal);
  const parts = { fs: disk, path: journal, owner, problems, onEvent };
  const folders = new EndedClients(parts, source ?? new Source('key', 'all'));
  const look = async (): Promise<void> => {
    for await (const { path, pending } of folders.look()) told.push(`${pending} in ${nameOf(path)}`);
  };
  return { folders, told, owner, look };
}

test('the folders of ended clients are found once each, oldest first', async () => {
  const journal = temporaryFolder();
  leave(journal, 'b', 1, 2);
  leave(journal, 'a', 3);
  const { folders, told, look } = foldersOf(journal);
  for (let looks = 0; looks < 2; looks++) await look();
  expect(told).toEqual(['1 in a', '2 in b']);
  expect(folders.opened).toHaveLength(2);
});

test('a folder without waiting messages is removed as soon as it is found', async () => {
  const journal = temporaryFolder();
  leave(journal, 'empty');
  const { told, owner, look } = foldersOf(journal);
  await look();
  expect([told, readdirSync(join(journal, 'owners'))]).toEqual([[], [basename(owner.path)]]);
});

test('a folder that another client took from a suspended client and delivered is not reported as damage', async () => {
  const journal = temporaryFolder();
  leave(journal, 'a', 1);
  const state = { isStopped: true };
  const disk = faultyDisk((name, args) =>
    state.isStopped && name === 'open' && String(args[0]).includes('@') ? refusal('EMFILE') : undefined,
  );
  const { folders, told, look } = foldersOf(journal, { disk });
  await look();
  state.isStopped = false;
  for (const name of readdirSync(join(journal, 'owners')).filter((each) => shortened(each).startsWith('a@')))
    rmSync(join(journal, 'owners', name), { recursive: true });
  await look();
  expect(told).toEqual([]);
  expect(() => folders.checkOpened()).not.toThrow();
});

test('a folder that the disk cannot read, or even stat, is reported once, and its messages are found later', async () => {
  const journal = temporaryFolder();
  leave(journal, 'a', 1);
  const state = { isFailing: true };
  const disk = faultyDisk((name, args) => {
    const isInFolder = shortened(String(args[0])).includes('a@');
    return state.isFailing && isInFolder && name !== 'renameSync' ? refusal('EIO') : undefined;
  });
  const { told, look } = foldersOf(journal, { disk });
  for (let looks = 0; looks < 2; looks++) await look();
  expect(told).toEqual([expect.stringMatching(/^a: .*EIO/)]);
  state.isFailing = false;
  await look();
  expect(told.slice(1)).toEqual(['1 in a']);
});

test('a journal of a newer version is reported once, and its folders are neither taken over nor changed', async () => {
  const journal = temporaryFolder();
  const folder = leave(journal, 'a', 2);
  makeNewer(journal);
  const { told, look } = foldersOf(journal);
  for (let looks = 0; looks < 2; looks++) await look();
  expect(told).toEqual([expect.stringContaining('was written by a newer version')]);
  expect(readdirSync(folder)).toEqual(['000001.batch']);
});

test('an owner that cannot look for ended clients reports its own folder, once', async () => {
  const journal = temporaryFolder();
  const disk = faultyDisk((name, [path]) =>
    name === 'readdirSync' && path === join(journal, 'owners') ? refusal('EIO') : undefined,
  );
  const { told, look } = foldersOf(journal, { disk });
  for (let looks = 0; looks < 2; looks++) await look();
  expect(told).toEqual([expect.stringMatching(/^own: .*EIO/)]);
});

test('messages that clients of another source left are counted and reported once, and stay', async () => {
  const journal = temporaryFolder();
  const folder = leave(journal, 'a', 1, 2, 3);
  mark(folder, new Source('key-a', []));
  const { told, look } = foldersOf(journal, { source: new Source('key-b', []) });
  for (let looks = 0; looks < 2; looks++) await look();
  expect([told, existsSync(folder)]).toEqual([['3 foreign'], true]);
});

test('a folder that cannot be opened for now is not reported and is opened later, and until then a drop fails', async () => {
  const journal = temporaryFolder();
  leave(journal, 'a', 1);
  const state = { refuses: false };
  const disk = faultyDisk((name, args) =>
    state.refuses && name === 'open' && String(args[0]).includes('@') ? refusal('EMFILE') : undefined,
  );
  const { folders, told, look } = foldersOf(journal, { disk });
  state.refuses = true;
  await look();
  expect([told, folders.opened]).toEqual([[], []]);
  expect(() => folders.checkOpened()).toThrow('cannot be read now. Try again');
  state.refuses = false;
  await look();
  expect(told).toEqual(['1 in a']);
  expect(() => folders.checkOpened()).not.toThrow();
});

test('a client that is closed during a look opens no more folders', async () => {
  const journal = temporaryFolder();
  leave(journal, 'a', 1);
  const { folders, told, look } = foldersOf(journal);
  folders.isClosed = true;
  await look();
  expect(told).toEqual([]);
});
