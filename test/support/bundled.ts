import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { runFolder } from './run-folder.js';

const built = new Map<string, string>();

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
  const file = join(runFolder(), `child-${process.pid}-${built.size}.mjs`);
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
