import * as fs from 'node:fs';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  draftPath,
  isNewDraft,
  namesIn,
  ownerOf,
  ownersOf,
  removeFolder,
  takenPath,
} from '../../../src/client/journal/client-folders.js';
import { NOTE, SOCKET } from '../../../src/client/journal/owner-note.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { clientName } from './left-folder.js';

test.each([
  ['a', 'a', 'a@me'],
  ['a@b', 'b', 'a@me'],
  ['.new-a', '.new-a', 'a@me'],
])(
  'the folder %s belongs to the client %s, and is named %s after the client "me" has taken it over',
  (name, owner, taken) => {
    expect(ownerOf(name)).toBe(owner);
    expect(takenPath(join('/journal', name), 'me')).toBe(join('/journal', taken));
  },
);

test('only folders with the name of a client are listed', async () => {
  const owners = ownersOf(await temporaryFolder());
  for (const name of [...['b', 'a@c', '.new-d'].map(clientName), 'notes', 'a-b'])
    mkdirSync(join(owners, name), { recursive: true });
  writeFileSync(join(owners, 'core'), '');
  expect(namesIn(fs, owners)).toEqual(['.new-d', 'a@c', 'b'].map(clientName));
});

test('a draft counts as new for ten seconds, and a folder with its final name is not a draft', async () => {
  const journal = await temporaryFolder();
  const draft = draftPath(journal, 'a');
  mkdirSync(draft, { recursive: true });
  mkdirSync(join(ownersOf(journal), 'b'));
  expect(isNewDraft(fs, draft)).toBe(true);
  expect(isNewDraft(fs, join(ownersOf(journal), 'b'))).toBe(false);
  const then = Date.now() / 1_000 - 11;
  utimesSync(draft, then, then);
  expect(isNewDraft(fs, draft)).toBe(false);
});

test.each([
  ['is removed', [], []],
  ['is kept if it holds another file', ['theirs'], ['theirs']],
])('the folder of a client that left no message %s', async (_, theirs, left) => {
  const owners = ownersOf(await temporaryFolder());
  const folder = join(owners, 'a');
  mkdirSync(folder, { recursive: true });
  for (const name of [NOTE, SOCKET, ...theirs]) writeFileSync(join(folder, name), '');
  removeFolder(fs, folder);
  expect(readdirSync(owners).flatMap((name) => readdirSync(join(owners, name)))).toEqual(left);
});
