import { mkdir, rm } from 'node:fs/promises';
import { describeProcess, StoreInUseError } from '../../store/errors.js';
import { FolderLock } from '../../store/lmdb/folder-lock.js';
import { reasonOf, unusable } from '../cli-error.js';

/**
 * Locks a checkpoint against other imports. The lock ends when you call the returned function or when the process ends,
 * however it ends.
 *
 * @throws CliError if another import has the lock, or if the lock cannot be written
 */
export async function lockCheckpoint(checkpoint: string): Promise<() => Promise<void>> {
  const path = `${checkpoint}.lock`;
  await mkdir(path, { recursive: true }).catch((error: unknown) => {
    throw unusable(`cannot write the checkpoint: ${reasonOf(error)}; give --checkpoint FILE to put it elsewhere`);
  });
  const lock = await FolderLock.take({ path, timeoutMs: 0 }).catch((error: unknown) => {
    if (!(error instanceof StoreInUseError)) throw error;
    throw unusable(
      `${describeProcess(error)} imports with ${checkpoint}; wait for it, or give another --checkpoint for another import`,
    );
  });
  return async () => {
    await lock.release();
    await rm(path, { recursive: true, force: true });
  };
}
