import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readBody, unreadable } from '../../../src/cli/options/file.js';
import { newFile, newFolder } from '../files.js';
import { withStdin } from '../stdin.js';

test('readBody returns the bytes of a file, and of standard input for -', async () => {
  const stdin = Readable.from([Buffer.from('in')]);
  expect(Buffer.from(await readBody(await newFile('body', 'a\r\n'))).toString()).toBe('a\r\n');
  expect(Buffer.from(await withStdin(stdin, () => readBody('-'))).toString()).toBe('in');
});

test('readBody names the path that is missing or a folder', async () => {
  const folder = await newFolder();
  await expect(readBody(`${folder}/none`)).rejects.toThrow(`there is no file: ${folder}/none`);
  await expect(readBody(folder)).rejects.toThrow(`a folder, not a file: ${folder}`);
});

test('the error of a file that cannot be read names the file and the reason', () => {
  expect(unreadable('a', new Error('EIO: i/o error')).message).toBe('EIO: i/o error: a');
});

test.each([
  ['ENOENT', 'there is no file: a'],
  ['EISDIR', 'a folder, not a file: a'],
  ['EACCES', 'no permission to read: a'],
])('an unreadable file with the code %s is explained in words', (code, message) => {
  expect(unreadable('a', Object.assign(new Error('open'), { code })).message).toBe(message);
});
