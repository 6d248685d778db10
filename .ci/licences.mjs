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

/** Who holds the copyright of a package, and on which terms it may be used. */
function section(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const files = readdirSync(join(root, folder)).filter((file) =>
    /^(licen[cs]e|notice|copying)([-.][\w-]+)*$/i.test(file),
  );
  if (files.length === 0) throw new Error(`${name} has no licence text`);
  const texts = files.map((file) =>
    readFileSync(join(root, folder, file), 'utf8')
      .replaceAll('\r\n', '\n')
      .trim(),
  );
  const blocks = texts.map((text) => `\`\`\`text\n${withoutMitTerms(text)}\n\`\`\``);
  return [`## ${name} ${version} (${license})`, ...blocks].join('\n\n');
}

/** The terms of our own licence: of nearly all packages, word for word. They stand in the file once. */
const mitTerms = /Permission is hereby granted.*/s.exec(readFileSync(join(root, 'LICENSE'), 'utf8'))[0].trim();

/** The title and the copyright, where what follows is the MIT licence and nothing else; otherwise the whole text. */
function withoutMitTerms(text) {
  const start = text.indexOf('Permission is hereby granted');
  if (start === -1 || wordsOf(text.slice(start)) !== wordsOf(mitTerms)) return text;
  return `${text.slice(0, start).trim()}\n\n[the terms of the MIT licence, below]`;
}

const wordsOf = (text) => text.replaceAll(/['"]/g, '"').split(/\s+/).join(' ').trim();

const expected = `${[
  '# Third-party licences',
  'The files in `dist` hold code of these packages.',
  ...bundledPackages().map(section),
  '## The terms of the MIT licence',
  `\`\`\`text\n${mitTerms}\n\`\`\``,
].join('\n\n')}\n`;

if (process.argv.includes('--write')) {
  writeFileSync(target, expected);
} else if (readFileSync(target, 'utf8') !== expected) {
  throw new Error('THIRD-PARTY-LICENSES.md is out of date: npm run build && node .ci/licences.mjs --write');
}
