import * as fs from 'node:fs';
import { expect, test } from 'vitest';
import { ClosedError } from '../../../src/base/errors/errors.js';
import { JournalError } from '../../../src/base/errors/journal-errors.js';
import {
  DeadLetterFiles,
  deadLetterFilesIn,
  deadLettersOf,
  lettersIn,
  lineOf,
} from '../../../src/client/journal/dead-letter-file.js';
import { Forgetting } from '../../../src/client/journal/forgetting.js';
import { Problems } from '../../../src/client/journal/problems.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** What is forgotten in a journal with dead letters of ann and bob, and the order of the steps. */
function forgetting(erase = async () => {}) {
  const path = temporaryFolder();
  const files = new DeadLetterFiles(fs, path, 'owner', { maxDeadLetters: 100, maxDeadLetterAge: 60_000 });
  const letter = (userId: string) => lineOf({ at: 'then', code: 'NO', error: 'no' }, JSON.stringify({ userId }));
  files.append([letter('ann'), letter('bob')], 0);
  const steps: string[] = [];
  const forgets = new Forgetting({
    fs,
    path,
    problems: new Problems((code, place, message) => new JournalError(code, place, message), path),
    owner: { path: '/j/owners/owner' },
    log: {
      write: () => void steps.push('log is written'),
      async erase() {
        await erase();
        steps.push('log');
      },
    },
    recovery: {
      write: () => void steps.push('recovered is written'),
      drop: async () => ({ messages: 2, bytes: 20 }),
      erase: async () => void steps.push('recovered'),
    },
    aside: { drop: () => 3, endAll: () => void steps.push('nothing waits for letters') },
    writes: { writeNow: () => void steps.push('write') },
  });
  const users = () =>
    deadLetterFilesIn(fs, deadLettersOf(path)).flatMap((file) =>
      lettersIn(fs, file).map((found) => (found.letter.message as { userId: string }).userId),
    );
  return { forgets, steps, users };
}

const isAnn = ({ userId }: { userId?: string }): boolean => userId === 'ann';

test('what is forgotten is written and erased everywhere, and dead letters are counted, written or not', async () => {
  const { forgets, steps, users } = forgetting();
  await expect(forgets.dropEarlier(() => true)).resolves.toEqual({ messages: 2, bytes: 20 });
  await expect(forgets.erase(isAnn, true)).resolves.toBe(4);
  expect(steps).toEqual([
    'write',
    'nothing waits for letters',
    'log is written',
    'recovered is written',
    'log',
    'recovered',
    'write',
  ]);
  expect(users()).toEqual(['bob']);
});

test('a client that is closed erases nothing, and says so with a ClosedError', async () => {
  const { forgets, steps } = forgetting();
  await forgets.close();
  await expect(forgets.erase(isAnn, true)).rejects.toBeInstanceOf(ClosedError);
  expect(steps).toEqual([]);
});

test('close waits for running erasures and idle for all registered work, even if the disk fails', async () => {
  let fail = (_: Error): void => {};
  const { forgets } = forgetting(() => new Promise((_, reject) => (fail = reject)));
  const erasing = forgets.erase(isAnn, true);
  forgets.begin(erasing);
  forgets.begin(Promise.resolve());
  const ended: string[] = [];
  const idle = forgets.idle().then(() => ended.push('idle'));
  const closed = forgets.close().then(() => ended.push('closed'));
  await new Promise(setImmediate);
  expect(ended).toEqual([]);
  fail(new Error('no room'));
  await expect(erasing).rejects.toBeInstanceOf(JournalError);
  await Promise.all([idle, closed]);
});
