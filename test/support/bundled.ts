import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

// The folder is below node_modules, so that a program finds the packages that are left out of its bundle.
const FOLDER = fileURLToPath(new URL(`../../node_modules/.eventferry-children-${process.pid}/`, import.meta.url));

const built = new Map<string, string>();
process.on('exit', () => rmSync(FOLDER, { recursive: true, force: true }));

/**
 * Returns the file of a program that a test starts. It is built from its source only once in this process, because compiling it
 * at each start takes three times as long.
 * | @param source the URL of the program's TypeScript
 */
export function bundled(source: URL): string {
  const path = fileURLToPath(source);
  const file = built.get(path) ?? build(path);
  built.set(path, file);
  return file;
}

function build(path: string): string {
  const file = join(FOLDER, `${built.size}.mjs`);
  buildSync({
    entryPoints: [path],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: 'inline',
    logLevel: 'error',
  });
  return file;
}
