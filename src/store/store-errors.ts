import { EventferryError } from '../base/errors/errors.js';

const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** The lmdb store was requested, but the package `lmdb` is not installed. `cause` is the error of the import. */
export class LmdbMissingError extends EventferryError {
  override readonly name = 'LmdbMissingError';
  readonly code = 'EVENTFERRY_STORE_LMDB_MISSING';

  constructor(cause: unknown) {
    super('The lmdb store needs the package lmdb: npm install lmdb@3', { cause });
  }
}

/** The store could not write, so nothing was stored. `cause` is the system's error; a full disk is the usual reason. */
export class StoreWriteError extends EventferryError {
  override readonly name = 'StoreWriteError';
  readonly code = 'EVENTFERRY_STORE_UNWRITABLE';

  constructor(cause: unknown) {
    super(`The store could not write (${textOf(cause)}); is the disk full?`, { cause });
  }
}

/** The store's disk is nearly full, so the event was not accepted. The remaining room is for deliveries, which free room. */
export class StoreFullError extends EventferryError {
  override readonly name = 'StoreFullError';
  readonly code = 'EVENTFERRY_STORE_FULL';
  /** The folder of the store, or `Redis`. */
  readonly path: string;
  /** The free room at that time in bytes, including the free pages inside the store's file. */
  readonly freeBytes: number;

  constructor(path: string, freeBytes: number) {
    super(
      `The store in ${path} takes no new events: only ${Math.floor(freeBytes / 2 ** 20)} MB are free there. It takes events again once there is room`,
    );
    this.path = path;
    this.freeBytes = freeBytes;
  }
}

/** The store cannot be opened, for example because its folder cannot be written. `cause` is the system's error. */
export class StoreOpenError extends EventferryError {
  override readonly name = 'StoreOpenError';
  readonly code = 'EVENTFERRY_STORE_UNOPENED';
  /** The folder. */
  readonly path: string;

  constructor(path: string, cause: unknown) {
    super(`The store in ${path} cannot be opened: ${textOf(cause)}`, { cause });
    this.path = path;
  }
}

/** The store's file, or a key of it in Redis, is damaged. It was not changed. */
export class StoreDamagedError extends EventferryError {
  override readonly name = 'StoreDamagedError';
  readonly code = 'EVENTFERRY_STORE_DAMAGED';
  /** The file, or the key. */
  readonly path: string;

  constructor(
    path: string,
    damage: string,
    advice = 'Restore a copy of the file, or move the whole folder away, which loses the events that wait in it, its dead letters, and everything else it holds',
  ) {
    super(`${path} is damaged: ${damage}. ${advice}`);
    this.path = path;
  }
}

interface StoreUser {
  readonly pid: number;
  readonly host: string;
  readonly isOurs?: boolean;
  /** A file that names the holder, if it cannot be checked whether that process is alive. */
  readonly note?: string | undefined;
}

export function describeProcess({ pid, host, isOurs = false }: Pick<StoreUser, 'pid' | 'host' | 'isOurs'>): string {
  if (isOurs) return 'this process';
  return `process ${pid} on ${host}`;
}

/** Another process, or another store or storage of this one, has the folder open. Only one can have it open at a time. */
export class StoreInUseError extends EventferryError {
  override readonly name = 'StoreInUseError';
  readonly code = 'EVENTFERRY_STORE_IN_USE';
  /** The folder. */
  readonly path: string;
  /** The process id inside its own container, which may belong to a different process elsewhere. */
  readonly pid: number;
  /** The name of its machine or container. */
  readonly host: string;

  /** @internal */
  constructor(path: string, { pid, host, isOurs = false, note }: StoreUser) {
    const who = describeProcess({ pid, host, isOurs });
    const advice = isOurs ? 'Close it there first' : 'Stop that process, wait longer for it with `lockTimeout`';
    const unsure =
      note === undefined ? '' : `. It may run on another machine: if it has certainly ended, remove ${note}`;
    super(
      `The store in ${path} is in use by ${who}. ${advice}, or use another folder; several processes of a service need Redis${unsure}`,
    );
    this.path = path;
    this.pid = pid;
    this.host = host;
  }
}

/** The data has another format, because another version of the package or another program wrote it. It was not changed. */
export class StoreFormatError extends EventferryError {
  override readonly name = 'StoreFormatError';
  readonly code = 'EVENTFERRY_STORE_FORMAT';

  /** @param found undefined if no number was found */
  constructor(where: string, found: string | undefined, expected: number) {
    const said = found === undefined ? 'says no format' : `is of format ${found}`;
    super(
      `What is stored in ${where} ${said}, and this version reads ${expected}. Deliver what waits with the version that wrote it, then start with an empty store: another folder, or another prefix on Redis`,
    );
  }
}

/**
 * A record in the store cannot be read: another version wrote it, or it is damaged. It is left unchanged. There is no `cause`,
 * because the parser's error quotes the record.
 */
export class StoreRecordError extends EventferryError {
  override readonly name = 'StoreRecordError';
  readonly code = 'EVENTFERRY_STORE_RECORD';
  /** The id of the event that the record belongs to. */
  readonly eventId: string;

  /** @param part the part of the record that cannot be read */
  constructor(eventId: string, part: string) {
    super(
      `The store cannot read ${part} of the event ${eventId}, which another version wrote, or which is damaged. It stays as it is, and its deliveries wait`,
    );
    this.eventId = eventId;
  }
}

/** Resolves to undefined if the event cannot be read. */
export const ifReadable = <T>(read: Promise<T>): Promise<T | undefined> =>
  read.catch((error: unknown) => {
    if (error instanceof StoreRecordError) return undefined;
    throw error;
  });

/** Storage on Redis was requested, but a package that it needs is not installed. `cause` is the error of the import. */
export class RedisMissingError extends EventferryError {
  override readonly name = 'RedisMissingError';
  readonly code = 'EVENTFERRY_STORE_REDIS_MISSING';

  constructor(cause: unknown) {
    super('Storage on Redis needs the package ioredis: npm install ioredis@5', { cause });
  }
}

/** The server's settings could make it lose what it accepted. Nothing was stored. */
export class RedisUnfitError extends EventferryError {
  override readonly name = 'RedisUnfitError';
  readonly code = 'EVENTFERRY_STORE_REDIS_UNFIT';
  /** The setting that is unfit, for example `appendonly`. */
  readonly setting: string;

  constructor(setting: string, expected: string, received: string) {
    super(`Redis needs \`${setting} ${expected}\`, or it loses what it accepted; it has \`${setting} ${received}\``);
    this.setting = setting;
  }
}

/** The server is too old for the commands that are needed. Nothing was stored. */
export class RedisTooOldError extends EventferryError {
  override readonly name = 'RedisTooOldError';
  readonly code = 'EVENTFERRY_STORE_REDIS_TOO_OLD';
  /** The server's version. */
  readonly version: string;

  /** @param what the feature that needs that version */
  constructor(what: string, least: string, version: string) {
    super(`${what} needs a server of version ${least} or later; this one is ${version}`);
    this.version = version;
  }
}

/**
 * Redis did not answer in time, or refused. It is not known whether it ran the command. There is no `cause`, because the driver's
 * errors contain what was sent, including the password and the bodies of events.
 */
export class RedisFailedError extends EventferryError {
  override readonly name = 'RedisFailedError';
  readonly code = 'EVENTFERRY_STORE_REDIS_FAILED';
  /** The code with which Redis refused, for example `OOM` or `READONLY`; undefined if it did not answer. */
  readonly refusal: string | undefined;
  /** True if the command would probably have succeeded with more time. */
  readonly isLate: boolean;

  constructor(error: unknown) {
    super(`Redis: ${error instanceof Error ? describeFailure(error) : 'no answer'}`);
    this.isLate = error instanceof Error && /timed out|timeout|in time|ETIMEDOUT/i.test(error.message);
    this.refusal = error instanceof Error ? /^[A-Z]{3,}(?= )/.exec(error.message)?.[0] : undefined;
  }
}

/** No memory, a disk that cannot be written, a replica, too few replicas: nothing was written, but a later write may succeed. */
const NOT_NOW: readonly (string | undefined)[] = ['OOM', 'MISCONF', 'READONLY', 'NOREPLICAS'];

/** Returns true if Redis accepts no writes for now. */
export const isWriteRefused = (error: unknown): boolean =>
  error instanceof RedisFailedError && NOT_NOW.includes(error.refusal);

/** The driver's errors are described by their message, those of a socket by their code if there is no message. */
function describeFailure({ name, message, code }: Error & { code?: unknown }): string {
  if (name === 'MaxRetriesPerRequestError') return 'no connection';
  return message === '' && code !== undefined ? String(code) : message;
}
