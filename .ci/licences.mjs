/**
 * Writes THIRD-PARTY-LICENSES.md with `--write`; without it, fails when the file is not what it would write. What is
 * bundled is what the last build noted.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundledFiles } from './bundled.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'THIRD-PARTY-LICENSES.md');

const bundledPackages = () => [...new Set(bundledFiles().map(packageFolder))].sort();

/** `node_modules/a/node_modules/@b/c/index.js` → `node_modules/a/node_modules/@b/c` */
function packageFolder(path) {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)[0];
}

function section(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const texts = readdirSync(join(root, folder)).filter((file) =>
    /^(licen[cs]e|notice|copying)([-.][\w-]+)*$/i.test(file),
  );
  if (texts.length === 0) throw new Error(`${name} has no licence text`);
  const blocks = texts.map((file) => `\`\`\`text\n${readFileSync(join(root, folder, file), 'utf8').trim()}\n\`\`\``);
  return [`## ${name} ${version} (${license})`, ...blocks].join('\n\n').replaceAll('\r\n', '\n');
}

const expected = `${[
  '# Third-party licences',
  'The files in `dist` hold code of these packages.',
  ...bundledPackages().map(section),
].join('\n\n')}\n`;

if (process.argv.includes('--write')) {
  writeFileSync(target, expected);
} else if (readFileSync(target, 'utf8') !== expected) {
  throw new Error('THIRD-PARTY-LICENSES.md is out of date: npm run build && node .ci/licences.mjs --write');
}
