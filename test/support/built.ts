import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';

/** What a test says that compares a file of the build with the sources. */
export const STALE = 'dist is older than the sources: run `npm run build`';

/** Reads a file of the build, compressed or not. */
export function readBuilt(name: string): string {
  const path = fileURLToPath(new URL(`../../dist/${name}`, import.meta.url));
  if (existsSync(`${path}.br`)) return brotliDecompressSync(readFileSync(`${path}.br`)).toString();
  if (existsSync(path)) return readFileSync(path, 'utf8');
  throw new Error(`dist/${name} does not exist: run \`npm run build\``);
}
