import { join } from 'node:path';
import { build, type Format } from 'esbuild';
import { describe, expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { collector } from './collector.js';
import { OUTCOMES, SERVER_OUTCOMES } from './outcomes.js';
import { outputOf } from './run.js';
import { deployment, workspace } from './workspace.js';

const EXTENSIONS: Record<string, string> = { cjs: 'cjs', esm: 'mjs' };

/** These bundle undici, which is CommonJS, but esbuild provides no `require` in an ES module. docs/runtimes.md describes this. */
const NEEDS_REQUIRE = ['undici', 'destination', 'service'];
const REQUIRE =
  "import { createRequire as bundledRequire } from 'node:module'; const require = bundledRequire(import.meta.url);";

const folder = workspace();

/** Bundles an app. Resolves with its file and the warnings of esbuild. */
async function bundle(door: string, format: Format): Promise<{ file: string; warnings: readonly string[] }> {
  const file = join(await deployment(), `${door}.${EXTENSIONS[format]}`);
  const { warnings } = await build({
    absWorkingDir: folder(),
    entryPoints: [`${door}.mjs`],
    bundle: true,
    platform: 'node',
    format,
    outfile: file,
    external: Object.keys(manifest.peerDependencies).filter((name) => name !== '@opentelemetry/api'),
    ...(format === 'esm' && NEEDS_REQUIRE.includes(door) && { banner: { js: REQUIRE } }),
    logLevel: 'silent',
  });
  return { file, warnings: warnings.map(({ text, location }) => `${text} (${location?.file})`) };
}

describe.each<Format>(['cjs', 'esm'])('an app bundled by esbuild as %s', (format) => {
  test.each(Object.entries({ ...OUTCOMES, ...SERVER_OUTCOMES }))(
    'an app bundled by esbuild with eventferry/%s runs without any package installed, and is built without a warning',
    async (door, outcome) => {
      const url = await collector();
      const { file, warnings } = await bundle(door, format);
      expect(warnings).toEqual([]);
      expect(await outputOf(file, { ENDPOINT: url })).toEqual(outcome);
    },
  );
});
