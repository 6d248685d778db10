import { EventferryError } from './errors.js';

/** The reason why a journal stopped. Each one needs a different remedy. */
export type JournalErrorCode =
  /** The path, or a part of it, is a file. */
  | 'EVENTFERRY_JOURNAL_NOT_A_FOLDER'
  /** This user may not write there, or the disk is read-only. */
  | 'EVENTFERRY_JOURNAL_NO_PERMISSION'
  /** The disk, or a quota on it, is full. */
  | 'EVENTFERRY_JOURNAL_NO_ROOM'
  /** A newer version of the package wrote the journal. */
  | 'EVENTFERRY_JOURNAL_NEWER'
  /** A message in the journal can no longer be read. */
  | 'EVENTFERRY_JOURNAL_DAMAGED'
  /** The messages in the journal belong to a source with another write key. */
  | 'EVENTFERRY_JOURNAL_OTHER_SOURCE'
  /** The system reported another error; `cause` holds it. */
  | 'EVENTFERRY_JOURNAL_FAILED';

/** The journal cannot be opened, written or read. */
export class JournalError extends EventferryError {
  override readonly name = 'JournalError';
  readonly code: JournalErrorCode;
  /** The file or folder. */
  readonly path: string;

  constructor(code: JournalErrorCode, path: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.path = path;
  }
}

/** `receipt.stored` was read on a client that has no `journal`. */
export class NoJournalError extends EventferryError {
  override readonly name = 'NoJournalError';
  readonly code = 'EVENTFERRY_NO_JOURNAL';

  constructor() {
    super('No message is stored without a journal. Give the option `journal`');
  }
}

/** The client was closed before the message was delivered. It is in the journal, and the next client with this journal sends it. */
export class LeftInJournalError extends EventferryError {
  override readonly name = 'LeftInJournalError';
  readonly code = 'EVENTFERRY_LEFT_IN_JOURNAL';

  constructor(why: string) {
    super(`Not delivered: ${why}. It stays in the journal; the next client with the same journal sends it`);
  }
}
