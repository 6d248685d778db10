import { EventferryError } from '../errors.js';

/** The lmdb store was asked for, and the package `lmdb` is not there. `cause` is what importing it said. */
export class LmdbMissingError extends EventferryError {
  override readonly name = 'LmdbMissingError';
  readonly code = 'EVENTFERRY_STORE_LMDB_MISSING';

  constructor(cause: unknown) {
    super('The lmdb store needs the package lmdb: npm install lmdb@3', { cause });
  }
}

/** The store could not write, so nothing was kept. `cause` is what the system said; a full disk is the usual reason. */
export class StoreWriteError extends EventferryError {
  override readonly name = 'StoreWriteError';
  readonly code = 'EVENTFERRY_STORE_UNWRITABLE';

  constructor(cause: unknown) {
    super(`The store could not write (${cause instanceof Error ? cause.message : String(cause)}); is the disk full?`, {
      cause,
    });
  }
}

/** The store's disk is nearly full, so the event was not taken. What is left is for delivering what waits, which makes room. */
export class StoreFullError extends EventferryError {
  override readonly name = 'StoreFullError';
  readonly code = 'EVENTFERRY_STORE_FULL';
  /** Where the store is. */
  readonly path: string;
  /** How much room there was, in bytes, the free pages inside the store's file included. */
  readonly freeBytes: number;

  constructor(path: string, freeBytes: number) {
    super(`The store in ${path} takes no new events: only ${Math.floor(freeBytes / 2 ** 20)} MB are free there`);
    this.path = path;
    this.freeBytes = freeBytes;
  }
}

/**
 * The store cannot be opened: its folder cannot be made, read or written, or was written by a later version. `cause` is what
 * the system said.
 */
export class StoreOpenError extends EventferryError {
  override readonly name = 'StoreOpenError';
  readonly code = 'EVENTFERRY_STORE_UNOPENED';
  /** The folder. */
  readonly path: string;

  constructor(path: string, cause: unknown) {
    super(`The store in ${path} cannot be opened: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
    this.path = path;
  }
}

/** The store's file is damaged. Nothing was changed in it. */
export class StoreDamagedError extends EventferryError {
  override readonly name = 'StoreDamagedError';
  readonly code = 'EVENTFERRY_STORE_DAMAGED';
  /** The file. */
  readonly path: string;

  constructor(path: string, damage: string) {
    super(
      `${path} is damaged: ${damage}. Put a copy of the file in its place; or move it away, which loses the events that wait in it, its dead letters, and everything else it holds`,
    );
    this.path = path;
  }
}

/** Another process, or another store of this one, has the folder open. Two would deliver every event twice. */
export class StoreInUseError extends EventferryError {
  override readonly name = 'StoreInUseError';
  readonly code = 'EVENTFERRY_STORE_IN_USE';
  /** The folder. */
  readonly path: string;
  /** The process, as it numbers itself: in another container the number is another's. */
  readonly pid: number;

  constructor(path: string, pid: number) {
    const who = pid === process.pid ? 'this process' : `process ${pid}`;
    super(
      `The store in ${path} is in use by ${who}. Close it there, use a folder of its own, or wait for it with \`lockTimeout\``,
    );
    this.path = path;
    this.pid = pid;
  }
}
