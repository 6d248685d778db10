import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { CliError, codeOf, reasonOf } from './cli-error.js';

const STANDARD_INPUT = '-';

/**
 * The bytes of a file, or of standard input for `-`.
 *
 * @throws CliError when there is no such file
 */
export async function readBody(name: string, stdin: Readable): Promise<Uint8Array> {
  if (name === STANDARD_INPUT) return buffer(stdin);
  try {
    return await readFile(name);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw new CliError(`there is no file ${name}`);
    if (codeOf(error) === 'EISDIR') throw new CliError(`${name} is a directory`);
    throw new CliError(`${name}: ${reasonOf(error)}`);
  }
}
