import { join } from 'node:path';
import { build, type Format } from 'esbuild';
import { describe, expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { collector } from './collector.js';
import { OUTCOMES, SERVER_OUTCOMES } from './outcomes.js';
import { outputOf } from './run.js';
import { deployment, workspace } from './workspace.js';

const EXTENSIONS: Record<string, string> = { cjs: 'cjs', esm: 'mjs' };

/** They bundle undici, which is CommonJS: esbuild gives an ES module no `require`. As docs/bundling.md has it. */
const NEEDS_REQUIRE = ['undici', 'destination', 'service'];
const REQUIRE =
  "import { createRequire as bundledRequire } from 'node:module'; const require = bundledRequire(import.meta.url);";

const folder = workspace();

/** Bundles an app, and resolves with its file and what esbuild warned of. */
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

describe.each<Format>(['cjs', 'esm'])('an app that esbuild has bundled as %s', (format) => {
  test.each(Object.entries({ ...OUTCOMES, ...SERVER_OUTCOMES }))(
    'runs with eventferry/%s and no package installed, and is built without a warning',
    async (door, outcome) => {
      const url = await collector();
      const { file, warnings } = await bundle(door, format);
      expect(warnings).toEqual([]);
      expect(await outputOf(file, { ENDPOINT: url })).toEqual(outcome);
    },
  );
});
