import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { makeFolder } from '../../base/process/make-folder.js';
import { parseJson } from '../../base/text/decode.js';
import type { Connection } from '../options/connection.js';
import type { Input } from './input.js';
import type { Settings } from './settings.js';

/** An import in which every row was delivered or rejected, with the time in ISO 8601. */
const finishedSchema = z.object({ finishedAt: z.string(), delivered: z.number(), rejected: z.number() });
const historySchema = z.record(z.string(), finishedSchema);

export type FinishedImport = z.infer<typeof finishedSchema>;

/** The most imports that are remembered. The oldest are dropped. */
const MOST_IMPORTS = 1_000;

/**
 * Returns the key by which an import is recognised: the same bytes, read the same way, to the same source. It is a
 * digest, so that the history shows neither file names nor write keys. Standard input has no key, because it may
 * contain anything.
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

/** Returns the finished import of this key, if there was one. */
export const finishedImport = async (key: string): Promise<FinishedImport | undefined> => (await readHistory())[key];

/** Remembers a finished import. If nothing can be written, as in some containers, it will not be recognised. */
export async function rememberImport(key: string, finished: FinishedImport): Promise<void> {
  const { [key]: _, ...others } = await readHistory();
  const kept = Object.entries(others).slice(1 - MOST_IMPORTS);
  const path = historyPath();
  const beside = `${path}.${randomUUID()}`;
  try {
    makeFolder(fs, dirname(path));
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

/** The history is not beside the imported files, where it would be litter. */
export function historyPath(): string {
  const { XDG_STATE_HOME, LOCALAPPDATA } = process.env;
  const base = XDG_STATE_HOME || (process.platform === 'win32' && LOCALAPPDATA) || join(homedir(), '.local', 'state');
  return join(base, 'eventferry', 'imports.json');
}
