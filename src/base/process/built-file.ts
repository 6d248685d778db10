import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { requireInstalled, thisFile } from './installed.js';

/**
 * Returns the text of a file that the build puts beside its code, compressed with Brotli. Returns undefined if there is no such
 * file.
 */
export async function readBuiltFile(name: string): Promise<string | undefined> {
  for (const folder of placesOf()) {
    try {
      return brotliDecompressSync(await readFile(join(folder, `${name}.br`))).toString();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return undefined;
}

/** Yields the folder beside the bundle that contains this code, then the installed package's `dist`. */
function* placesOf(): Generator<string> {
  const file = thisFile();
  if (file !== undefined) yield join(file, '../../..');
  try {
    yield join(requireInstalled().resolve('./package.json'), '../dist');
  } catch {
    // A bundle may run where the package is not installed.
  }
}
