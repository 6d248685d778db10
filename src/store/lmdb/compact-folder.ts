import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderLock } from './folder-lock.js';
import { copyLmdbFile, flush, refuseDamaged } from './lmdb-copy.js';
import { DATA_FILE } from './lmdb-environment.js';

export interface Compacted {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** The new file is written in this folder of the store's folder, so that renaming it is one step. */
const DRAFT = 'compacting';

/**
 * Writes the file of a store anew, with what is stored and nothing of what was removed, and puts it in the place of the old one
 * once it is on the disk and found whole. Until then the old file stays as it is.
 *
 * @throws LmdbMissingError when the package `lmdb` is not installed.
 * @throws StoreInUseError when a process has the folder open; StoreDamagedError, StoreOpenError
 */
export async function compactLmdbFolder(path: string): Promise<Compacted> {
  const lock = await FolderLock.take({ path, timeoutMs: 0 });
  const [file, draft] = [join(path, DATA_FILE), join(path, DRAFT)];
  try {
    await refuseDamaged(file);
    const { size: bytesBefore } = await stat(file);
    // A run that was killed has left its own.
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { mode: 0o700 });
    // The folder is locked already, by this process.
    const copy = await copyLmdbFile(path, draft);
    await rename(copy, file);
    await flush(path);
    return { bytesBefore, bytesAfter: (await stat(file)).size };
  } finally {
    await rm(draft, { recursive: true, force: true });
    await lock.release();
  }
}
