import { readFile } from 'node:fs/promises';
import { decodeUtf8 } from '../base/text/decode.js';
import { compilePlan } from './compile.js';
import { PlanFileError } from './errors.js';
import type { TrackingPlan } from './tracking-plan.js';

/**
 * Reads and compiles the plan in a JSON file, or in `bytes`; then `file` is only its name in errors.
 *
 * @throws PlanFileError if the file cannot be read or is not JSON
 * @throws PlanError with every mistake in the plan
 */
export async function readPlan(file: string, bytes?: Uint8Array): Promise<TrackingPlan> {
  const text = decodeUtf8(bytes ?? (await readBytes(file)));
  if (text === undefined) throw new PlanFileError(file, 'not UTF-8 text');
  try {
    return compilePlan(JSON.parse(text), file);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new PlanFileError(file, `not JSON (${cause.message})`, { cause });
  }
}

const readBytes = (file: string): Promise<Uint8Array> =>
  readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new PlanFileError(file, UNREADABLE[error.code ?? ''] ?? 'cannot read the file', { cause: error });
  });

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no file',
  ENOTDIR: 'there is no file',
  EISDIR: 'a folder, not a file',
  EACCES: 'no permission to read',
};
