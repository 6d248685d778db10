import * as fs from 'node:fs';
import { chownSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { givenTo, writeFile } from '../../../src/client/journal/file-system.js';
import { dropWaiting } from '../../../src/client/journal/inspect-journal.js';
import { sink } from '../../support/sink.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk } from './faulty-disk.js';
import { leave, numbered, open } from './life.js';

const me = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
// Only root can give a folder to another user. Without root, this user is the user of the app.
const app = me.uid === 0 ? { uid: 4_321, gid: 4_322 } : me;

/** Makes a journal that belongs to the user of the app. */
function journalOfApp(): string {
  const path = temporaryFolder();
  chownSync(path, app.uid, app.gid);
  return path;
}

/** Lists what in a journal does not belong to the user of the app. */
const strangersIn = (path: string): string[] =>
  (readdirSync(path, { recursive: true }) as string[]).filter((name) => {
    const { uid, gid } = lstatSync(join(path, name));
    return uid !== app.uid || gid !== app.gid;
  });

test('everything that a client makes in a journal belongs to the owner of the journal, even if root runs the client', async () => {
  const path = journalOfApp();
  const life = open(path, { endpoint: (await sink(403)).url });
  life.analytics.track(numbered(1)).delivered.catch(() => {});
  await life.analytics.flush();
  const down = open(path);
  const { stored, delivered } = down.analytics.track(numbered(2));
  delivered.catch(() => {});
  await stored;
  expect(readdirSync(join(path, 'dead-letters'))).toHaveLength(1);
  expect(strangersIn(path)).toEqual([]);
  await leave(down);
  expect(strangersIn(path)).toEqual([]);
});

test('after journal drop, everything that stays belongs to the owner of the journal', async () => {
  const path = journalOfApp();
  const down = open(path);
  for (const n of [1, 2]) down.analytics.track({ ...numbered(n), userId: `u${n}` }).delivered.catch(() => {});
  await leave(down);
  expect(await dropWaiting(path, ({ userId }) => userId === 'u1', true)).toMatchObject({ messages: 1 });
  expect(strangersIn(path)).toEqual([]);
});

test('files made for another user get that owner, and folders get the mode of the journal without access for others', () => {
  const path = temporaryFolder();
  const given: unknown[] = [];
  const disk = faultyDisk((name, args) => {
    if (name === 'lchownSync') given.push(args.slice(0, 3));
    if (name === 'fchownSync') given.push(['a file', ...args.slice(1, 3)]);
    return undefined;
  });
  const owned = givenTo(disk, { ...me, mode: 0o40755 });
  owned.mkdirSync(join(path, 'folder'));
  writeFile(owned, join(path, 'folder', 'file'), Buffer.alloc(0));
  expect(given).toEqual([join(path, 'folder'), 'a file'].map((name) => [name, me.uid, me.gid]));
  expect(lstatSync(join(path, 'folder')).mode & 0o777).toBe(0o750);
});

test('the target of a link in the journal keeps its owner and its content', () => {
  const path = temporaryFolder();
  const target = join(path, 'target');
  writeFileSync(target, '');
  mkdirSync(join(path, 'journal'));
  symlinkSync(target, join(path, 'journal', 'letters'));
  const before = lstatSync(target).uid;
  const disk = givenTo(fs, { ...app, mode: 0o40700 });
  expect(() => writeFile(disk, join(path, 'journal', 'letters'), Buffer.from('x'))).toThrow('Remove it');
  disk.chmodSync(join(path, 'journal', 'letters'), 0o600);
  expect(lstatSync(target)).toMatchObject({ uid: before, size: 0 });
});
