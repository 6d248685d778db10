import { chmod, chown, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreDamagedError } from '../errors.js';
import { FolderLock } from './folder-lock.js';
import { findDamage } from './lmdb-check.js';
import { DATA_FILE, LmdbEnvironment } from './lmdb-environment.js';

export interface Compacted {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** Where the new file is written, inside the folder, so that renaming it is one step. */
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
    const before = await stat(file);
    // A run that was killed has left its own.
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { mode: 0o700 });
    await copyInto(draft, path);
    const copy = join(draft, DATA_FILE);
    await refuseDamaged(copy);
    await chmod(copy, before.mode);
    // Root may run this for a service that is not root's.
    await chown(copy, before.uid, before.gid);
    await flush(copy);
    await rename(copy, file);
    await flush(path);
    return { bytesBefore: before.size, bytesAfter: (await stat(file)).size };
  } finally {
    await rm(draft, { recursive: true, force: true });
    await lock.release();
  }
}

async function copyInto(draft: string, path: string): Promise<void> {
  // The folder is locked already, by this process.
  const environment = await LmdbEnvironment.open({ path, lock: 'none' });
  try {
    await environment.db.backup(draft, true);
  } finally {
    await environment.close();
  }
}

/** @throws StoreDamagedError */
async function refuseDamaged(file: string): Promise<void> {
  const damage = await findDamage(file);
  if (damage !== undefined) throw new StoreDamagedError(file, damage);
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
