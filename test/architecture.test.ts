import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { VERSION } from '../src/version.js';
import tsup from '../tsup.config.js';

const src = fileURLToPath(new URL('../src', import.meta.url));
const picture = fileURLToPath(new URL('../docs/architecture.md', import.meta.url));
const walk = fileURLToPath(new URL('../.ci/walk.ts', import.meta.url));

/** The top-level folders ("rooms") from the bottom up: a room imports only from those below it. */
const RANKS: readonly (readonly string[])[] = [
  ['base'],
  ['protocol', 'signature', 'client/transport'],
  ['delivery', 'client/queue', 'plan'],
  ['store', 'webhooks', 'collector', 'middleware', 'events', 'client/journal'],
  ['scheduler', 'client', 'schemas'],
  ['destination', 'testing'],
  ['opentelemetry', 'ledger'],
  ['service'],
  ['admin', 'dashboard'],
  ['cli', 'index', 'fetch', 'undici'],
];

/** Folders inside another one that are rooms of their own. */
const INNER = ['client/journal', 'client/queue', 'client/transport'];

function roomOf(file: string): string {
  const inner = INNER.find((room) => file.startsWith(`${room}/`));
  if (inner !== undefined) return inner;
  if (file.includes('/')) return file.slice(0, file.indexOf('/'));
  return file === 'version.ts' ? 'base' : file.replace(/\.ts$/, '');
}

const rankOf = (room: string): number => RANKS.findIndex((rooms) => rooms.includes(room));

const files = readdirSync(src, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => relative(src, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));

/** Returns the source of an imported `a.js`, which is `a.ts` or `a.tsx`. */
function sourceOf(imported: string): string {
  const [plain, drawn] = ['.ts', '.tsx'].map((end) => imported.replace(/\.js$/, end));
  return files.find((file) => file === drawn) ?? plain ?? imported;
}

/** Returns the imports of a file, including types: paths below `src`, and names of other packages. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), 'utf8');
  const specifiers = [...text.matchAll(/(?:from|import\()\s*'([^']+)'|^import '([^']+)'/gm)].map(
    (match) => match[1] ?? match[2] ?? '',
  );
  return specifiers.map((specifier) =>
    specifier.startsWith('.') ? sourceOf(posix.normalize(posix.join(dirname(file), specifier))) : specifier,
  );
}

const graph = new Map(files.map((file) => [file, importsOf(file).filter((imported) => files.includes(imported))]));

test('every file belongs to a room', () => {
  expect(files.filter((file) => rankOf(roomOf(file)) === -1)).toEqual([]);
});

test('at most four files are outside the rooms', () => {
  expect(files.filter((file) => !file.includes('/')).length).toBeLessThanOrEqual(4);
});

test('every file of base and of the client is in a room of its own, except those where the client begins', () => {
  const beside = (room: string): string[] => files.filter((file) => posix.dirname(file) === room);
  expect(beside('base')).toEqual([]);
  expect(beside('client').sort()).toEqual([
    'client/analytics-options.ts',
    'client/analytics.ts',
    'client/client-parts.ts',
    'client/option-names.ts',
    'client/platform.ts',
  ]);
});

test('a room imports only from rooms below it', () => {
  const wrong = files.flatMap((file) =>
    (graph.get(file) ?? [])
      .filter((imported) => roomOf(imported) !== roomOf(file))
      .filter((imported) => rankOf(roomOf(imported)) >= rankOf(roomOf(file)))
      .map((imported) => `${file} imports ${imported}`),
  );
  expect(wrong).toEqual([]);
});

test('the scheduler and the engines import nothing from each other', () => {
  const isEngine = (file: string): boolean => /^store\/[^/]+\//.test(file);
  const wrong = files.flatMap((file) =>
    (graph.get(file) ?? [])
      .filter((imported) =>
        roomOf(file) === 'scheduler' ? isEngine(imported) : isEngine(file) && roomOf(imported) === 'scheduler',
      )
      .map((imported) => `${file} imports ${imported}`),
  );
  expect(wrong).toEqual([]);
});

test('no files import each other, directly or in a cycle', () => {
  const state = new Map<string, 'open' | 'done'>();
  const rings: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (state.get(file) === 'open') rings.push([...path.slice(path.indexOf(file)), file].join(' -> '));
    if (state.has(file)) return;
    state.set(file, 'open');
    for (const imported of graph.get(file) ?? []) visit(imported, [...path, file]);
    state.set(file, 'done');
  };
  for (const file of files) visit(file, []);
  expect(rings).toEqual([]);
});

test('the diagram of the rooms in docs/architecture.md shows their imports', () => {
  const drawn = [...readFileSync(picture, 'utf8').matchAll(/^ {2}([\w/]+) --> ([\w/]+)$/gm)].map(
    ([, from, to]) => `${from} --> ${to}`,
  );
  expect(drawn.sort()).toEqual(edges().sort());
});

test('every file that docs/architecture.md names exists', () => {
  const named = [...readFileSync(picture, 'utf8').matchAll(/`((?:[\w-]+\/)+[\w-]+\.ts)`/g)].map(
    ([, file = '']) => file,
  );
  const paths = named.map((file) => file.replace(/^src\//, '')).filter((file) => !file.startsWith('test/'));
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((file) => !files.includes(file))).toEqual([]);
});

test.each([
  ['store/storage.ts', 'Storage'],
  ['store/event-store.ts', 'EventStore'],
  ['store/key-value-store.ts', 'KeyValueStore'],
  ['store/line.ts', 'Line'],
  ['store/line.ts', 'StoreWithLines'],
])('docs/architecture.md lists every member that an engine needs of %s, %s, and all are required', (file, name) => {
  const [, body = ''] =
    new RegExp(`interface ${name} (?:extends \\w+ )?\\{(.*?)^\\}`, 'ms').exec(readFileSync(join(src, file), 'utf8')) ??
    [];
  const members = [...body.matchAll(/^ {2}(?:readonly )?(\w+)(\??)[(:]/gm)];
  expect(members).not.toEqual([]);
  expect(members.filter(([, , optional]) => optional !== '')).toEqual([]);
  const page = readFileSync(picture, 'utf8');
  const listed = page
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .join('\n');
  expect(
    members.map(([, member = '']) => member).filter((member) => !new RegExp(`[\`.]${member}\``).test(listed)),
  ).toEqual([]);
});

test('docs/architecture.md gives the same limits as .ci/walk.ts on how many files a message passes', () => {
  const [, client, service] = /MOST_FILES = \{ client: (\d+), service: (\d+) \}/.exec(readFileSync(walk, 'utf8')) ?? [];
  expect(readFileSync(picture, 'utf8')).toContain(`passes ${client} files`);
  expect(readFileSync(picture, 'utf8')).toContain(`on lmdb, ${service}.`);
});

/** Returns an edge from each room to those below it, without `base` and without rooms that are reached through another. */
function edges(): string[] {
  const below = new Map<string, Set<string>>();
  for (const [file, imported] of graph) {
    const room = roomOf(file);
    const rooms = below.get(room) ?? new Set();
    for (const other of imported.map(roomOf)) if (other !== room && other !== 'base') rooms.add(other);
    below.set(room, rooms);
  }
  const reaches = (from: string, to: string): boolean =>
    [...(below.get(from) ?? [])].some((room) => room === to || reaches(room, to));
  return [...below].flatMap(([room, rooms]) =>
    [...rooms]
      .filter((to) => ![...rooms].some((other) => other !== to && reaches(other, to)))
      .map((to) => `${room} --> ${to}`),
  );
}
test('undici is loaded only when it is needed', () => {
  const eager = files.filter((file) => /^import (?!type).*'undici'/m.test(readFileSync(join(src, file), 'utf8')));
  expect(eager).toEqual([]);
});

/** Built separately, because a client with a journal loads it by its path. It is not an entry point. */
const LOADED_BY_ITS_FILE = 'journal';

// Includes all entries, because no variable selects some of them.
const configs = typeof tsup === 'function' ? await tsup({}) : tsup;

describe('lists of the entry points', () => {
  const built = [configs].flat().flatMap((config) => Object.keys(('entry' in config && config.entry) || {}));
  // Each entry point is built in both formats, and its types separately.
  const entries = [...new Set(built)].filter((name) => name !== LOADED_BY_ITS_FILE);

  test('package.json and tsup.config.ts list the same entry points', () => {
    const doors = Object.keys(manifest.exports).filter((name) => !name.endsWith('.json'));
    const expected = entries.filter((name) => name !== 'cli').map((name) => (name === 'index' ? '.' : `./${name}`));
    expect(doors.sort()).toEqual(expected.sort());
  });

  test('package.json and the tree have the same entry points, each as a file that only re-exports names', () => {
    for (const entry of entries.filter((name) => name !== 'cli')) {
      const file = entry === 'index' ? 'index.ts' : `${entry}/index.ts`;
      const statements = readFileSync(join(src, file), 'utf8')
        .replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
        .split(';');
      for (const statement of statements.map((text) => text.trim()).filter((text) => text !== '')) {
        // All types of messages may be re-exported together, because they follow from their schemas.
        expect(statement, file).toMatch(/^(?:export (?:type \*|(?:type )?\{[^*]*\}) from|import) '/);
      }
    }
  });
});

test('the version in the code equals the version of the package', () => {
  expect(VERSION).toBe(manifest.version);
});

/**
 * Platform files, beginnings of entry points, and files of commands, which are named after their command. A view of the page,
 * which ends with `.tsx`, may have the name of what it shows.
 */
const IS_NAMED_BY_ITS_PLACE = /(^|\/)(index|node|web)\.ts$|^cli\/[\w-]+\.ts$/;

test('the name of a file is unique in the whole tree', () => {
  const names = files.filter((file) => !IS_NAMED_BY_ITS_PLACE.test(file)).map((file) => posix.basename(file));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
