import * as fs from 'node:fs';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CliError, EXIT } from '../../../src/cli/cli-error.js';
import { checkFilter, explained, type JournalFilter, meantBy, onJournal } from '../../../src/cli/journal/found.js';
import type { DeadMessage } from '../../../src/client/journal/dead-letter-file.js';
import type { JournaledMessage } from '../../../src/client/journal/message-filter.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const message: JournaledMessage = {
  type: 'track',
  messageId: 'm1',
  timestamp: '2026-11-20T12:00:00.000Z',
  userId: 'u1',
  event: 'Paid',
};

const dead: DeadMessage = {
  state: 'dead',
  at: message.timestamp,
  code: 'A',
  error: 'no',
  message,
  file: 'f',
  index: 0,
};

test.each<[JournalFilter, boolean]>([
  [{}, true],
  [{ type: 'track' }, true],
  [{ type: 'page' }, false],
  [{ event: 'Paid' }, true],
  [{ event: 'paid' }, false],
  [{ user: 'u1' }, true],
  [{ user: 'u' }, false],
  [{ messageId: 'm1' }, true],
  [{ messageId: 'm2' }, false],
  [{ from: '2026-11-20T12:00:00Z' }, true],
  [{ from: '2026-11-20T12:00:00.001Z' }, false],
  [{ to: '2026-11-20T12:00:00.001Z' }, true],
  [{ to: '2026-11-20T12:00:00Z' }, false],
  [{ type: 'track', user: 'u2' }, false],
])('the journal filter %j selects a message or not: %s', (filter, isMeant) => {
  expect(meantBy(filter)({ message })).toBe(isMeant);
  expect(meantBy(filter)(dead)).toBe(isMeant);
});

test.each<[JournalFilter, boolean]>([
  [{ code: 'A' }, true],
  [{ code: 'B' }, false],
  [{ code: 'A', user: 'u1' }, true],
  [{ code: 'A', user: 'u2' }, false],
])('the journal filter %j selects a dead letter with the code A or not: %s', (filter, isMeant) => {
  expect(meantBy(filter)(dead)).toBe(isMeant);
});

test('a journal filter refuses an invalid time and names the option', () => {
  expect(() => meantBy({ from: 'yesterday' })).toThrow(
    '--from: expected an ISO 8601 time with Z or an offset, got yesterday',
  );
  expect(() => meantBy({ to: 'x' })).toThrow('--to: expected');
});

test('a journal filter for every message needs --all', () => {
  expect(() => checkFilter({})).toThrow('no filter; give --type');
  expect(() => checkFilter({ user: undefined })).toThrow('no filter');
  expect(() => checkFilter({ all: true })).not.toThrow();
  expect(() => checkFilter({ user: 'u1' })).not.toThrow();
});

test('a folder counts as a journal if it has folders of clients or dead letters', async () => {
  const folder = temporaryFolder();
  await expect(onJournal(folder, async () => 'run')).rejects.toThrow(`no journal at ${folder}`);
  mkdirSync(join(folder, 'dead-letters'));
  await expect(onJournal(folder, async () => 'run')).resolves.toBe('run');
});

/** Returns a disk with a folder that the user may neither list nor search. */
function diskWithClosed(closed: string): typeof fs {
  const refuse = (path: fs.PathLike, from: string): void => {
    if (!`${path}`.startsWith(from)) return;
    throw Object.assign(new Error(`EACCES: permission denied, '${path}'`), { code: 'EACCES' });
  };
  return {
    ...fs,
    accessSync: (path, mode) => {
      refuse(path, closed);
      fs.accessSync(path, mode);
    },
    statSync: ((path) => {
      refuse(path, join(closed, '/'));
      return fs.statSync(path);
    }) as typeof fs.statSync,
  };
}

test.each([
  ['owners', 'journal/owners'],
  ['the journal', 'journal'],
  ['the folder above', ''],
])('the error for a journal that this user may not read says which user may: %s is closed', async (_, closed) => {
  const folder = temporaryFolder();
  const [path, at] = [join(folder, 'journal'), join(folder, closed)];
  mkdirSync(join(path, 'owners'), { recursive: true });
  const who =
    closed === '' ? 'of the program that writes it' : `with the id ${fs.statSync(folder).uid}, who owns ${at}`;
  const text = `the journal at ${path} cannot be read (EACCES: permission denied, '${join(path, 'owners')}'); run the command as the user ${who}`;
  const error = new CliError(text, { exitCode: EXIT.unusable });
  await expect(onJournal(path, async () => {}, diskWithClosed(at))).rejects.toThrow(error);
});

test.each<[JournalFilter, string]>([
  [{ user: '' }, '--user: expected a value, got ""'],
  [{ user: 'u1', anonymous: ' ' }, '--anonymous: expected a value, got " "'],
  [{ from: '2027-01-01', to: '2026-01-01' }, '--to: expected a time after --from (2027-01-01), got 2026-01-01'],
  [{ all: true, messageId: '' }, '--message-id: expected a value, got ""'],
])('a filter that can match nothing is refused, because a drop would report success: %j', (filter, text) => {
  expect(() => checkFilter(filter)).toThrow(text);
});

test('an option that is not a filter, such as --json, selects nothing, so a drop with only that is refused', () => {
  expect(() => checkFilter({ json: true } as JournalFilter)).toThrow('no filter; give --type');
});

test.each([
  ['ENOSPC', 'the disk is full. Make room on it'],
  ['ENOTDIR', 'it is no folder. Give the path of a folder'],
  ['EIO', 'EIO'],
  ['EACCES', 'run the command as the user with the id'],
])('an error %s of the file system ends a command with one line that says what to do', (code, advice) => {
  const error = explained(temporaryFolder(), Object.assign(new Error(`${code}: refused`), { code }));
  expect(error).toMatchObject({ name: 'CliError', exitCode: 3, message: expect.stringContaining(advice) });
  expect(String(error)).not.toContain('\n');
});

test('an error that is not from the file system stays unchanged', () => {
  const error = new Error('a mistake');
  expect(explained('/journal', error)).toBe(error);
});
