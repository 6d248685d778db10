import { chmod, chown, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreDamagedError } from '../store-errors.js';
import { FolderLock } from './folder-lock.js';
import { markUsed } from './folder-marker.js';
import { findDamage } from './lmdb-check.js';
import { DATA_FILE, LmdbEnvironment } from './lmdb-environment.js';

/**
 * Copies the file of a store into an empty folder, without removed data and as of this moment, even while another process writes.
 * Resolves with the path of the copy once it is on the disk and has been checked. The copy gets the owner and mode of the
 * original, because root may run this for a service of another user.
 *
 * @throws LmdbMissingError when the package `lmdb` is not installed.
 * @throws StoreDamagedError, StoreOpenError, and lmdb's own error when the copy cannot be written
 */
async function copyLmdbFile(path: string, folder: string): Promise<string> {
  const { mode, uid, gid } = await stat(join(path, DATA_FILE));
  const environment = await LmdbEnvironment.open({ path, lock: 'none' });
  await environment.db.backup(folder, true).finally(() => environment.close());
  const copy = join(folder, DATA_FILE);
  await refuseDamaged(copy);
  await chmod(copy, mode);
  await chown(copy, uid, gid);
  await flush(copy);
  return copy;
}

/** Copies the file and everything else that makes a folder a store. */
export async function copyLmdbFolder(path: string, folder: string): Promise<{ readonly bytes: number }> {
  const copy = await copyLmdbFile(path, folder);
  const { size: bytes, uid, gid } = await stat(copy);
  await markUsed(folder, { uid, gid });
  await chown(folder, uid, gid);
  await flush(folder);
  return { bytes };
}

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

/** @throws StoreDamagedError */
async function refuseDamaged(file: string): Promise<void> {
  const damage = await findDamage(file);
  if (damage !== undefined) throw new StoreDamagedError(file, damage);
}

export async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
