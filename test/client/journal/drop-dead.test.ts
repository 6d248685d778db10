import * as fs from 'node:fs';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lineOf } from '../../../src/client/journal/dead-letter-file.js';
import { dropDead } from '../../../src/client/journal/drop-dead.js';
import { OwnerFolder } from '../../../src/client/journal/owner-folder.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const isMeant = ({ message }: { message: unknown }) => (message as { userId?: string }).userId === 'u1';
const drop = (journal: string, erasesDamage: boolean) => dropDead(fs, journal, { isMeant, erasesDamage });

test('the bytes that clients have set aside are removed and counted where damage is meant', async () => {
  const journal = temporaryFolder();
  fs.mkdirSync(join(journal, 'damaged'));
  for (const text of ['u1', 'u2', 'u3']) fs.writeFileSync(join(journal, 'damaged', text), text);
  expect(await drop(journal, false)).toEqual({ messages: 0, damagedBytes: 0 });
  expect(fs.readdirSync(join(journal, 'damaged'))).toHaveLength(3);
  expect(await drop(journal, true)).toEqual({ messages: 0, damagedBytes: 6 });
  expect(fs.readdirSync(join(journal, 'damaged'))).toEqual([]);
});

const letterOf = (userId: string): string =>
  lineOf({ at: 'then', code: 'NO', error: 'no' }, JSON.stringify({ messageId: userId, userId }));

function writeLetters(journal: string, owner: string, text: string): string {
  const folder = join(journal, 'dead-letters');
  fs.mkdirSync(folder, { recursive: true });
  const file = join(folder, `${owner}-000001.ndjson`);
  fs.writeFileSync(file, text);
  return file;
}

test('dead letters are dropped one file at a time with the lines that were cut off, and only where damage is meant too', async () => {
  const journal = temporaryFolder();
  const text = `${letterOf('u1')}\n${letterOf('u2')}\n${letterOf('u1').slice(0, -9)}`;
  const files = ['a', 'b'].map((owner) => writeLetters(journal, owner, text));
  expect(await drop(journal, false)).toEqual({ messages: 2, damagedBytes: 0 });
  for (const file of files) expect(fs.readFileSync(file, 'utf8')).toContain('u1');
  expect(await drop(journal, true)).toEqual({
    messages: 0,
    damagedBytes: 2 * (letterOf('u1').length - 9),
  });
  for (const file of files) expect(fs.readFileSync(file, 'utf8').trim()).toBe(letterOf('u2'));
});

test('a dead letter that a living client may be writing is no damage', async () => {
  const journal = temporaryFolder();
  const owner = OwnerFolder.create(fs, journal, undefined);
  onTestFinished(() => owner.release(true));
  const file = writeLetters(journal, basename(owner.path), letterOf('u1').slice(0, -9));
  expect(await dropDead(fs, journal, { isMeant: () => true, erasesDamage: true })).toEqual({
    messages: 0,
    damagedBytes: 0,
  });
  expect(fs.readFileSync(file, 'utf8')).toContain('u1');
  const own = basename(owner.path);
  expect(await dropDead(fs, journal, { isMeant: () => true, erasesDamage: true, own })).toMatchObject({ messages: 0 });
  expect(fs.readFileSync(file, 'utf8').trim()).toBe('');
});
