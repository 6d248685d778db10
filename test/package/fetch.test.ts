import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import { expect, inject, test } from 'vitest';
import { INTERNAL_NAMES } from '../../.ci/internal-names.js';
import manifest from '../../package.json' with { type: 'json' };

const door = join(inject('project'), 'node_modules/eventferry', manifest.exports['./fetch'].default);

/** Returns the files that load with a script or, with `isLater`, those that load later. */
function filesOf(script: string, isLater: boolean, found = new Set<string>()): Set<string> {
  if (found.has(script)) return found;
  found.add(script);
  const text = readFileSync(script, 'utf8');
  const imports = text.matchAll(isLater ? /(?:from|import|import\()"(\.[^"]+)"/g : /(?:from|import)"(\.[^"]+)"/g);
  for (const [, path = ''] of imports) filesOf(join(script, '..', path), isLater, found);
  return found;
}

const all = [...filesOf(door, true)];

const MOST_BYTES = 25_900;
const MOST_BYTES_OF_ALL = 31_150;

test('the client for the web consists of its entry point, the code behind it, and parts that load when needed', () => {
  expect(all.length).toBe(6);
  expect(filesOf(door, false).size).toBe(2);
});

test.each([
  ['a module of Node', /["'`]node:|\brequire\(|\bcreateRequire\b/],
  ['another package', /(?:\bfrom|^import|;import|\bimport\()"[^."]/],
  ['Buffer', /(?<!Array)\bBuffer\b/],
  ['process', /\bprocess\s*[.?[]|typeof process\b/],
  ['setImmediate', /\bsetImmediate\b/],
  ['a global of CommonJS', /\b__(?:dirname|filename)\b|\bmodule\.exports\b/],
])('the client for the web contains no trace of %s in any of its files', (_, pattern) => {
  for (const file of all) expect(readFileSync(file, 'utf8').match(pattern)?.[0], file).toBeUndefined();
});

/** Returns the types of the entry point, and those that they refer to. */
function typesOf(file: string, found = new Map<string, string>()): Map<string, string> {
  if (found.has(file)) return found;
  const text = readFileSync(file, 'utf8');
  found.set(file, text);
  for (const [, path = ''] of text.matchAll(/from '(\.[^']+)\.cjs'/g))
    typesOf(join(file, '..', `${path}.d.cts`), found);
  return found;
}

test('the client for the web shortens no name that appears in its types', () => {
  const types = typesOf(join(inject('project'), 'node_modules/eventferry', manifest.exports['./fetch'].types));
  const members = [...types.values()].flatMap((text) => [...text.matchAll(/^\s+(?:readonly |get )*(\w+)\??[:(<]/gm)]);
  expect(members.length).toBeGreaterThan(100);
  expect(members.map(([, name = '']) => name).filter((name) => INTERNAL_NAMES.test(name))).toEqual([]);
});

/**
 * Measures what a bundler puts into a page that imports the client, in bytes with gzip: what loads with the page, and everything.
 */
async function weigh(): Promise<{ first: number; all: number }> {
  const build = (splitting: boolean) =>
    esbuild.build({
      stdin: { contents: "export { Analytics } from 'eventferry/fetch';", resolveDir: inject('project') },
      bundle: true,
      minify: true,
      format: 'esm',
      splitting,
      outdir: 'out',
      write: false,
    });
  const [{ outputFiles: parts }, { outputFiles: whole }] = await Promise.all([build(true), build(false)]);
  const bytesOf = (files: readonly { contents: Uint8Array }[]) =>
    files.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
  const [page] = parts;
  const first = parts.filter((part) => part === page || page?.text.includes(`from"./${basename(part.path)}"`));
  return { first: bytesOf(first), all: bytesOf(whole) };
}

test(`the client adds at most ${MOST_BYTES} bytes with gzip to the first load of a page, and ${MOST_BYTES_OF_ALL} in all`, async () => {
  const { first, all } = await weigh();
  expect(first).toBeLessThanOrEqual(MOST_BYTES);
  expect(all).toBeLessThanOrEqual(MOST_BYTES_OF_ALL);
});
