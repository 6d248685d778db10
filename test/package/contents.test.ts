import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '../..');
const modules = join(inject('project'), 'node_modules');
const installed = join(modules, 'eventferry');
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

test('installing the package also installs undici, and nothing else', () => {
  expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['eventferry', 'undici']);
});

test('the package and undici together are at most 4.11 MB', () => {
  const bytes = filesIn(modules).reduce((sum, file) => sum + statSync(file).size, 0);
  expect(bytes).toBeLessThanOrEqual(4_110_000);
});

test('the types of an entry point exist once: its ES module re-exports those of CommonJS', () => {
  const types = Object.values(manifest.exports).flatMap((door) =>
    typeof door === 'string' ? [] : 'types' in door ? door.types : door.import.types,
  );
  expect(types.length).toBeGreaterThan(10);
  for (const file of types) {
    expect(readFileSync(join(installed, file), 'utf8')).toBe(`export * from './${basename(file, '.d.ts')}.cjs';\n`);
  }
});

test('the client consists of its entry and one more file, because finding a file takes Node longer than reading it', () => {
  const [chunk = '', ...others] = importsOf(join(installed, manifest.exports['.'].import.default));
  expect(others).toEqual([]);
  expect(importsOf(chunk)).toEqual([]);
});

// Later work runs in the context in which the package was loaded, so the context is captured at load.
test('importing the client loads only `node:util` and `node:async_hooks`, because other modules load slowly', () => {
  const [chunk = ''] = importsOf(join(installed, manifest.exports['.'].import.default));
  const modules = [...readFileSync(chunk, 'utf8').matchAll(/^(?:import\b.*|}) ?from ?"(node:[^"]+)"/gm)];
  expect(new Set(modules.map(([, name]) => name))).toEqual(new Set(['node:util', 'node:async_hooks']));
});

/** Patterns that bundlers warn about, or cannot put into a bundle of the other format. */
test.each([
  ['import.meta', /\bimport\.meta\b/],
  ['a `require` of its own making', /\bvar __require\b|"node:module" *;/],
  ['an import of a chunk that names nothing', /(?:^|;)import ?"\./m],
])('no ES module of an entry point has %s, so that any bundler accepts it', (_, pattern) => {
  const files = new Set(doorScripts.flatMap((script) => allOf(join(installed, script))));
  expect(files.size).toBeGreaterThan(20);
  expect([...files].filter((file) => pattern.test(readFileSync(file, 'utf8')))).toEqual([]);
});

test('the package contains its licence, the licences of bundled code, and its README', () => {
  expect(readdirSync(installed)).toEqual(expect.arrayContaining(['LICENSE', 'THIRD-PARTY-LICENSES.md', 'README.md']));
});

test('the package contains nothing of the tests, benchmarks or this checkout', () => {
  const pages = ['CHANGELOG.md', 'LICENSE', 'README.md', 'THIRD-PARTY-LICENSES.md'];
  const known = ['dist', 'examples', 'package.json', ...pages];
  expect(readdirSync(installed).filter((name) => !known.includes(name))).toEqual([]);
  // The sample that `eventferry demo` sends if there is no repository.
  expect(readdirSync(join(installed, 'examples'))).toEqual(['sample.ndjson']);
});

describe('package.json', () => {
  const repository = /^git\+(https:.*)\.git$/.exec(manifest.repository.url)?.[1] ?? '';

  test('package.json names one repository, with its home page and its issues', () => {
    expect(repository).toMatch(/^https:\/\/[^/]+\/[^/]+\/eventferry$/);
    expect(manifest.homepage).toBe(`${repository}#readme`);
    expect(manifest.bugs.url).toBe(`${repository}/issues`);
  });

  const links = [
    ...readFileSync(join(installed, 'README.md'), 'utf8').matchAll(/(?:\]\(|(?:href|src)=")([^)"\s]+)[)"]/g),
  ].map(([, link = '']) => link);

  test('every link of the README leads to a file of the package, a heading of the page, or a file of the repository', () => {
    expect(links.length).toBeGreaterThan(20);
    const owner = repository.slice('https://github.com/'.length);
    const places = [
      `${repository}/blob/main/`,
      `${repository}/tree/main/`,
      `https://raw.githubusercontent.com/${owner}/main/`,
    ];
    for (const link of links) {
      const place = places.find((start) => link.startsWith(start));
      if (place !== undefined) expectPlace(join(root, link.slice(place.length)));
      else if (link.startsWith('#')) expectPlace(`${join(installed, 'README.md')}${link}`);
      else expectPlace(join(installed, link));
    }
  });
});

/** Expects that a file exists, and has the heading that follows `#`, if any. */
function expectPlace(place: string): void {
  const [file = '', heading] = place.split('#');
  expect(existsSync(file), place).toBe(true);
  if (heading === undefined) return;
  const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
  expect(headings, place).toContain(heading);
}

/** Returns the chunks that Node loads together with a script. */
function importsOf(script: string): string[] {
  const imports = readFileSync(script, 'utf8').matchAll(/(?:from|import) ?"(\.[^"]+)"/g);
  return [...imports].map(([, path = '']) => join(script, '..', path));
}

/** Returns a script and all chunks that it may load, immediately or later. */
function allOf(script: string, found: string[] = []): string[] {
  if (found.includes(script)) return found;
  found.push(script);
  const imports = readFileSync(script, 'utf8').matchAll(/(?:from|import|import\() ?"(\.[^"]+)"/g);
  for (const [, path = ''] of imports) allOf(join(script, '..', path), found);
  return found;
}

/** Returns the text of a script, including that of its chunks. */
const textOf = (script: string): string => [readFileSync(script, 'utf8'), ...importsOf(script).map(textOf)].join('\n');

const scripts = Object.values(manifest.exports).flatMap((target) => {
  if (typeof target === 'string') return [];
  return 'default' in target ? [target.default] : [target.import.default, target.require.default];
});

/** The ES modules of the entry points. The command is not imported by anyone. */
const doorScripts = scripts.filter((script) => script.endsWith('.js'));

/** Scripts that are minified, as browsers load them, or that contain almost no code. */
const nameless: readonly string[] = [
  manifest.exports['./fetch'].default,
  ...Object.values(manifest.exports['./undici']).map((target) => target.default),
];

test.each([...scripts, manifest.bin.eventferry].filter((script) => !nameless.includes(script)))(
  'the bundle %s contains the names of the source',
  (script) => {
    const classes = textOf(join(installed, script)).match(/\b(?:class|function) \w{4,}/g) ?? [];
    expect(classes.length).toBeGreaterThan(1);
  },
);

describe('the published code', () => {
  const published = filesIn(join(installed, 'dist')).filter(
    (file) => /\.c?js$/.test(file) && !/\/fetch[^/]*$/.test(file),
  );

  test('every line that throws is short, because Node prints that line for an uncaught error', () => {
    const lines = published.flatMap((file) => readFileSync(file, 'utf8').split('\n'));
    expect(lines.filter((line) => /\bthrow\b/.test(line)).filter((line) => line.length > 300)).toEqual([]);
  });

  test('the CommonJS build loads only with `require`, because a context of its own has no `import()`', () => {
    const imports = published
      .filter((file) => file.endsWith('.cjs'))
      .flatMap((file) => readFileSync(file, 'utf8').match(/[^.\w]import\((?![^)]*\) ?\{).*/g) ?? []);
    expect(imports).toEqual([]);
  });
});
