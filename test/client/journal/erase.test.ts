import * as fs from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { letterOf, lettersIn } from '../../../src/client/journal/dead-letter-file.js';
import { dropDead } from '../../../src/client/journal/erase.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk } from './faulty-disk.js';
import { batchWith, newOwner } from './left-folder.js';

const isMeant = ({ message }: { message: unknown }) => (message as { userId?: string }).userId === 'u1';
const drop = (journal: string, erasesDamage: boolean) => dropDead(fs, journal, { isMeant, erasesDamage });

test('damaged bytes that clients set aside are removed and counted if the drop erases damage', async () => {
  const journal = temporaryFolder();
  fs.mkdirSync(join(journal, 'damaged'));
  for (const text of ['u1', 'u2', 'u3']) fs.writeFileSync(join(journal, 'damaged', text), text);
  expect(await drop(journal, false)).toEqual({ messages: 0, damagedBytes: 0 });
  expect(fs.readdirSync(join(journal, 'damaged'))).toHaveLength(3);
  expect(await drop(journal, true)).toEqual({ messages: 0, damagedBytes: 6 });
  expect(fs.readdirSync(join(journal, 'damaged'))).toEqual([]);
});

const jsonOf = (userId: string): string =>
  letterOf({ at: 'then', code: 'NO', error: 'no' }, JSON.stringify({ messageId: userId, userId }));

function writeLetters(journal: string, owner: string, records: Uint8Array): string {
  const folder = join(journal, 'dead-letters');
  fs.mkdirSync(folder, { recursive: true });
  const file = join(folder, `${owner}-000001.batch`);
  fs.writeFileSync(file, records);
  return file;
}

test.each(['readdirSync', 'statSync', 'unlinkSync', 'openSync'])(
  'files that another process erases just before %s are no error for a drop',
  async (call) => {
    const journal = temporaryFolder();
    fs.mkdirSync(join(journal, 'damaged'));
    fs.writeFileSync(join(journal, 'damaged', 'd'), 'u1');
    writeLetters(journal, 'a', batchWith(jsonOf('u1'), jsonOf('u2')));
    const gone: string[] = [];
    const disk = faultyDisk((name, [path]) => {
      if (name !== call || !/damaged|dead-letters/.test(String(path))) return undefined;
      gone.push(String(path));
      fs.rmSync(String(path), { recursive: true, force: true });
      return undefined;
    });
    await dropDead(disk, journal, { isMeant, erasesDamage: true });
    expect(gone).not.toEqual([]);
    expect(gone.filter((path) => fs.existsSync(path))).toEqual([]);
  },
);

test('dead letters are dropped in every file, and letters that were cut off only if the drop erases damage', async () => {
  const journal = temporaryFolder();
  const records = batchWith(jsonOf('u1'), jsonOf('u2'), jsonOf('u1')).subarray(0, -9);
  const files = ['a', 'b'].map((owner) => writeLetters(journal, owner, records));
  expect(await drop(journal, false)).toEqual({ messages: 2, damagedBytes: 0 });
  for (const file of files) expect(fs.readFileSync(file, 'utf8')).toContain('u1');
  expect(await drop(journal, true)).toEqual({
    messages: 0,
    damagedBytes: 2 * (batchWith(jsonOf('u1')).length - 9),
  });
  for (const file of files) {
    expect(fs.readFileSync(file, 'latin1')).not.toContain('u1');
    expect(lettersIn(fs, file).map(({ message }) => message.userId)).toEqual(['u2']);
  }
});

test('a cut-off dead letter that a living client may be writing does not count as damage', async () => {
  const journal = temporaryFolder();
  const owner = newOwner(journal);
  const file = writeLetters(journal, basename(owner.path), batchWith(jsonOf('u1')).subarray(0, -9));
  expect(await dropDead(fs, journal, { isMeant: () => true, erasesDamage: true })).toEqual({
    messages: 0,
    damagedBytes: 0,
  });
  expect(fs.readFileSync(file, 'utf8')).toContain('u1');
  const own = basename(owner.path);
  expect(await dropDead(fs, journal, { isMeant: () => true, erasesDamage: true, own })).toMatchObject({ messages: 0 });
  expect(fs.existsSync(file)).toBe(false);
});

test('a file without remaining dead letters is removed, unless a living client writes to it', async () => {
  const journal = temporaryFolder();
  const owner = newOwner(journal);
  const damaged = Buffer.from('x'.repeat(100_000));
  const [file, living] = ['a', basename(owner.path)].map((name) =>
    writeLetters(journal, name, Buffer.concat([batchWith(jsonOf('u1')), damaged])),
  );
  await drop(journal, true);
  expect([file, living].map((path) => fs.existsSync(path ?? ''))).toEqual([false, true]);
});
