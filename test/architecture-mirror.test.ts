import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const here = fileURLToPath(new URL('.', import.meta.url));
const src = fileURLToPath(new URL('../src', import.meta.url));

const rooms = readdirSync(src, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Returns what tests are named after: `body` for `body.test.ts`, `body.redis.test.ts` and `body.browser.ts`. */
const namesOf = (tests: readonly string[]): string[] =>
  tests
    .map((file) => basename(file))
    .filter((file) => /\.(test|browser)\.ts$/.test(file))
    .map((file) => file.slice(0, file.indexOf('.')));

const testedIn = (folder: string): string[] => namesOf(filesBelow(join(here, folder)));

const decides = (file: string): boolean => {
  const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  return /\bif \(|\? [^:]|\bswitch\b|\bfor \(|\bwhile \(|&&|\|\||\?\?/.test(code);
};

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const untestedOf = (files: readonly string[], tested: ReadonlySet<string>): string[] =>
  files
    .filter((file) => /\.tsx?$/.test(file) && decides(file) && !tested.has(basename(file).replace(/\.tsx?$/, '')))
    .map((file) => relative(src, file));

test('every file outside the rooms that contains decisions has a test with its name', () => {
  expect(untestedOf(filesIn(src), new Set(namesOf(filesIn(here))))).toEqual([]);
});

test.each(rooms)('every file of %s that contains decisions has a test with its name', (room) => {
  const [top = ''] = room.split('/');
  // Tests that need a Redis server or a browser are in other folders.
  const tested = new Set([...testedIn(top), ...testedIn('redis'), ...testedIn('browser')]);
  expect(untestedOf(filesBelow(join(src, room)), tested)).toEqual([]);
});
