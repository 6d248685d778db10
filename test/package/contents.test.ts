import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const modules = join(inject('project'), 'node_modules');
const installed = join(modules, 'eventferry');
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

test('nothing but undici is installed beside the package', () => {
  expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['eventferry', 'undici']);
});

test('the package and undici together are at most 3.8 MB', () => {
  const bytes = filesIn(modules).reduce((sum, file) => sum + statSync(file).size, 0);
  expect(bytes).toBeLessThanOrEqual(3_800_000);
});

test('the package holds its licence, the licences of what is bundled, and its README', () => {
  expect(readdirSync(installed)).toEqual(
    expect.arrayContaining(['LICENSE', 'THIRD-PARTY-LICENSES.md', 'README.md', 'CHANGELOG.md']),
  );
});

test('nothing of tests, benchmarks or this checkout is in the package', () => {
  const pages = ['LICENSE', 'README.md', 'CHANGELOG.md', 'THIRD-PARTY-LICENSES.md'];
  const known = ['dist', 'examples', 'package.json', ...pages];
  expect(readdirSync(installed).filter((name) => !known.includes(name))).toEqual([]);
  // The sample that `eventferry demo` takes where there is no repository.
  expect(readdirSync(join(installed, 'examples'))).toEqual(['sample.ndjson']);
});

const scripts = Object.values(manifest.exports).flatMap((target) =>
  typeof target === 'string' ? [] : [target.import.default, target.require.default],
);

test.each(scripts)('a stack trace through %s has the names of the source', (script) => {
  const classes = readFileSync(join(installed, script), 'utf8').match(/\bclass \w{4,}/g) ?? [];
  expect(classes).not.toEqual([]);
});
