import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const src = fileURLToPath(new URL('../src', import.meta.url));

/** Rooms in which every file that decides something has a test of its name. Add a room when it does. */
const MIRRORED = ['collector', 'delivery'];

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** `body.test.ts`, `outage.redis.test.ts` and `types.test-d.ts` are tests of `body`, `outage` and `types`. */
const tested = new Set(
  filesBelow(fileURLToPath(new URL('.', import.meta.url)))
    .map((file) => basename(file))
    .filter((file) => /\.(test|test-d)\.ts$/.test(file))
    .map((file) => file.slice(0, file.indexOf('.'))),
);

const decides = (file: string): boolean => {
  const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  return /\bif \(|\? [^:]|\bswitch\b|\bfor \(|\bwhile \(|&&|\|\||\?\?/.test(code);
};

test.each(MIRRORED)('every file of %s that decides something has a test of its name', (room) => {
  const untested = filesBelow(join(src, room))
    .filter((file) => file.endsWith('.ts') && decides(file) && !tested.has(basename(file, '.ts')))
    .map((file) => relative(src, file));
  expect(untested).toEqual([]);
});
