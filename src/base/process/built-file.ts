import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { requireInstalled, thisFile } from './installed.js';

/** The text of a file that the build makes beside its code, compressed with Brotli. Undefined where there is none. */
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

/** Beside the bundle that this code is in, then in the package. */
function* placesOf(): Generator<string> {
  const file = thisFile();
  if (file !== undefined) yield join(file, '../../..');
  try {
    yield join(requireInstalled().resolve('./package.json'), '../dist');
  } catch {
    // A bundle may run where nothing is installed.
  }
}
