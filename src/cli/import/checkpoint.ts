import fs from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import { makeFolder } from '../../base/process/make-folder.js';
import { parseJson } from '../../base/text/decode.js';
import { FolderLock } from '../../store/lmdb/folder-lock.js';
import { codeOf, reasonOf, unusable, whenInUse } from '../cli-error.js';

const count = z.int().check(z.gte(0));
const texts = z.readonly(z.record(z.string(), z.string()));
const checkpointSchema = z.readonly(
  z.object({
    version: z.literal(2),
    /** Digests of the files that were imported, of the collector, and of the options. */
    settings: texts,
    /** The index of the file with the last row that has ended. */
    file: count,
    /** The last row that has ended; undefined if none has. */
    last: z.optional(z.readonly(z.object({ line: count, start: count, fingerprint: z.string() }))),
    /** The bytes of all files, as on disk, up to the last ended row. */
    bytes: count,
    /** The number of delivered rows, including earlier runs. */
    delivered: count,
    rejected: count,
    /** The length of the file of rejected rows, in bytes. */
    rejectsBytes: count,
    /** The time in ISO 8601 at which every row had ended, and the stamps of the files by their paths. */
    finished: z.optional(z.readonly(z.object({ at: z.string(), stamps: texts }))),
  }),
);

/**
 * The progress of an import. Every row up to `last` has ended, with an answer of the collector. The file is written before the
 * first request.
 */
export type Checkpoint = z.infer<typeof checkpointSchema>;

/** Returns the checkpoint of an import of which no row has ended. */
export const startOf = (settings: Checkpoint['settings']): Checkpoint => ({
  version: 2,
  settings,
  file: 0,
  bytes: 0,
  delivered: 0,
  rejected: 0,
  rejectsBytes: 0,
});

/** @throws CliError when the file is not a checkpoint */
export async function readCheckpoint(path: string): Promise<Checkpoint | undefined> {
  const text = await readFile(path, 'utf8').catch((error) => {
    if (codeOf(error) === 'ENOENT') return '';
    throw unusable(`${path}: ${reasonOf(error)}`);
  });
  // `mktemp` makes an empty file.
  if (text === '') return undefined;
  const parsed = checkpointSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw unusable(`${path} is not a checkpoint of an import; give another --checkpoint, or --restart to replace it`);
}

const draftOf = (path: string): string => `${path}.new`;
const lockOf = (path: string): string => `${path}.lock`;

/** Returns the paths of the files that an import writes beside its checkpoint. */
export const filesBeside = (path: string): readonly string[] => [draftOf(path), lockOf(path)];

/** Writes a new file and moves it into place, so that an interruption leaves the old checkpoint or the new one. */
export async function writeCheckpoint(path: string, checkpoint: Checkpoint): Promise<void> {
  const beside = draftOf(path);
  await writeFile(beside, `${JSON.stringify(checkpoint, null, 2)}\n`, { flush: true });
  await rename(beside, path);
}

/** Throws the error for a checkpoint that cannot be written. An import finds this out before its first request. */
export function refuseUnwritable(error: unknown): never {
  throw unusable(`cannot write the checkpoint: ${reasonOf(error)}; give --checkpoint FILE to put it elsewhere`);
}

/**
 * Locks a checkpoint against other imports. The lock ends when you call the returned function or when the process ends,
 * however it ends.
 *
 * @throws CliError if another import has the lock, or if the lock cannot be written
 */
export async function lockCheckpoint(checkpoint: string): Promise<() => Promise<void>> {
  const path = lockOf(checkpoint);
  try {
    makeFolder(fs, path);
  } catch (error) {
    refuseUnwritable(error);
  }
  const lock = await FolderLock.take({ path, timeoutMs: 0 }).catch(
    whenInUse(
      (owner) => `${owner} imports with ${checkpoint}; wait for it, or give another --checkpoint for another import`,
    ),
  );
  return async () => {
    await lock.release();
    await rm(path, { recursive: true, force: true });
  };
}
