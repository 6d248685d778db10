import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { onTheWeb } from '../../.ci/published-code.js';

const entry = fileURLToPath(new URL('../../src/fetch/index.ts', import.meta.url));

/** Bundles `eventferry/fetch` from the current sources into one script, as the build does. */
export async function bundleWebClient(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    plugins: [onTheWeb],
  });
  return outputFiles[0]?.text ?? '';
}

export async function loadWebClient(): Promise<typeof import('../../src/fetch/index.js')> {
  const folder = await mkdtemp(join(tmpdir(), 'eventferry-fetch-'));
  const file = join(folder, 'fetch.mjs');
  await writeFile(file, await bundleWebClient());
  const loaded = await import(pathToFileURL(file).href);
  await rm(folder, { recursive: true });
  return loaded;
}
