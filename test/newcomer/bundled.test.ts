import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Format } from 'esbuild';
import { expect, test } from 'vitest';
import { sink } from '../support/sink.js';
import { freshFolder } from './fresh-folder.js';

/** Sends more requests than it takes until the client looks for undici, which is not in the bundle. */
const APP = `
async function main() {
  const analytics = new Analytics({ writeKey: 'k', endpoint: process.env.ENDPOINT, flushAt: 1, gzip: true });
  for (let i = 0; i < 20; i++) await analytics.track({ userId: 'u1', event: 'Signed Up' }).delivered;
  const { delivered, retries } = await analytics.close();
  console.log(JSON.stringify({ delivered, retries }));
}
main();
`;

test.each<[Format, string, string]>([
  ['esm', "import { Analytics } from 'eventferry';", 'out.mjs'],
  ['cjs', "const { Analytics } = require('eventferry');", 'out.cjs'],
])('an app that esbuild bundled as %s delivers without any package installed', async (format, importing, outfile) => {
  const { url, messages } = await sink();
  const folder = await freshFolder({ 'app.js': importing + APP });
  const { warnings } = await build({
    absWorkingDir: folder.path,
    entryPoints: ['app.js'],
    bundle: true,
    platform: 'node',
    format,
    outfile,
    logLevel: 'silent',
  });
  await rm(join(folder.path, 'node_modules'), { recursive: true });
  const { code, stdout, stderr } = await folder.node([outfile], { ENDPOINT: url }).ended;
  expect({ code, stderr, warnings }).toEqual({ code: 0, stderr: '', warnings: [] });
  expect(JSON.parse(stdout)).toEqual({ delivered: 20, retries: 0 });
  expect(messages).toHaveLength(20);
});
