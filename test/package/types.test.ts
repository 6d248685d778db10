import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { commonJsDoors, doors } from './doors.js';
import { run } from './run.js';

const compilers = inject('compilers');

/**
 * Sets of types that a project may have, all without `esnext.disposable`, and the entry points that work with each set. A
 * collector needs the types of Node's server, a receiver may need the web's `Request`, and the client needs neither.
 */
const SURROUNDINGS = {
  "Node's types": {
    lib: ['ES2022'],
    types: ['node'],
    doors,
    sources: ['client', 'catalogue', 'receiver', 'transport'],
  },
  "Node's types and the DOM": {
    lib: ['ES2022', 'DOM'],
    types: ['node'],
    doors,
    sources: ['client', 'catalogue', 'receiver', 'transport'],
  },
  'the DOM': {
    lib: ['ES2022', 'DOM'],
    types: [],
    doors: [
      'eventferry',
      'eventferry/webhooks',
      'eventferry/webhooks/testing',
      'eventferry/middleware',
      'eventferry/events',
    ],
    sources: ['client', 'catalogue', 'receiver', 'transport'],
  },
  'the language of 2020': {
    lib: ['ES2020'],
    target: 'ES2020',
    types: ['node'],
    doors,
    sources: ['client', 'catalogue'],
  },
  neither: { lib: ['ES2022'], types: [], doors: ['eventferry', 'eventferry/events'], sources: ['client', 'catalogue'] },
};

const RESOLUTIONS = {
  node16: { module: 'node16', moduleResolution: 'node16', extensions: ['mts', 'cts'] },
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext', extensions: ['mts', 'cts'] },
  bundler: { module: 'esnext', moduleResolution: 'bundler', extensions: ['ts'] },
};

type Surroundings = keyof typeof SURROUNDINGS;
type Resolution = keyof typeof RESOLUTIONS;

/** With `nodenext`, TypeScript has allowed CommonJS to require an ES module since 5.8, as Node has since 20.19. */
const requiresModules = (version: string, resolution: Resolution): boolean =>
  resolution === 'nodenext' && !['5.4'].includes(version);

/** Writes a project into its own folder, below the one in which the package is installed. */
async function writeProject(version: string, resolution: Resolution, surroundings: Surroundings): Promise<string> {
  const name = `${version} ${resolution} ${surroundings}`;
  const folder = join(inject('project'), name.replaceAll(/\W+/g, '-'));
  const { extensions, ...modules } = RESOLUTIONS[resolution];
  const { doors: known, sources, ...around } = SURROUNDINGS[surroundings];
  await mkdir(folder, { recursive: true });
  for (const extension of extensions) {
    const isRequired = extension === 'cts' && !requiresModules(version, resolution);
    const imported = isRequired ? known.filter((door) => commonJsDoors.includes(door)) : known;
    await writeFile(join(folder, `doors.${extension}`), importsOf(imported));
    for (const source of sources) {
      await cp(join(import.meta.dirname, 'consumers', `${source}.ts`), join(folder, `${source}.${extension}`));
    }
  }
  const strictness = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
  const compilerOptions = {
    ...{ ...strictness, skipLibCheck: false, noEmit: true, target: 'ES2022' },
    ...{ ...modules, ...around, typeRoots: [join(compilers, 'node_modules/@types')] },
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  return folder;
}

function importsOf(names: readonly string[]): string {
  const imports = names.map((name, index) => `import * as door${index} from '${name}';`);
  return [...imports, `export const all = [${names.map((_, index) => `door${index}`)}];`].join('\n');
}

const table: readonly (readonly [Resolution, Surroundings])[] = [
  ['nodenext', "Node's types"],
  ['bundler', "Node's types"],
  ['node16', "Node's types and the DOM"],
  ['bundler', 'the DOM'],
  ['nodenext', 'the language of 2020'],
  ['nodenext', 'neither'],
];

describe.concurrent.each(['5.4', '5.9', '6.0', '7.0'])('with TypeScript %s', (version) => {
  test.each(table)('the types of the package compile for %s with %s', async (resolution, surroundings) => {
    const folder = await writeProject(version, resolution, surroundings);
    const compiler = join(compilers, `node_modules/typescript-${version}/bin/tsc`);
    const { stdout } = await run(process.execPath, [compiler, '-p', folder], folder);
    expect(stdout).toBe('');
  });
});
