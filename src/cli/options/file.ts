import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { whyUnreadable } from '../../base/errors/unreadable.js';
import { type CliError, codeOf, reasonOf, unusable } from '../cli-error.js';

/** The file name that means standard input, and its name in errors. */
export const STANDARD_INPUT = '-';
export const STANDARD_INPUT_NAME = 'standard input';

/**
 * Reads a file or standard input.
 *
 * @throws CliError if the file cannot be read
 */
export async function readBody(name: string): Promise<Uint8Array> {
  if (name === STANDARD_INPUT) return buffer(process.stdin);
  return readFile(name).catch((error: unknown) => {
    throw unreadable(name, error);
  });
}

export const unreadable = (name: string, error: unknown): CliError =>
  unusable(`${whyUnreadable(error) ?? reasonOf(error)}: ${name}`, error);

/**
 * Checks that the folder has a store, because opening one would create it.
 *
 * @throws CliError if there is none
 */
export async function checkStore(folder: string): Promise<void> {
  await access(join(folder, 'data.mdb')).catch((error: unknown) => {
    throw codeOf(error) === 'EACCES' ? unreadable(folder, error) : unusable(`there is no store in ${folder}`, error);
  });
}
