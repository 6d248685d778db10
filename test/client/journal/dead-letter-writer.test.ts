import * as fs from 'node:fs';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ForgottenError, RejectedError } from '../../../src/base/errors/errors.js';
import { JournalError } from '../../../src/base/errors/journal-errors.js';
import {
  damagedOf,
  deadLetterFilesIn,
  deadLettersOf,
  lettersIn,
} from '../../../src/client/journal/dead-letter-file.js';
import { DeadLetterWriter } from '../../../src/client/journal/dead-letter-writer.js';
import type { JournalEvent } from '../../../src/client/journal/journal-event.js';
import { Problems } from '../../../src/client/journal/system-errors.js';
import { Batch } from '../../../src/client/queue/batch.js';
import { FakeClock } from '../../support/fake-clock.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const LIMITS = { maxDeadLetters: 1_000, maxDeadLetterAge: 60_000 };

function open(limits = LIMITS) {
  const path = temporaryFolder();
  const told: string[] = [];
  const places: (string | undefined)[] = [];
  const problems = new Problems((code, place, message) => new JournalError(code, place, message), path);
  const parts = {
    fs,
    path,
    owner: { path: '/j/owners/owner' },
    clock: new FakeClock(),
    problems,
    onEvent(event: JournalEvent) {
      if (event.kind === 'damaged') places.push(event.error.message.split(' and is lost: ')[1]);
      else told.push('messages' in event ? `${event.kind} ${event.messages}` : event.kind);
    },
    onUnreadable: (messages: number, bytes: number, code: string) =>
      told.push(`${messages} unreadable, ${bytes} bytes, ${code}`),
  };
  const aside = new DeadLetterWriter(parts, limits);
  const letters = (): unknown[] =>
    deadLetterFilesIn(fs, deadLettersOf(path)).flatMap((file) =>
      lettersIn(fs, file).map(({ code, message }) => [code, message]),
    );
  /** Puts a file in the place of each folder, so that no letter or damaged bytes can be written. */
  const block = (): void => {
    for (const folder of [deadLettersOf(path), damagedOf(path)]) writeFileSync(folder, '');
  };
  return { path, aside, told, places, letters, block };
}

const remains = (text: string, at: number) => ({ bytes: Buffer.from(text), path: '/j/owners/a/000001.batch', at });

function batchOf(...jsons: string[]): Batch {
  const batch = new Batch('00000000-0000-4000-8000-000000000000', { maxBytes: 500_000, maxMessages: 100_000 });
  for (const json of jsons) batch.add(json);
  return batch;
}

test('a lost message is kept as a dead letter, unless it was dropped or is damaged', () => {
  const { aside, letters } = open();
  const batch = batchOf('{"n":0}', '{"n":1}', '{"n":2}', '{"n":3}');
  batch.drop(1, new ForgottenError());
  const damaged = new JournalError('EVENTFERRY_JOURNAL_DAMAGED', '/journal', 'damaged');
  const errors = [undefined, new RejectedError(403, 'no'), damaged, new RejectedError(403, 'no')];
  aside.bury(batch, 0, 4, (index) => errors[index]);
  aside.write();
  expect(letters()).toEqual([['EVENTFERRY_REJECTED', { n: 3 }]]);
});

test('dead letters and damaged bytes that cannot be written are reported once, kept, and written when the disk works again', () => {
  const { path, aside, told, letters, block } = open();
  block();
  aside.bury(batchOf('{"n":0}'), 0, 1, () => new RejectedError(403, 'no'));
  aside.setAside('/j/owners/a', [remains('?', 7)], 1);
  aside.write();
  aside.write();
  const expected = ['1 unreadable, 1 bytes, EVENTFERRY_JOURNAL_DAMAGED', 'unkept'];
  expect(told).toEqual(expected);
  rmSync(damagedOf(path));
  aside.write();
  expect(readdirSync(damagedOf(path))).toEqual(['a-000001.batch-7']);
  rmSync(deadLettersOf(path));
  aside.write();
  expect(letters()).toEqual([['EVENTFERRY_REJECTED', { n: 0 }]]);
  expect(told).toEqual(expected);
});

test('messages that were given up count as ended only once their dead letters are written', () => {
  const { path, aside, block } = open();
  block();
  const ended: string[] = [];
  aside.bury(batchOf('{"n":0}'), 0, 1, () => new RejectedError(403, 'no'));
  aside.endLater(() => ended.push('0'));
  aside.write();
  expect(ended).toEqual([]);
  rmSync(deadLettersOf(path));
  rmSync(damagedOf(path), { force: true });
  for (let writes = 0; writes < 2; writes++) aside.write();
  expect(ended).toEqual(['0']);
});

test('dead letters that cannot be written are kept in memory up to a limit, and beyond it the oldest count as dropped', () => {
  const { path, aside, told, letters, block } = open({ ...LIMITS, maxDeadLetters: 100_000 });
  block();
  const batch = batchOf(...Array.from({ length: 10_003 }, (_, n) => String(n)));
  aside.bury(batch, 0, batch.count, () => new RejectedError(403, 'no'));
  aside.write();
  rmSync(deadLettersOf(path));
  aside.write();
  expect([told, letters().length, letters()[0]]).toEqual([['unkept', 'dropped 3'], 10_000, ['EVENTFERRY_REJECTED', 3]]);
});

test('bytes that cannot be read are kept in a separate file, and the error names their place', () => {
  const { path, aside, places } = open();
  aside.setAside('/j/owners/a', [remains('broken', 52), remains('', 60), remains(' too', 70)], 10);
  aside.write();
  const file = join(damagedOf(path), 'a-000001.batch-52');
  expect(places).toEqual([`byte 52 of /j/owners/a/000001.batch; what is left of it is in ${file}`]);
  expect(readFileSync(file, 'latin1')).toBe('broken too');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a damaged message without bytes makes no file, and damaged bytes without a message make no event', () => {
  const { path, aside, told, places } = open();
  aside.setAside('a', [remains('', 0)], 0);
  aside.setAside('a', [], 5);
  aside.write();
  expect([existsSync(damagedOf(path)), places]).toEqual([false, ['its file is not there any more']]);
  expect(told[1]).toBe('0 unreadable, 5 bytes, EVENTFERRY_JOURNAL_DAMAGED');
});

test('damaged bytes that cannot be written wait in memory up to a limit, and beyond it only their place is reported', () => {
  const { path, aside, places, block } = open();
  block();
  aside.setAside('a', [remains('x'.repeat(16 * 2 ** 20), 1)], 1);
  aside.setAside('a', [remains('y', 2)], 1);
  aside.write();
  expect(places[0]).toContain('what is left of it is in');
  expect(places[1]).toBe('byte 2 of /j/owners/a/000001.batch');
  rmSync(damagedOf(path));
  aside.write();
  aside.setAside('a', [remains('z', 3)], 1);
  expect(places[2]).toContain('what is left of it is in');
});

test.each([true, false])('unwritten damaged bytes are dropped only with dropsDamage: %s', (dropsDamage) => {
  const { path, aside, block } = open();
  block();
  aside.setAside('a', [remains('{"userId":"ann"', 1)], 1);
  aside.write();
  aside.drop(() => false, dropsDamage);
  rmSync(damagedOf(path));
  aside.write();
  expect(existsSync(damagedOf(path)) ? readdirSync(damagedOf(path)).length : 0).toBe(dropsDamage ? 0 : 1);
});

test('a dead letter that is dropped before it is written is never written', () => {
  const { aside, letters } = open();
  aside.bury(batchOf('{"userId":"ann"}', '{"userId":"bob"}'), 0, 2, () => new RejectedError(403, 'no'));
  expect(aside.drop(({ userId }) => userId === 'ann', false)).toBe(1);
  aside.write();
  expect(letters()).toEqual([['EVENTFERRY_REJECTED', { userId: 'bob' }]]);
});
