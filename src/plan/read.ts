import { readFile } from 'node:fs/promises';
import { whyUnreadable } from '../base/errors/unreadable.js';
import { textIn } from '../base/text/file-text.js';
import { compilePlan } from './compile.js';
import { PlanFileError } from './plan-errors.js';
import type { TrackingPlan } from './tracking-plan.js';

/**
 * Reads and compiles the plan in a JSON file, or in `bytes`; then `file` is only its name in errors.
 *
 * @throws PlanFileError if the file cannot be read or is not JSON
 * @throws PlanError with every mistake in the plan
 */
export async function readPlan(file: string, bytes?: Uint8Array): Promise<TrackingPlan> {
  const { text, problem } = textIn(bytes ?? (await readBytes(file)), 'JSON');
  if (text === undefined) throw new PlanFileError(file, problem);
  try {
    return compilePlan(JSON.parse(text), file);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new PlanFileError(file, `not JSON (${cause.message})`, { cause });
  }
}

const readBytes = (file: string): Promise<Uint8Array> =>
  readFile(file).catch((error: unknown) => {
    throw new PlanFileError(file, whyUnreadable(error) ?? 'cannot read the file', { cause: error });
  });
