import * as fs from 'node:fs';
import { expect, test } from 'vitest';
import { RejectedError } from '../../../src/base/errors/errors.js';
import { deadLetterFilesIn, deadLettersOf, lettersIn } from '../../../src/client/journal/dead-letter-file.js';
import { DeadLetters } from '../../../src/client/journal/dead-letters.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const DAY_MS = 24 * 60 * 60_000;

const rejected = new RejectedError(403, 'no');

const numbersIn = (journal: string): unknown[] =>
  deadLetterFilesIn(fs, deadLettersOf(journal)).flatMap((file) =>
    lettersIn(fs, file).map(({ letter }) => letter.message),
  );

test('dead letters that cannot be written are kept in memory up to a bound, and the oldest of them count as pushed out', () => {
  const letters = new DeadLetters(fs, '/dev/null/journal', 'owner', {
    maxDeadLetters: 100_000,
    maxDeadLetterAge: DAY_MS,
  });
  for (let n = 0; n < 10_003; n++) letters.add(NOW, rejected, String(n));
  expect(() => letters.write(NOW)).toThrow();
  const journal = temporaryFolder();
  const writable = new DeadLetters(fs, journal, 'owner', { maxDeadLetters: 100_000, maxDeadLetterAge: DAY_MS });
  for (let n = 0; n < 10_003; n++) writable.add(NOW, rejected, String(n));
  expect(writable.write(NOW)).toBe(3);
  expect(numbersIn(journal)).toHaveLength(10_000);
});
