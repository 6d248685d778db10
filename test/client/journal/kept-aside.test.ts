import * as fs from 'node:fs';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ForgottenError, RejectedError } from '../../../src/base/errors/errors.js';
import { JournalError } from '../../../src/base/errors/journal-errors.js';
import { damagedOf } from '../../../src/client/journal/damaged-files.js';
import { deadLetterFilesIn, deadLettersOf, lettersIn } from '../../../src/client/journal/dead-letter-file.js';
import { KeptAside } from '../../../src/client/journal/kept-aside.js';
import { Problems } from '../../../src/client/journal/problems.js';
import { Batch } from '../../../src/client/queue/batch.js';
import { FakeClock } from '../../support/fake-clock.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const LIMITS = { maxDeadLetters: 1_000, maxDeadLetterAge: 60_000 };

function open() {
  const path = temporaryFolder();
  const told: string[] = [];
  const problems = new Problems((code, place, message) => new JournalError(code, place, message), path);
  const onEvent = ({ kind }: { kind: string }): void => void told.push(kind);
  const aside = new KeptAside({ ...LIMITS, fs, path, owner: 'owner', clock: new FakeClock(), problems, onEvent });
  const letters = (): unknown[] =>
    deadLetterFilesIn(fs, deadLettersOf(path)).flatMap((file) =>
      lettersIn(fs, file).map(({ letter }) => [letter.code, letter.message]),
    );
  return { path, aside, told, letters };
}

function batchOf(...jsons: string[]): Batch {
  const batch = new Batch('00000000-0000-4000-8000-000000000000', { maxBytes: 10_000, maxMessages: 100 });
  for (const json of jsons) batch.add(json);
  return batch;
}

test('a message is kept as a dead letter when it was lost, and neither delivered, nor dropped, nor damaged', () => {
  const { aside, letters } = open();
  const batch = batchOf('{"n":0}', '{"n":1}', '{"n":2}', '{"n":3}');
  batch.drop(1, new ForgottenError());
  const damaged = new JournalError('EVENTFERRY_JOURNAL_DAMAGED', '/journal', 'damaged');
  const errors = [undefined, new RejectedError(403, 'no'), damaged, new RejectedError(403, 'no')];
  aside.bury(batch, 0, 4, (index) => errors[index]);
  aside.write();
  expect(letters()).toEqual([['EVENTFERRY_REJECTED', { n: 3 }]]);
});

test('what cannot be written is told once, kept, and written when the disk takes it again', () => {
  const { path, aside, told, letters } = open();
  // A file stands where each folder has to be.
  for (const folder of [deadLettersOf(path), damagedOf(path)]) writeFileSync(folder, '');
  aside.bury(batchOf('{"n":0}'), 0, 1, () => new RejectedError(403, 'no'));
  const place = aside.addDamage('/journal/owners/0', [{ path: '/journal/owners/0/s', at: 7, bytes: Buffer.from('?') }]);
  expect(place).toContain('byte 7 of /journal/owners/0/s');
  aside.write();
  aside.write();
  expect(told).toEqual(['unkept']);
  rmSync(damagedOf(path));
  aside.write();
  expect(readdirSync(damagedOf(path))).toEqual(['0-s-7']);
  rmSync(deadLettersOf(path));
  aside.write();
  expect(letters()).toEqual([['EVENTFERRY_REJECTED', { n: 0 }]]);
  expect(told).toEqual(['unkept']);
});

test('a dead letter that is forgotten before it was written is never written', () => {
  const { aside, letters } = open();
  aside.bury(batchOf('{"userId":"ann"}', '{"userId":"bob"}'), 0, 2, () => new RejectedError(403, 'no'));
  expect(aside.drop(({ userId }) => userId === 'ann')).toBe(1);
  aside.write();
  expect(letters()).toEqual([['EVENTFERRY_REJECTED', { userId: 'bob' }]]);
});
