import { gzipSync } from 'node:zlib';
import { build, type Format } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { workspace } from './workspace.js';

const MOST_BYTES = 45_000;

const folder = workspace();

/** Bundles a program, and returns its size with gzip and how much of it is undici. */
async function weigh(contents: string, format: Format): Promise<{ bytes: number; ofUndici: number }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: folder() },
    bundle: true,
    minify: true,
    platform: 'node',
    format,
    metafile: true,
    write: false,
    outdir: 'out',
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  return {
    bytes: outputFiles.reduce((sum, { contents: file }) => sum + gzipSync(file, { level: 9 }).length, 0),
    ofUndici: inputs.reduce((sum, [path, input]) => sum + (/\/undici\/lib\//.test(path) ? input.bytesInOutput : 0), 0),
  };
}

describe.each<[Format, string]>([
  ['esm', "export { Analytics } from 'eventferry';"],
  ['cjs', "exports.Analytics = require('eventferry').Analytics;"],
])('as %s', (format, importing) => {
  test(`a bundled client is at most ${MOST_BYTES} bytes with gzip, and contains no undici`, async () => {
    const { bytes, ofUndici } = await weigh(importing, format);
    expect(ofUndici).toBe(0);
    expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
  });

  test('a bundle contains undici if the program imports it', async () => {
    const asking = format === 'esm' ? "import 'eventferry/undici';" : "require('eventferry/undici');";
    expect((await weigh(`${asking}\n${importing}`, format)).ofUndici).toBeGreaterThan(100_000);
  });
});
