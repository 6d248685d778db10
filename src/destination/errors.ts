import { EventferryError } from '../errors.js';

/** A setting is wrong. Nothing was opened and nothing was sent. No message made here holds a secret or a header's value. */
export class SettingError extends EventferryError {
  override readonly name = 'SettingError';
  readonly code = 'DESTINATION_INVALID_SETTING';
  /** The setting as it was written: `webhooks[2].headers["X-Team"]`. */
  readonly setting: string;
  /** What the setting should be: `an absolute URL`. */
  readonly expected: string;
  /** What it was, in a few words. */
  readonly received: string;

  constructor(setting: string, expected: string, received: string) {
    super(`Expected \`${setting}\` to be ${expected}, got ${received}`);
    this.setting = setting;
    this.expected = expected;
    this.received = received;
  }
}

/** A call came after `close()`. The message was not taken. */
export class DestinationClosedError extends EventferryError {
  override readonly name = 'DestinationClosedError';
  readonly code = 'DESTINATION_CLOSED';

  constructor() {
    super('The destination is closed and takes no more messages');
  }
}

/**
 * Dead letters of webhooks that are configured no more stay, as several others are configured and `sendTo` does not say which of
 * them gets these. All other letters that were meant have been replayed.
 */
export class ReplayTargetError extends EventferryError {
  override readonly name = 'ReplayTargetError';
  readonly code = 'DESTINATION_REPLAY_TARGET';
  /** How many deliveries began anew. */
  readonly replayed: number;
  /** The webhooks whose letters stay, as URLs without what is secret in them. */
  readonly urls: readonly string[];
  /** Those that are configured: each its `id`, or else its URL without what is secret in it. */
  readonly webhooks: readonly string[];

  constructor({ replayed, urls, webhooks }: Pick<ReplayTargetError, 'replayed' | 'urls' | 'webhooks'>) {
    super(
      `${begun(replayed)} anew. The dead letters of ${urls.join(', ')} stay, as no such webhook is configured any more. ` +
        `Say with \`sendTo\` which webhook gets them: ${webhooks.join(', ')}`,
    );
    this.replayed = replayed;
    this.urls = urls;
    this.webhooks = webhooks;
  }
}

/** The lmdb store was asked for, and the package `lmdb` is not there. `cause` is what importing it said. */
export class LmdbMissingError extends EventferryError {
  override readonly name = 'LmdbMissingError';
  readonly code = 'DESTINATION_LMDB_MISSING';

  constructor(cause: unknown) {
    super('The lmdb store needs the package lmdb: npm install lmdb@3', { cause });
  }
}

/** The store could not write, so nothing was kept. `cause` is what the system said; a full disk is the usual reason. */
export class StoreWriteError extends EventferryError {
  override readonly name = 'StoreWriteError';
  readonly code = 'DESTINATION_STORE_WRITE';

  constructor(cause: unknown) {
    super(`The store could not write (${cause instanceof Error ? cause.message : String(cause)}); is the disk full?`, {
      cause,
    });
  }
}

/** The store's disk is nearly full, so the event was not taken. What is left is for delivering what waits, which makes room. */
export class StoreFullError extends EventferryError {
  override readonly name = 'StoreFullError';
  readonly code = 'DESTINATION_STORE_FULL';
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
  readonly code = 'DESTINATION_STORE_OPEN';
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
  readonly code = 'DESTINATION_STORE_DAMAGED';
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
  readonly code = 'DESTINATION_STORE_IN_USE';
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

/** The name of an endpoint leads to addresses that may not be reached, so no connection was made. */
export class AddressRefusedError extends EventferryError {
  override readonly name = 'AddressRefusedError';
  readonly code = 'DESTINATION_ADDRESS_REFUSED';
  readonly host: string;

  constructor(host: string) {
    super(`${host} is at no public address; \`allowCidrs\` and \`allowLoopback\` say which others may be reached`);
    this.host = host;
  }
}

const begun = (count: number): string =>
  count === 0 ? 'No delivery begins' : count === 1 ? '1 delivery begins' : `${count} deliveries begin`;
