import * as fs from 'node:fs';
import { lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DeadLetterFiles, damagedOf, deadLettersOf, letterOf } from '../../../src/client/journal/dead-letter-file.js';
import { dropDead } from '../../../src/client/journal/erase.js';
import { deadIn, dropWaiting, waitingIn } from '../../../src/client/journal/inspect-journal.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { writeBatch } from './left-folder.js';

/** Writes one message per id to a folder, as a client does that leaves them. */
const leftMessages = (folder: string, ...ids: string[]): string =>
  writeBatch(
    folder,
    ids.map((messageId) => JSON.stringify({ type: 'track', messageId, userId: messageId })),
  );

/** Writes one dead letter per id. */
function deadLetters(journal: string, ...ids: string[]): void {
  const files = new DeadLetterFiles(fs, journal, 'owner', { maxDeadLetters: 1_000, maxDeadLetterAge: 60_000 });
  const letter = { at: 'then', code: 'NO', error: 'no' };
  files.append(
    ids.map((messageId) => letterOf(letter, JSON.stringify({ messageId }))),
    Date.now(),
  );
}

const OWNER = 'owners/000000001-00000001';
const FOREIGN = 'folder with a file';

/** Makes each kind of thing that is neither a plain file nor a folder of the journal. */
const KINDS: Readonly<Record<string, (path: string, elsewhere: string) => void>> = {
  [FOREIGN]: (path) => {
    mkdirSync(path);
    writeFileSync(join(path, 'source'), 'theirs');
  },
  'link to nothing': (path, elsewhere) => symlinkSync(join(elsewhere, 'nothing'), path),
  'link to a folder': (path, elsewhere) => symlinkSync(elsewhere, path),
  'link to a file': (path, elsewhere) => symlinkSync(join(elsewhere, '000001.batch'), path),
};

/** A name that the journal would use itself, and another, for each folder whose names the journal lists. */
const PLACES: readonly (readonly [folder: string, ours: string])[] = [
  [OWNER, '000000.batch'],
  ['dead-letters', 'owner-000009.batch'],
  ['damaged', 'owner-000001.batch-0'],
  ['owners', '000000009-00000009'],
];

const CASES = PLACES.flatMap(
  ([folder, ours]) =>
    [ours, 'notes'].flatMap((name) => Object.keys(KINDS).map((kind) => [kind, join(folder, name)] as const)),
  // A folder with the name of a client is a client's.
).filter(([kind, path]) => kind !== FOREIGN || !path.startsWith('owners/000000009'));

test.each(CASES)('a %s at %s does not disturb the journal, which leaves it alone', async (kind, at) => {
  const [journal, elsewhere] = [temporaryFolder(), temporaryFolder()];
  for (const folder of [deadLettersOf, damagedOf]) mkdirSync(folder(journal));
  leftMessages(elsewhere, 'theirs');
  leftMessages(join(journal, OWNER), 'm1', 'm2');
  deadLetters(journal, 'd1', 'd2');
  writeFileSync(join(damagedOf(journal), 'x-0'), 'damaged');
  KINDS[kind]?.(join(journal, at), elsewhere);
  const stranger = lstatSync(join(journal, at)).ino;
  const before = fs.readFileSync(join(elsewhere, '000001.batch'));

  const ids = async (): Promise<unknown[]> => {
    const found: unknown[] = [];
    for await (const { message } of waitingIn(journal)) found.push(message.messageId);
    return [...found, ...[...deadIn(journal)].map(({ message }) => message.messageId)];
  };
  expect(await ids()).toEqual(['m1', 'm2', 'd1', 'd2']);
  expect(await dropWaiting(journal, ({ messageId }) => messageId === 'm1', true)).toMatchObject({ messages: 1 });
  const one = { isMeant: () => true, erasesDamage: true };
  expect(await dropDead(fs, journal, one)).toEqual({ messages: 2, damagedBytes: 7 });
  expect(await ids()).toEqual(['m2']);
  expect(await dropWaiting(journal, () => true, true)).toMatchObject({ messages: 1 });
  expect(await ids()).toEqual([]);

  // The folder of a client was renamed when its messages were taken over.
  const all = (fs.readdirSync(journal, { recursive: true }) as string[]).filter(
    (name) => name === at || at.startsWith(OWNER),
  );
  expect(all.map((name) => lstatSync(join(journal, name)).ino)).toContain(stranger);
  expect(fs.readFileSync(join(elsewhere, '000001.batch'))).toEqual(before);
});
