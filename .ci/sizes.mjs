/**
 * Writes what a bundle of an app takes into docs/performance.md with `--write`; without it, fails when the page does not say what the
 * last build takes.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = join(root, 'docs/performance.md');

const CLIENT = "export { Analytics } from './dist/index.js';";
const ROWS = [
  ['the client', CLIENT, 'node'],
  ['the client with [`eventferry/undici`](runtimes.md#undici)', `import './dist/undici.js'; ${CLIENT}`, 'node'],
  ['`eventferry/fetch` in one file', "export { Analytics } from './dist/fetch.js';", 'neutral'],
];

const inKb = (bytes) => `${Math.round(bytes / 1_000)} KB`;

async function rowOf([what, contents, platform]) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    format: 'esm',
    platform,
    write: false,
    outdir: 'out',
  });
  const [{ contents: code }] = outputFiles;
  return `| ${what} | ${inKb(code.length)} | ${inKb(gzipSync(code, { level: 9 }).length)} |`;
}

const rows = await Promise.all(ROWS.map(rowOf));
const table = ['| in a bundle | minified | with gzip |', '| --- | --- | --- |', ...rows].join('\n');

const text = readFileSync(page, 'utf8');
const expected = text.replace(
  /(<!-- sizes -->\n)[\s\S]*?(<!-- end of sizes -->)/,
  (_, start, end) => `${start}\n${table}\n\n${end}`,
);
if (!expected.includes(table)) throw new Error('docs/performance.md has no marks for the sizes');
if (process.argv.includes('--write')) writeFileSync(page, expected);
else if (text !== expected)
  throw new Error('docs/performance.md is out of date: npm run build && node .ci/sizes.mjs --write');
