import { expect, test } from 'vitest';
import { readBuiltFile } from '../../../src/base/process/built-file.js';

test('readBuiltFile decompresses a built file when run from the source', async () => {
  expect(await readBuiltFile('debugger.html')).toMatch(/^<!doctype html>/i);
});

test('readBuiltFile returns undefined if the file was not built', async () => {
  expect(await readBuiltFile('nothing.txt')).toBeUndefined();
});
