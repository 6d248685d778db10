import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const here = fileURLToPath(new URL('.', import.meta.url));
const src = fileURLToPath(new URL('../src', import.meta.url));

/** Rooms in which every file that decides something has a test of its name. Add a room when it does. */
const MIRRORED = [
  'client/import',
  'client/transport',
  'collector',
  'delivery',
  'destination',
  'scheduler',
  'service/audiences',
  'service/config',
  'service/deletions',
  'service/history',
  'service/ingest',
  'service/jobs',
  'service/letters',
  'service/operations',
  'service/recent',
  'service/routing',
  'store',
];

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** What the tests in a folder are named after: `body` for `body.test.ts`, and for `body.redis.test.ts`. */
const testedIn = (folder: string): string[] =>
  filesBelow(join(here, folder))
    .map((file) => basename(file))
    .filter((file) => /\.test\.ts$/.test(file))
    .map((file) => file.slice(0, file.indexOf('.')));

const decides = (file: string): boolean => {
  const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  return /\bif \(|\? [^:]|\bswitch\b|\bfor \(|\bwhile \(|&&|\|\||\?\?/.test(code);
};

test.each(MIRRORED)('every file of %s that decides something has a test of its name', (room) => {
  const [top = ''] = room.split('/');
  // What needs a server of Redis is apart.
  const tested = new Set([...testedIn(top), ...testedIn('redis')]);
  const untested = filesBelow(join(src, room))
    .filter((file) => file.endsWith('.ts') && decides(file) && !tested.has(basename(file, '.ts')))
    .map((file) => relative(src, file));
  expect(untested).toEqual([]);
});
