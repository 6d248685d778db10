import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

/** The folder of this file, from the root of the package. */
const HERE = 'src/dashboard/page';

/** The debugger page: one file, with its style and its script in it. */
export async function buildPage(root = '.'): Promise<string> {
  const here = join(root, HERE);
  const [html, style, script] = await Promise.all([
    readFile(join(here, 'index.html'), 'utf8'),
    bundle(join(here, 'style.css')),
    bundle(join(here, 'main.ts')),
  ]);
  // Functions, because `$` is special in a replacement text.
  return html
    .replace('<style></style>', () => `<style>${style}</style>`)
    .replace('<script type="module"></script>', () => `<script type="module">${script}</script>`);
}

export async function writePage(path: string, root = '.'): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, await buildPage(root));
}

async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: ['chrome111', 'firefox113', 'safari16.4'],
    legalComments: 'none',
  });
  const text = outputFiles[0]?.text.trim() ?? '';
  // An end tag in a string would end the element.
  return text.replaceAll(/<\/(script|style)/gi, '<\\/$1');
}
