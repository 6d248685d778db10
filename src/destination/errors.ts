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
