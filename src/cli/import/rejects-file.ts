import { appendFile, stat, truncate, writeFile } from 'node:fs/promises';
import { reasonOf, unusable } from '../cli-error.js';

export interface Reject {
  readonly file: string;
  readonly line: number;
  readonly reason: string;
  /** The text of the row in the file. */
  readonly row: string;
}

/**
 * Prepares the file of rejected rows.
 *
 * @param bytes the length of the file at the checkpoint; what follows is cut off, because the import reads those rows again
 * @throws CliError if the file cannot be written or is shorter
 */
export async function openRejects(path: string, bytes: number): Promise<void> {
  try {
    if (bytes === 0) return await writeFile(path, '');
    if ((await stat(path)).size < bytes) {
      throw new Error(`${path} has lost rows of the interrupted import; bring them back, or give --restart`);
    }
    await truncate(path, bytes);
  } catch (error) {
    refuseUnwritable(error);
  }
}

/**
 * Appends rows, and resolves to the length of the file in bytes when they are on disk.
 *
 * @param bytes the length of the file so far
 * @throws CliError if the file cannot be written, or if another import writes to it, because the next run would cut that off
 */
export async function appendRejects(path: string, bytes: number, rejects: readonly Reject[]): Promise<number> {
  const lines = Buffer.from(rejects.map((reject) => `${JSON.stringify(reject)}\n`).join(''));
  try {
    await appendFile(path, lines, { flush: true });
    if ((await stat(path)).size === bytes + lines.length) return bytes + lines.length;
    throw new Error(`another program writes to ${path}`);
  } catch (error) {
    refuseUnwritable(error);
  }
}

function refuseUnwritable(error: unknown): never {
  throw unusable(`--rejects: ${reasonOf(error)}`, error);
}
