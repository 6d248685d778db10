import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderLock } from './folder-lock.js';
import { copyLmdbFile, flush, refuseDamaged } from './lmdb-copy.js';
import { DATA_FILE } from './lmdb-environment.js';

export interface Compacted {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** The new file is written to this subfolder of the store's folder, so that moving it into place is a single rename. */
const DRAFT = 'compacting';

/**
 * Rewrites the file of a store without the space of removed data, and replaces the old file once the new one is on the disk and
 * has been checked. Until then the old file is unchanged.
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
    // A run that was killed may have left its folder.
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { mode: 0o700 });
    // This process has already locked the folder.
    const copy = await copyLmdbFile(path, draft);
    await rename(copy, file);
    await flush(path);
    return { bytesBefore, bytesAfter: (await stat(file)).size };
  } finally {
    await rm(draft, { recursive: true, force: true });
    await lock.release();
  }
}
