import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  DeadLetterFiles,
  deadLetterFilesIn,
  deadLettersOf,
  eraseLetters,
  letterOf,
  lettersIn,
} from '../../../src/client/journal/dead-letter-file.js';
import { bundled } from '../../support/bundled.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk, refusal } from './faulty-disk.js';
import { batchWith } from './left-folder.js';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const DAY_MS = 24 * 60 * 60_000;
const LIMITS = { maxDeadLetters: 100, maxDeadLetterAge: DAY_MS };

const letter = (n: number): string => letterOf({ at: 'then', code: 'NO', error: 'no' }, String(n));

const RECORD_BYTES = batchWith(letter(0)).length;

const filesIn = (journal: string): string[] => deadLetterFilesIn(fs, deadLettersOf(journal));

const numbersIn = (journal: string): unknown[] =>
  filesIn(journal).flatMap((file) => lettersIn(fs, file).map(({ message }) => message));

function append(files: DeadLetterFiles, from: number, to: number): number {
  return files.append(
    Array.from({ length: to - from }, (_, index) => letter(from + index)),
    NOW,
  );
}

/** Sets the time of the last write to a file. */
function age(file: string, at: number): void {
  utimesSync(file, at / 1_000, at / 1_000);
}

test('dead letters beyond maxDeadLetters remove the oldest ones, which are counted', () => {
  const journal = temporaryFolder();
  const files = new DeadLetterFiles(fs, journal, 'owner', LIMITS);
  expect(append(files, 0, 100)).toBe(0);
  let dropped = 0;
  for (let n = 100; n < 155; n += 5) dropped += append(files, n, n + 5);
  const kept = numbersIn(journal);
  expect(kept.length).toBeLessThanOrEqual(100);
  expect(kept.at(-1)).toBe(154);
  expect(dropped + kept.length).toBe(155);
  expect(kept[0]).toBe(dropped);
});

test('dead letters that were replayed do not count as removed', () => {
  const journal = temporaryFolder();
  const files = new DeadLetterFiles(fs, journal, 'owner', LIMITS);
  append(files, 0, 100);
  const [oldest = ''] = filesIn(journal);
  eraseLetters(fs, oldest, (_, index) => index < 4);
  expect(append(files, 100, 101)).toBe(6);
  expect(readdirSync(deadLettersOf(journal))).not.toContain(`${basename(oldest)}.gone`);
});

test('dead letters older than maxDeadLetterAge are removed when the next file begins', () => {
  const journal = temporaryFolder();
  const files = new DeadLetterFiles(fs, journal, 'owner', LIMITS);
  append(files, 0, 10);
  age(filesIn(journal)[0] ?? '', NOW - 2 * DAY_MS);
  expect(append(files, 10, 11)).toBe(10);
  expect(numbersIn(journal)).toEqual([10]);
});

test('dead letters of several clients are read oldest file first', () => {
  const journal = temporaryFolder();
  append(new DeadLetterFiles(fs, journal, 'z', LIMITS), 0, 2);
  append(new DeadLetterFiles(fs, journal, 'a', LIMITS), 2, 4);
  const [, later = ''] = filesIn(journal);
  for (const file of filesIn(journal)) age(file, file.includes('z-') ? NOW - 1_000 : NOW);
  expect(later).not.toBe('');
  expect(numbersIn(journal)).toEqual([0, 1, 2, 3]);
});

test('only the user of the process has access to the files of dead letters', () => {
  const journal = temporaryFolder();
  append(new DeadLetterFiles(fs, journal, 'owner', LIMITS), 0, 1);
  const [file = ''] = filesIn(journal);
  expect(statSync(deadLettersOf(journal)).mode & 0o777).toBe(0o700);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('an erased dead letter is not in its file any more, and the others keep their index', () => {
  const journal = temporaryFolder();
  append(new DeadLetterFiles(fs, journal, 'owner', LIMITS), 0, 4);
  const [file = ''] = filesIn(journal);
  eraseLetters(fs, file, (_, index) => index === 0 || index === 2);
  eraseLetters(fs, file, () => false);
  for (const [n, isThere] of [false, true, false, true].entries()) {
    expect(readFileSync(file, 'utf8').includes(letter(n))).toBe(isThere);
  }
  expect(lettersIn(fs, file).map(({ index, message }) => [index, message])).toEqual([
    [1, 1],
    [3, 3],
  ]);
});

test('many dead letters that are written at once are split into files of the same length', () => {
  const journal = temporaryFolder();
  const files = new DeadLetterFiles(fs, journal, 'owner', LIMITS);
  append(files, 0, 5);
  append(files, 5, 35);
  expect(filesIn(journal).map((file) => lettersIn(fs, file).length)).toEqual([10, 10, 10, 5]);
});

test('dead letters that other clients add to files that were already counted are counted too', () => {
  const journal = temporaryFolder();
  const [one, two, own] = ['one', 'two', 'own'].map((owner) => new DeadLetterFiles(fs, journal, owner, LIMITS)) as [
    DeadLetterFiles,
    DeadLetterFiles,
    DeadLetterFiles,
  ];
  for (const other of [one, two]) append(other, 0, 1);
  append(own, 0, 10);
  for (const other of [one, two]) append(other, 1, 10);
  append(own, 10, 90);
  expect(numbersIn(journal)).toHaveLength(100);
});

test('the erasure of a dead letter is flushed to the disk before its file is closed', () => {
  const journal = temporaryFolder();
  append(new DeadLetterFiles(fs, journal, 'owner', LIMITS), 0, 2);
  const calls: string[] = [];
  const disk = faultyDisk((name) => {
    if (['writeSync', 'fsyncSync', 'closeSync'].includes(name)) calls.push(name);
    return undefined;
  });
  eraseLetters(disk, filesIn(journal)[0] ?? '', (_, index) => index === 1);
  // The first file was opened to read it.
  expect(calls).toEqual(['closeSync', 'writeSync', 'fsyncSync', 'closeSync']);
});

test.each([
  { mayRemove: false, calls: ['readFileSync', 'openSync', 'fstatSync', 'writeSync'] },
  { mayRemove: true, calls: ['readFileSync', 'unlinkSync', 'openSync'] },
])('a file that another process removes during an erasure is no error: %o', ({ mayRemove, calls }) => {
  const journal = temporaryFolder();
  const files = new DeadLetterFiles(fs, journal, 'owner', LIMITS);
  for (const call of calls) {
    append(files, 0, 2);
    const [file = ''] = filesIn(journal);
    const disk = faultyDisk((name) => {
      if (name === call) fs.rmSync(file, { force: true });
      return undefined;
    });
    eraseLetters(disk, file, () => true, mayRemove);
    expect(filesIn(journal)).toEqual([]);
  }
});

test('a dead letter that was cut off by a kill does not count as damage', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'owner-000001.batch');
  const records = batchWith(letter(0), letter(1));
  const damaged: number[] = [];
  for (let bytes = RECORD_BYTES; bytes < records.length; bytes++) {
    writeFileSync(file, records.subarray(0, bytes));
    expect(lettersIn(fs, file, (at) => damaged.push(at)).map(({ index }) => index)).toEqual([0]);
  }
  expect(damaged).toEqual([]);
});

test.each([Buffer.alloc(500), Buffer.from('garbage')])(
  'bytes after the last dead letter that do not begin as a record are reported as damage',
  (rest) => {
    const file = join(temporaryFolder(), 'owner-000001.batch');
    writeFileSync(file, Buffer.concat([batchWith(letter(0)), rest]));
    const damaged: number[] = [];
    expect(lettersIn(fs, file, (at) => damaged.push(at))).toHaveLength(1);
    expect(damaged).toEqual([RECORD_BYTES]);
  },
);

test('a dead letter with one wrong bit anywhere is reported with its position, and the letters around it are read', () => {
  const file = join(temporaryFolder(), 'owner-000001.batch');
  const records = batchWith(letter(0), letter(1), letter(2));
  const body = 2 * RECORD_BYTES - letter(1).length;
  for (let at = RECORD_BYTES; at < 2 * RECORD_BYTES; at++) {
    const damaged = Buffer.from(records);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    writeFileSync(file, damaged);
    const places: number[] = [];
    expect(lettersIn(fs, file, (place) => places.push(place)).map(({ message }) => message)).toEqual([0, 2]);
    expect(places).toEqual([at < body ? RECORD_BYTES : body]);
  }
});

test('unreadable bytes can be erased, including a last letter that was cut off', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'owner-000001.batch');
  const records = batchWith(letter(0), letter(1), letter(2), letter(3)).subarray(0, -9);
  records.write('?', records.indexOf(letter(1)));
  writeFileSync(file, records);
  eraseLetters(fs, file, (found) => found === undefined);
  expect(lettersIn(fs, file).map(({ message }) => message)).toEqual([0, 2]);
  const rest = readFileSync(file, 'latin1');
  for (const n of [0, 2]) expect(rest).toContain(letter(n));
  expect(rest.match(/then/g)).toHaveLength(2);
});

test('a journal without dead letters has no files of them, and other files in their folder are ignored', () => {
  const journal = temporaryFolder();
  expect(filesIn(journal)).toEqual([]);
  mkdirSync(deadLettersOf(journal));
  appendFileSync(join(deadLettersOf(journal), 'notes.txt'), 'x');
  mkdirSync(join(deadLettersOf(journal), 'owner-000001.batch'));
  expect(filesIn(journal)).toEqual([]);
});

test('a letter that was cut off and cannot be removed is never joined with the next', () => {
  const journal = temporaryFolder();
  let isFailing = false;
  const disk = faultyDisk((name, args) => {
    if (!isFailing || !['writeSync', 'ftruncateSync'].includes(name)) return undefined;
    if (name === 'writeSync') fs.writeSync(Number(args[0]), args[1] as Buffer, 0, 40, Number(args[4]));
    return refusal('EIO');
  });
  const files = new DeadLetterFiles(disk, journal, 'owner', LIMITS);
  append(files, 0, 1);
  isFailing = true;
  expect(() => append(files, 1, 2)).toThrow('EIO');
  isFailing = false;
  append(files, 1, 3);
  expect(numbersIn(journal)).toEqual([0, 1, 2]);
});

test('a letter that a loss of power cut off is never joined with another, because the next client writes to its own file', () => {
  const journal = temporaryFolder();
  append(new DeadLetterFiles(fs, journal, 'owner', LIMITS), 0, 2);
  const [file = ''] = filesIn(journal);
  fs.truncateSync(file, statSync(file).size - 10);
  append(new DeadLetterFiles(fs, journal, 'next', LIMITS), 2, 3);
  expect(numbersIn(journal).toSorted()).toEqual([0, 2]);
});

test('if only a part of a write of dead letters fits on the disk, the file stays as it was', () => {
  const journal = temporaryFolder();
  const child = bundled(new URL('./cut-off-letters-child.ts', import.meta.url));
  // The shell limits files to one or two KiB (the unit of `ulimit` differs), so the write of several letters stops there.
  const limited = ['-c', 'ulimit -S -f 2 && exec "$@"', 'sh', process.execPath, child, journal];
  const { stdout, stderr, status } = spawnSync('sh', limited, { encoding: 'utf8' });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  const letters = JSON.parse(stdout);
  expect(letters).toEqual({ code: 'EFBIG', before: RECORD_BYTES, after: RECORD_BYTES });
  expect(numbersIn(journal)).toEqual([0, 'after']);
});
