import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, inject, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const door = join(inject('project'), 'node_modules/eventferry', manifest.exports['./fetch'].default);

/** The files that load with a script, and with `isLater` those that load later. */
function filesOf(script: string, isLater: boolean, found = new Set<string>()): Set<string> {
  if (found.has(script)) return found;
  found.add(script);
  const text = readFileSync(script, 'utf8');
  const imports = text.matchAll(isLater ? /(?:from|import|import\()"(\.[^"]+)"/g : /(?:from|import)"(\.[^"]+)"/g);
  for (const [, path = ''] of imports) filesOf(join(script, '..', path), isLater, found);
  return found;
}

const all = [...filesOf(door, true)];

test('the client for the web is a door, what is behind it, and two parts that load when they are needed', () => {
  expect(all.length).toBe(4);
  expect(filesOf(door, false).size).toBe(2);
});

test.each([
  ['a module of Node', /["'`]node:|\brequire\(|\bcreateRequire\b/],
  ['another package', /(?:\bfrom|^import|;import|\bimport\()"[^."]/],
  ['Buffer', /(?<!Array)\bBuffer\b/],
  ['process', /\bprocess\s*[.?[]|typeof process\b/],
  ['setImmediate', /\bsetImmediate\b/],
  ['a global of CommonJS', /\b__(?:dirname|filename)\b|\bmodule\.exports\b/],
])('the client for the web has nothing of %s in any of its files', (_, pattern) => {
  for (const file of all) expect(readFileSync(file, 'utf8').match(pattern)?.[0], file).toBeUndefined();
});

/** Of what a program loads that sends events, as it is published: minified. */
const MOST_BYTES = 27_200;

test(`the client for the web is at most ${MOST_BYTES} bytes with gzip`, () => {
  const files = [...filesOf(door, false)];
  const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(file), { level: 9 }).length, 0);
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
});
