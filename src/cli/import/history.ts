import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { parseJson } from '../../base/text/decode.js';
import type { Connection } from '../connection.js';
import type { Input } from './input.js';
import type { Settings } from './settings.js';

/** An import in which every row came to its end. */
export interface FinishedImport {
  /** ISO 8601. */
  readonly finishedAt: string;
  readonly delivered: number;
  readonly rejected: number;
}

const historySchema = z.record(
  z.string(),
  z.object({ finishedAt: z.string(), delivered: z.number(), rejected: z.number() }),
);

/** The newest are kept. */
const MOST_IMPORTS = 1_000;

/**
 * What an import is recognised by: the same bytes to the same source, read in the same way. Undefined where it reads standard
 * input, which may be anything. As a digest, so that the history shows neither names of files nor a key.
 */
export function importKey(connection: Connection, inputs: readonly Input[], settings: Settings): string | undefined {
  if (inputs.some(({ modifiedMs }) => modifiedMs === undefined)) return undefined;
  const files = inputs.map(({ path, size, modifiedMs }) => [path, size, modifiedMs]);
  const { endpoint, writeKey } = connection;
  const ordered = Object.entries(settings).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([endpoint, writeKey, files, ordered]))
    .digest('base64url');
}

/** The import of this key, if it is known to have finished. */
export const finishedImport = async (key: string): Promise<FinishedImport | undefined> => (await readHistory())[key];

/** Where nothing can be written, as in some containers, the same import will not be recognised. */
export async function rememberImport(key: string, finished: FinishedImport): Promise<void> {
  const { [key]: _, ...others } = await readHistory();
  const kept = Object.entries(others).slice(1 - MOST_IMPORTS);
  const path = historyPath();
  const beside = `${path}.${randomUUID()}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(beside, JSON.stringify(Object.fromEntries([...kept, [key, finished]])), { mode: 0o600 });
    await rename(beside, path);
  } catch {
    // The import itself has finished, and its result does not depend on this.
  }
}

async function readHistory(): Promise<Readonly<Record<string, FinishedImport>>> {
  const text = await readFile(historyPath(), 'utf8').catch(() => '');
  const parsed = historySchema.safeParse(parseJson(text));
  return parsed.success ? parsed.data : {};
}

/** Not beside the imported files, where it would be litter. */
function historyPath(): string {
  const { XDG_STATE_HOME, LOCALAPPDATA } = process.env;
  const base = XDG_STATE_HOME || (process.platform === 'win32' && LOCALAPPDATA) || join(homedir(), '.local', 'state');
  return join(base, 'eventferry', 'imports.json');
}
