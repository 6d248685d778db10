import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What a source loads when it runs: types are erased, and so is a list of nothing but types. */
function importsOf(file: string): string[] {
  const source = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const statements = source.matchAll(/(?:^(?:import|export)\s+([^;'"]*?\s+from\s+)?|import\s*\()\s*['"]([^'"]+)['"]/gm);
  return [...statements].filter(([, names = '']) => !isErased(names)).map(([, , specifier = '']) => specifier);
}

const isErased = (names: string): boolean => {
  if (/^type\s/.test(names)) return true;
  const listed = /^\{([^}]*)\}/.exec(names)?.[1]?.split(',') ?? [];
  return listed.length > 0 && listed.every((name) => name.trim() === '' || name.trim().startsWith('type '));
};

function loadedBy(entry: string): { files: string[]; packages: string[] } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const specifier of importsOf(file)) {
      if (specifier.startsWith('.')) visit(resolve(dirname(file), specifier.replace(/\.js$/, '.ts')));
      else packages.add(specifier);
    }
  };
  visit(join(root, entry));
  return { files: [...files].map((file) => relative(root, file)), packages: [...packages].sort() };
}

test.each(['src/webhooks/index.ts', 'src/webhooks/testing/index.ts'])(
  '%s loads Node, and what the build bundles',
  (entry) => {
    expect(loadedBy(entry).packages).toEqual(['leven', 'node:crypto', 'node:util']);
  },
);

test('the webhooks door loads nothing of the client, the sender or the collector', () => {
  const { files } = loadedBy('src/webhooks/index.ts');
  const stages = new Set(files.map((file) => file.split('/').slice(1, -1)[0] ?? file));
  const shared = ['check-options', 'clock', 'decode', 'describe', 'errors', 'limits', 'printable', 'suggest'];
  const beside = shared.map((name) => `src/${name}.ts`);
  expect([...stages].sort()).toEqual(['platform', 'protocol', 'signature', ...beside, 'webhooks']);
});

test('the walk over imports sees a package and not the types of one', () => {
  expect(loadedBy('src/suggest.ts').packages).toEqual(['leven']);
  expect(loadedBy('src/protocol/message-type.ts').packages).toEqual([]);
});
