import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const { dependencies = {}, devDependencies = {}, peerDependencies = {}, ...rest }: Manifest = manifest;

/** The documented packages, by the heading under which they are listed. */
const named = Object.fromEntries(
  read('docs/dependencies.md')
    .split('\n## ')
    .map((part) => [part.split('\n', 1)[0], [...part.matchAll(/^\| `([^`]+)` \| \S/gm)].map(([, name]) => name)]),
);
const bundled = [...read('THIRD-PARTY-LICENSES.md').matchAll(/^## (\S+) /gm)]
  .map(([, name = '']) => name)
  .filter((name) => name in devDependencies);

test('every package that is installed with ours has a documented reason', () => {
  expect(named['Installed with the package']).toEqual(Object.keys(dependencies));
});

test('every optional peer of the package has a documented reason', () => {
  expect(named['Installed on request'] ?? []).toEqual(Object.keys(peerDependencies));
});

test('every bundled package has a documented reason', () => {
  expect(named['Bundled into the package']).toEqual(bundled.sort());
});

test('every development dependency has a documented reason', () => {
  const others = Object.keys(devDependencies).filter((name) => !bundled.includes(name) && !(name in peerDependencies));
  expect(named['Used to build and test']).toEqual(others.sort());
});

test('no package is installed through optional dependencies', () => {
  expect(rest).not.toHaveProperty('optionalDependencies');
});
