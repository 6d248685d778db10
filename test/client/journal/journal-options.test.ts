import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { resolveJournal } from '../../../src/client/journal/journal-options.js';

test('a journal given as a path has every default, and an absolute path', () => {
  expect(resolveJournal('./events')).toEqual({
    path: resolve('./events'),
    maxBytes: 2 ** 30,
    durability: 'process',
    adopt: [],
    maxDeadLetters: 100_000,
    maxDeadLetterAge: 2_592_000_000,
  });
});

test('the given options of a journal replace the defaults, and undefined means the default', () => {
  expect(resolveJournal({ path: './events', durability: 'machine', maxDeadLetters: undefined })).toMatchObject({
    durability: 'machine',
    maxDeadLetters: 100_000,
  });
});

test.each([
  ['path', ''],
  ['maxBytes', 999_999],
  ['durability', 'disk'],
  ['adopt', 'one'],
  ['maxDeadLetters', 0],
  ['maxDeadLetterAge', 1.5],
])('the option `journal.%s` is refused when it is %j', (name, value) => {
  expect(() => resolveJournal({ path: './events', [name]: value })).toThrow(
    expect.objectContaining({ option: `journal.${name}` }),
  );
});

test('an error about `adopt` does not show the write keys in the list', () => {
  const wrong = { path: './events', adopt: ['secret-key', 5] } as unknown as string;
  expect(() => resolveJournal(wrong)).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('secret-key') }),
  );
});
