import * as fs from 'node:fs';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { DeadLetterFiles, letterOf } from '../../../src/client/journal/dead-letter-file.js';
import { dropDead } from '../../../src/client/journal/erase.js';
import {
  type AllDropped,
  deadIn,
  dropAllWaiting,
  dropWaiting,
  isJournal,
  removeDead,
  waitingIn,
} from '../../../src/client/journal/inspect-journal.js';
import { LeftBatches } from '../../../src/client/journal/left-batches.js';
import { NOTE } from '../../../src/client/journal/owner-note.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk, fullDisk, refusal } from './faulty-disk.js';
import { clientName, endIn, makeNewer, newOwner, writeBatch } from './left-folder.js';

/** Writes one message per id to the folder of a client. */
const write = (folder: string, ...ids: string[]): string =>
  writeBatch(
    folder,
    ids.map((messageId) => JSON.stringify({ type: 'track', messageId, userId: messageId })),
  );

/** Leaves one message per id in the folder of a client that has ended. */
const leave = (journal: string, name: string, ...ids: string[]): string =>
  write(join(journal, 'owners', clientName(name)), ...ids);

function letDie(journal: string, ...ids: string[]): void {
  const files = new DeadLetterFiles(fs, journal, 'owner', { maxDeadLetters: 1_000, maxDeadLetterAge: 1_000 });
  const letter = { at: 'then', code: 'NO', error: 'no' };
  files.append(
    ids.map((messageId) => letterOf(letter, JSON.stringify({ messageId }))),
    Date.now(),
  );
}

async function waiting(journal: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { message, owner } of waitingIn(journal))
    ids.push(message.messageId + (owner === 'living' ? ' owned' : ''));
  return ids;
}

test('a folder is a journal if it has folders of clients or dead letters', () => {
  const [clients, letters, neither] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  leave(clients, 'a');
  letDie(letters, 'm');
  expect([clients, letters, neither].map((path) => isJournal(path))).toEqual([true, true, false]);
});

test('waiting messages of a journal are read oldest first, and those of living clients are marked as owned', async () => {
  const journal = temporaryFolder();
  leave(journal, '01', 'm2');
  leave(journal, '00@01', 'm1');
  const owner = newOwner(journal);
  write(owner.path, 'm3');
  expect(await waiting(journal)).toEqual(['m1', 'm2', 'm3 owned']);
  expect(readdirSync(join(journal, 'owners')).slice(0, 2)).toEqual(['00@01', '01'].map(clientName));
});

test('reading the waiting messages skips a damaged one', async () => {
  const journal = temporaryFolder();
  leave(journal, '0', 'm1', 'm2', 'm3');
  const file = join(journal, 'owners', clientName('0'), '000001.batch');
  const segment = readFileSync(file);
  segment.write('x', segment.indexOf('m2'));
  writeFileSync(file, segment);
  expect(await waiting(journal)).toEqual(['m1', 'm3']);
});

test('reading a journal of a newer version fails with an error that says so', () => {
  const journal = temporaryFolder();
  leave(journal, '0');
  makeNewer(journal);
  expect(() => isJournal(journal)).toThrow('was written by a newer version');
});

test('removed dead letters are not found any more, and the others keep their index', () => {
  const journal = temporaryFolder();
  letDie(journal, 'm1', 'm2', 'm3');
  const [first, , third] = [...deadIn(journal)];
  removeDead([first, third].flatMap((letter) => letter ?? []));
  expect([...deadIn(journal)]).toMatchObject([{ state: 'dead', index: 1, message: { messageId: 'm2' }, code: 'NO' }]);
});

test('the chosen waiting messages of ended clients are dropped, and the rest stays for the next client', async () => {
  const journal = temporaryFolder();
  leave(journal, '0', 'm1', 'm2');
  leave(journal, '1', 'm3');
  const isMeant = ({ messageId }: { messageId: string }) => messageId !== 'm2';
  expect(await dropWaiting(journal, isMeant, true)).toMatchObject({ messages: 2 });
  expect(await waiting(journal)).toEqual(['m2']);
  expect(await dropWaiting(journal, () => true, true)).toMatchObject({ messages: 1 });
  expect(await waiting(journal)).toEqual([]);
});

/** Returns the bytes of all files in a folder. */
function bytesUnder(folder: string): string {
  const names = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return names.map(({ parentPath, name }) => fs.readFileSync(join(parentPath, name), 'latin1')).join('');
}

test('dropped and delivered messages are in no file of the journal any more, and the other messages stay', async () => {
  const journal = temporaryFolder();
  const folder = join(journal, 'owners', clientName('0'));
  leave(journal, '0', 'delivered', 'kept', 'dropped-1', 'kept-2', 'dropped-2');
  const left = await LeftBatches.open(fs, folder);
  await endIn(left, ({ index }) => index === 0);
  left.write();
  letDie(journal, 'dropped-4', 'kept-3');
  const isMeant = ({ messageId }: { messageId: string }) => messageId.startsWith('dropped');
  const isLetterMeant = ({ message }: { message: unknown }) => isMeant(message as { messageId: string });
  await dropDead(fs, journal, { isMeant: isLetterMeant, erasesDamage: true });
  expect(await dropWaiting(journal, isMeant, true)).toMatchObject({ messages: 2 });
  const bytes = bytesUnder(journal);
  expect(bytes).not.toMatch(/dropped|delivered/);
  expect(bytes).toContain('kept-3');
  expect(await waiting(journal)).toEqual(['kept', 'kept-2']);
  expect(fs.readdirSync(join(journal, 'owners'))).toEqual([expect.stringMatching(/^0{9}-0{8}@/)]);
});

test('dropping every second message leaves exactly the others', async () => {
  const journal = temporaryFolder();
  leave(journal, '0', ...Array.from({ length: 4_000 }, (_, n) => (n % 2 === 0 ? `kept-${n}` : `dropped-${n}`)));
  const isMeant = ({ messageId }: { messageId: string }) => messageId.startsWith('dropped');
  expect(await dropWaiting(journal, isMeant, false)).toMatchObject({ messages: 2_000 });
  const left = await waiting(journal);
  expect([left.length, left.filter((id) => id.startsWith('dropped'))]).toEqual([2_000, []]);
});

test('waiting messages of living clients are not dropped', async () => {
  const journal = temporaryFolder();
  const owner = newOwner(journal);
  write(owner.path, 'm1');
  expect(await dropWaiting(journal, () => true, true)).toMatchObject({ messages: 0 });
  expect(await waiting(journal)).toEqual(['m1 owned']);
});

test('a drop waits until another one has ended, and then drops what that one had taken over and left', async () => {
  const journal = temporaryFolder();
  const folder = join(journal, 'owners', clientName('0'));
  const message = (userId: string): string => JSON.stringify({ type: 'track', messageId: userId, userId });
  for (let file = 1; file <= 200; file++) writeBatch(folder, [message('u1'), message('u2')], file);
  let second: Promise<AllDropped> | undefined;
  const first = await dropWaiting(
    journal,
    ({ userId }) => {
      second ??= dropAllWaiting(journal, { filter: { userId: 'u2' }, erasesDamage: true, onSlow: () => {} });
      return userId === 'u1';
    },
    true,
  );
  expect(first.messages).toBe(200);
  expect(await second).toMatchObject({ waiting: 200, unanswered: [] });
  expect(await waiting(journal)).toEqual([]);
});

test('on a full disk, messages are dropped beside folders without a note and without messages', async () => {
  const disk = fullDisk({ isFull: true });
  for (const note of [undefined, '']) {
    const journal = temporaryFolder();
    const owners = join(journal, 'owners');
    const folder = (name: string): string => join(owners, clientName(name));
    for (const name of ['.new-a', 'b', 'c']) fs.mkdirSync(folder(name), { recursive: true });
    leave(journal, 'c', 'm1', 'm2');
    leave(journal, 'd', 'm1', 'm3');
    for (const name of readdirSync(owners)) if (note !== undefined) writeFileSync(join(owners, name, NOTE), note);
    fs.utimesSync(folder('.new-a'), 0, 0);
    const isMeant = ({ messageId }: { messageId: string }) => messageId === 'm1';
    expect(await dropWaiting(journal, isMeant, true, disk)).toMatchObject({ messages: 2 });
    expect((await waiting(journal)).sort()).toEqual(['m2', 'm3']);
    expect(['.new-a', 'b'].map((name) => fs.existsSync(folder(name)))).toEqual([false, false]);
  }
});

test('messages are dropped in all other folders before a folder that cannot be read makes the drop fail', async () => {
  const journal = temporaryFolder();
  for (const name of ['a', 'b', 'c']) leave(journal, name, 'm1');
  const disk = faultyDisk((name, [path]) =>
    name === 'renameSync' && basename(String(path)) === clientName('a') ? refusal('EACCES') : undefined,
  );
  await expect(dropWaiting(journal, () => true, true, disk)).rejects.toThrow('EACCES');
  expect(readdirSync(join(journal, 'owners'))).toEqual([clientName('a')]);
});

test('files and folders that are not of a client are left alone in the folder of the clients', async () => {
  const journal = temporaryFolder();
  leave(journal, '0', 'm1');
  for (const name of ['core.4711', 'notes']) writeFileSync(join(journal, 'owners', name), 'x');
  for (const name of ['lost+found', 'old']) fs.mkdirSync(join(journal, 'owners', name));
  writeFileSync(join(journal, 'owners', 'old', 'source'), 'theirs');
  expect(await waiting(journal)).toEqual(['m1']);
  expect(await dropWaiting(journal, () => true, true)).toMatchObject({ messages: 1 });
  expect(readdirSync(join(journal, 'owners')).sort()).toEqual(['core.4711', 'lost+found', 'notes', 'old']);
  expect(readdirSync(join(journal, 'owners', 'old'))).toEqual(['source']);
});
