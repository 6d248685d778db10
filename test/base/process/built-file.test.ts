import { expect, test } from 'vitest';
import { readBuiltFile } from '../../../src/base/process/built-file.js';

test('a file that the build makes is read from the source, decompressed', async () => {
  expect(await readBuiltFile('debugger.html')).toMatch(/^<!doctype html>/i);
});

test('a file that is not built is undefined', async () => {
  expect(await readBuiltFile('nothing.txt')).toBeUndefined();
});
