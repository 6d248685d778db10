import { readFile } from 'node:fs/promises';
import { brotliDecompressSync } from 'node:zlib';

/** Where the build puts files, as seen from its code, and from the source. */
const FOLDERS = ['../', '../dist/'];

/** The text of a file that the build makes beside its code, compressed with Brotli. Undefined where it is not built. */
export async function readBuiltFile(name: string): Promise<string | undefined> {
  for (const folder of FOLDERS) {
    try {
      return brotliDecompressSync(await readFile(new URL(`${folder}${name}.br`, import.meta.url))).toString();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return undefined;
}
