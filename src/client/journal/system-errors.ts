import type { JournalError, JournalErrorCode } from '../../base/errors/journal-errors.js';

const FULL: readonly string[] = ['ENOSPC', 'EDQUOT'];

const KINDS: readonly {
  readonly systemCodes: readonly string[];
  readonly code: JournalErrorCode;
  readonly advice: string;
}[] = [
  {
    systemCodes: ['ENOTDIR', 'EEXIST'],
    code: 'EVENTFERRY_JOURNAL_NOT_A_FOLDER',
    advice: 'it is no folder. Give the path of a folder, which is made if there is none',
  },
  {
    systemCodes: ['EACCES', 'EPERM', 'EROFS'],
    code: 'EVENTFERRY_JOURNAL_NO_PERMISSION',
    advice: 'this process may not write there. Give a folder that its user may write',
  },
  {
    systemCodes: FULL,
    code: 'EVENTFERRY_JOURNAL_NO_ROOM',
    advice: 'the disk is full. Make room on it, or give a folder on another',
  },
];

/** A failure that the journal itself has found, with a text that says what to do. */
export class JournalProblem extends Error {
  readonly code: JournalErrorCode;

  constructor(code: JournalErrorCode, text: string) {
    super(text);
    this.code = code;
  }
}

/** Makes the problems of a journal, given a path. */
export const PROBLEMS = {
  /** Something in a journal's folder is neither a plain file nor a folder, so the journal did not make it. */
  stranger: (path: string) =>
    new JournalProblem(
      'EVENTFERRY_JOURNAL_FAILED',
      `${path} is a link or something else that the journal did not make and does not use. Remove it`,
    ),
  newerVersion: (path: string, format: number) =>
    new JournalProblem(
      'EVENTFERRY_JOURNAL_NEWER',
      `${path} was written by a newer version of eventferry (its format is ${format}). Use that version, or another folder`,
    ),
  /** A note of the messages that have ended cannot be read. */
  damagedNote: (path: string) =>
    new JournalProblem(
      'EVENTFERRY_JOURNAL_DAMAGED',
      `A note in ${path} cannot be read: some messages that were delivered before their client ended may be sent again`,
    ),
  /** The folder of a living client was moved or removed, so another client would not find what is written to it. */
  away: (path: string) =>
    new JournalProblem(
      'EVENTFERRY_JOURNAL_FAILED',
      `${path} was moved or removed while the client used it. Put it back. Start the program again if it is gone, and keep the journal where nothing cleans up`,
    ),
};

/** Returns the system's code of an error, such as ENOENT, or an empty text if it has none. */
export const systemCodeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

const PASSING: readonly string[] = ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EINTR'];

/** Tells whether the system lacked a resource for now, such as file handles. Such an error says nothing about the file. */
export const isPassing = (error: unknown): boolean => PASSING.includes(systemCodeOf(error));

/** Tells whether the disk or a quota is full. */
export const isFull = (error: unknown): boolean => FULL.includes(systemCodeOf(error));

/** Returns the result of `act`, or undefined if the disk or a quota is full. @throws any other error */
export function ifRoom<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (isFull(error)) return undefined;
    throw error;
  }
}

/** Describes a failure as the code and text of a `JournalError`. */
export function describeProblem(path: string, error: unknown): { code: JournalErrorCode; message: string } {
  if (error instanceof JournalProblem) return error;
  const systemCode = systemCodeOf(error);
  const kind = KINDS.find(({ systemCodes }) => systemCodes.includes(systemCode));
  const reason = error instanceof Error ? error.message : String(error);
  return {
    code: kind?.code ?? 'EVENTFERRY_JOURNAL_FAILED',
    message: `The journal at ${path} cannot be used: ${kind === undefined ? reason : `${kind.advice} (${systemCode})`}`,
  };
}

/** Makes an error of the client's own class. The journal is a separate file, which may load beside another copy of the class. */
export type NewJournalError = (...args: ConstructorParameters<typeof JournalError>) => JournalError;

/** Makes the errors of one journal. */
export class Problems {
  readonly #newError: NewJournalError;
  readonly #path: string;

  /** @param path the path of the journal */
  constructor(newError: NewJournalError, path: string) {
    this.#newError = newError;
    this.#path = path;
  }

  /** Returns the error for messages of a client's folder that cannot be read. @param place says where their bytes are */
  damage(folder: string, place = 'its file is not there any more'): JournalError {
    const text = `A message in the journal at ${folder} cannot be read any more, and is lost: ${place}`;
    return this.#newError('EVENTFERRY_JOURNAL_DAMAGED', folder, text);
  }

  /** Returns the error for messages that were accepted with another write key. */
  foreign(): JournalError {
    const text = `Messages in the journal at ${this.#path} were accepted with another write key, and wait for a client with that one. Give that key in \`journal.adopt\` to send them with this one`;
    return this.#newError('EVENTFERRY_JOURNAL_OTHER_SOURCE', this.#path, text);
  }

  /** Returns a `JournalError` for an error that the system or the journal has thrown. */
  of(error: unknown, path = this.#path): JournalError {
    const { code, message } = describeProblem(path, error);
    return this.#newError(code, path, message, { cause: error });
  }
}
