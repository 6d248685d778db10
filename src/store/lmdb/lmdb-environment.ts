import fs, { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import type { RootDatabase } from 'lmdb';
import { required } from '../../base/options/check-options.js';
import { makeFolder } from '../../base/process/make-folder.js';
import { type Cleanup, withCleanup } from '../../base/structures/cleanup.js';
import {
  LmdbMissingError,
  StoreDamagedError,
  StoreFormatError,
  StoreInUseError,
  StoreOpenError,
} from '../store-errors.js';
import { DiskRoom, FreePages } from './disk-room.js';
import { FolderLock, type FolderLockOptions } from './folder-lock.js';
import { markUsed, refuseEmptied } from './folder-marker.js';
import { GroupCommit } from './group-commit.js';
import { findDamage } from './lmdb-check.js';
import { assertFormat } from './lmdb-format.js';

export interface LmdbEnvironmentOptions extends Pick<FolderLockOptions, 'path' | 'onWait' | 'signal'> {
  /** `alone`: no other process may have the folder open. `none`: for reading it while another process has it open. */
  readonly lock: 'alone' | 'none';
  /** The longest time to wait for another process, in ms. @default 0 */
  readonly lockTimeoutMs?: number | undefined;
}

/** The rules for the options that all functions that open a folder share. */
export const FOLDER_RULES = {
  path: required({ expected: 'a folder', holds: (path) => typeof path === 'string' && path !== '' }),
  lockTimeout: {
    expected: 'a number of milliseconds from 0 up',
    holds: (value: unknown) => typeof value === 'number' && value >= 0,
  },
};

/** The most tables that lmdb has to support. No folder has this many. */
const MOST_DATABASES = 32;

/** Stored events contain personal data, so only the user of the process may read them. */
const OWNER_ONLY_FILE = 0o600;

export const DATA_FILE = 'data.mdb';
const LMDB_FILES = [DATA_FILE, 'lock.mdb'];

/** An lmdb folder, and the only way to write to it. */
export class LmdbEnvironment {
  readonly db: RootDatabase;
  readonly commits: GroupCommit;
  readonly room: DiskRoom;
  readonly #path: string;
  readonly #cleanup: Cleanup;

  private constructor(path: string, db: RootDatabase, cleanup: Cleanup) {
    this.#path = path;
    this.db = db;
    this.room = new DiskRoom(path, new FreePages(db));
    this.commits = new GroupCommit(db, () => this.room.ranOut());
    this.#cleanup = cleanup;
  }

  /**
   * @throws LmdbMissingError when the package `lmdb` is not installed.
   * @throws StoreInUseError, StoreDamagedError, StoreFormatError, StoreOpenError
   */
  static async open(options: LmdbEnvironmentOptions): Promise<LmdbEnvironment> {
    const { path, lock: kind, lockTimeoutMs: timeoutMs = 0, onWait, signal } = options;
    const { open } = await import('lmdb').catch((error: unknown) => {
      throw new LmdbMissingError(error);
    });
    const openFolder = async (cleanup: Cleanup): Promise<LmdbEnvironment> => {
      makeFolder(fs, path);
      const lock = kind === 'none' ? undefined : await FolderLock.take({ path, timeoutMs, onWait, signal });
      cleanup.defer(() => lock?.release());
      await refuseEmptied(path, DATA_FILE);
      // A process that has the folder open has already checked it.
      if (lock !== undefined || !(await FolderLock.isHeld(path))) await refuseDamaged(path);
      // Jobs are already grouped here. If lmdb grouped them too, a failed commit would cause a rejection that nobody can handle.
      const isNew = !existsSync(join(path, DATA_FILE));
      const db = open({ path, maxDbs: MOST_DATABASES, noSubdir: false, eventTurnBatching: false });
      cleanup.defer(() => db.close());
      // lmdb creates files that the group may write.
      if (isNew) for (const name of LMDB_FILES) await chmod(join(path, name), OWNER_ONLY_FILE);
      await assertFormat(db, path);
      if (lock !== undefined) await markUsed(path);
      return new LmdbEnvironment(path, db, cleanup);
    };
    return orStoreError(path, () => withCleanup(openFolder));
  }

  /** Creates an object that uses the folder. @throws StoreOpenError when that fails; the folder is closed then */
  async build<T>(make: () => T | Promise<T>): Promise<T> {
    try {
      return await make();
    } catch (error) {
      await this.#cleanup.close();
      throw new StoreOpenError(this.#path, error);
    }
  }

  async close(): Promise<void> {
    // lmdb waits for the disk after its last commit, and waits forever if that commit failed. An empty commit never fails.
    await this.commits.flush();
    await this.#cleanup.close();
  }
}

/** @throws StoreDamagedError */
async function refuseDamaged(path: string): Promise<void> {
  const file = join(path, DATA_FILE);
  if (!existsSync(file) || (await findDamage(file)) === undefined) return;
  // A process that inspects the folder without a lock may have written during the check, so it is repeated.
  const damage = await findDamage(file);
  if (damage !== undefined) throw new StoreDamagedError(file, damage);
}

async function orStoreError<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (PLAIN.some((type) => error instanceof type) || isAbort(error)) throw error;
    throw new StoreOpenError(path, error);
  }
}

/** The errors that explain the problem themselves and are not wrapped. */
const PLAIN = [StoreDamagedError, StoreFormatError, StoreInUseError];

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';
