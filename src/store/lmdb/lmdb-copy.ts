import { chmod, chown, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreDamagedError } from '../store-errors.js';
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
export async function copyLmdbFile(path: string, folder: string): Promise<string> {
  const { mode, uid, gid } = await stat(join(path, DATA_FILE));
  await copyInto(folder, path);
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

/** @throws StoreDamagedError */
export async function refuseDamaged(file: string): Promise<void> {
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

async function copyInto(folder: string, path: string): Promise<void> {
  const environment = await LmdbEnvironment.open({ path, lock: 'none' });
  try {
    await environment.db.backup(folder, true);
  } finally {
    await environment.close();
  }
}
