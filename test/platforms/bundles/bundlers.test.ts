import { join } from 'node:path';
import { promisify } from 'node:util';
import { build as buildWithVite, type Rollup } from 'vite';
import { describe, expect, test } from 'vitest';
import webpack from 'webpack';
import { collector } from './collector.js';
import { OUTCOMES } from './outcomes.js';
import { outputOf } from './run.js';
import { deployment, workspace } from './workspace.js';

/** A bundle of an app, with the warnings of the bundler. */
interface Bundle {
  readonly file: string;
  readonly warnings: readonly string[];
}

const folder = workspace();

async function bundleWithWebpack(door: string): Promise<Bundle> {
  const path = await deployment();
  const compiler = webpack({
    mode: 'production',
    target: 'node20',
    context: folder(),
    entry: `./${door}.mjs`,
    output: { path, filename: `${door}.cjs` },
  });
  const stats = await promisify(compiler.run.bind(compiler))();
  await promisify(compiler.close.bind(compiler))();
  const { errors = [], warnings = [] } = stats?.toJson({ all: false, errors: true, warnings: true }) ?? {};
  expect(errors).toEqual([]);
  return { file: join(path, `${door}.cjs`), warnings: warnings.map(({ message }) => message) };
}

/** Bundles an app as Vite does for rendering on a server. */
async function bundleWithVite(door: string): Promise<Bundle> {
  const path = await deployment();
  const warnings: string[] = [];
  const note = (warning: string | Rollup.RollupLog): void => {
    warnings.push(typeof warning === 'string' ? warning : warning.message);
  };
  await buildWithVite({
    root: folder(),
    configFile: false,
    logLevel: 'silent',
    ssr: { noExternal: true },
    build: {
      ssr: `${door}.mjs`,
      outDir: path,
      emptyOutDir: false,
      rollupOptions: { onwarn: note, output: { entryFileNames: `${door}.mjs` } },
    },
  });
  return { file: join(path, `${door}.mjs`), warnings };
}

const BUNDLERS = { webpack: bundleWithWebpack, Vite: bundleWithVite };

/** undici is CommonJS and loads modules of Node with `require`, which does not exist in an ES module. */
const { undici, ...ALONE } = OUTCOMES;
const DOORS = { webpack: { ...ALONE, undici }, Vite: ALONE };

describe.each(['webpack', 'Vite'] as const)('an app bundled by %s', (bundler) => {
  test.each(Object.entries(DOORS[bundler]))(
    'a bundled app with eventferry/%s runs without any package installed, and is built without a warning',
    async (door, outcome) => {
      const url = await collector();
      const { file, warnings } = await BUNDLERS[bundler](door);
      expect(warnings).toEqual([]);
      expect(await outputOf(file, { ENDPOINT: url })).toEqual(outcome);
    },
  );
});
