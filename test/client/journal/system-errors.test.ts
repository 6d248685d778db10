import { expect, test } from 'vitest';
import { describeProblem, PROBLEMS } from '../../../src/client/journal/system-errors.js';

const systemError = (code: string): Error => Object.assign(new Error(`${code}: no`), { code });

test.each([
  ['ENOTDIR', 'EVENTFERRY_JOURNAL_NOT_A_FOLDER', /Give the path of a folder/],
  ['EEXIST', 'EVENTFERRY_JOURNAL_NOT_A_FOLDER', /Give the path of a folder/],
  ['EACCES', 'EVENTFERRY_JOURNAL_NO_PERMISSION', /Give a folder that its user may write/],
  ['EPERM', 'EVENTFERRY_JOURNAL_NO_PERMISSION', /Give a folder that its user may write/],
  ['EROFS', 'EVENTFERRY_JOURNAL_NO_PERMISSION', /Give a folder that its user may write/],
  ['ENOSPC', 'EVENTFERRY_JOURNAL_NO_ROOM', /Make room/],
  ['EDQUOT', 'EVENTFERRY_JOURNAL_NO_ROOM', /Make room/],
])('the system error %s becomes the code %s, with its path and advice', (system, code, advice) => {
  const problem = describeProblem('/data/events', systemError(system));
  expect(problem.code).toBe(code);
  expect(problem.message).toMatch(/^The journal at \/data\/events cannot be used: /);
  expect(problem.message).toMatch(advice);
  expect(problem.message).toContain(`(${system})`);
});

test.each([
  ['a system error without advice', systemError('EIO'), 'EIO: no'],
  ['an error without a code', new Error('broken'), 'broken'],
  ['a thrown value that is not an error', 'a word', 'a word'],
])('a failure with %s is described by its text', (_, error, reason) => {
  expect(describeProblem('/data/events', error)).toEqual({
    code: 'EVENTFERRY_JOURNAL_FAILED',
    message: `The journal at /data/events cannot be used: ${reason}`,
  });
});

test('the error for a journal of a newer version says what to do', () => {
  const { code, message } = describeProblem('/data/events', PROBLEMS.newerVersion('/data/events', 2));
  expect(code).toBe('EVENTFERRY_JOURNAL_NEWER');
  expect(message).toMatch(/^\/data\/events was written by a newer version .*format is 2.* Use that version/);
});

test('the error for a removed folder of a journal says what to do', () => {
  const { code, message } = describeProblem('/data/events', PROBLEMS.away('/data/events/owners/a'));
  expect(code).toBe('EVENTFERRY_JOURNAL_FAILED');
  expect(message).toMatch(/owners\/a was moved or removed while .* Start the program again/);
});
