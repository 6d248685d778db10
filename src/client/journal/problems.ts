import type { JournalError } from '../../base/errors/journal-errors.js';
import { describeProblem } from './system-errors.js';

/** Makes an error of the client's class: the journal is a separate file, which may be loaded beside another copy of the classes. */
export type NewJournalError = (...args: ConstructorParameters<typeof JournalError>) => JournalError;

/** The errors of one journal. */
export class Problems {
  readonly #newError: NewJournalError;
  readonly #path: string;

  /** @param path that of the journal */
  constructor(newError: NewJournalError, path: string) {
    this.#newError = newError;
    this.#path = path;
  }

  /** Messages of a client's folder cannot be read. @param place where their bytes are kept */
  damage(folder: string, place = 'its file is not there any more'): JournalError {
    const text = `A message in the journal at ${folder} cannot be read any more, and is lost: ${place}`;
    return this.#newError('EVENTFERRY_JOURNAL_DAMAGED', folder, text);
  }

  /** Messages were accepted with another write key. */
  foreign(): JournalError {
    const text = `Messages in the journal at ${this.#path} were accepted with another write key, and wait for a client with that one. Give that key in \`journal.adopt\` to send them with this one`;
    return this.#newError('EVENTFERRY_JOURNAL_OTHER_SOURCE', this.#path, text);
  }

  /** The error that the system, or the journal itself, has thrown. */
  of(error: unknown, path = this.#path): JournalError {
    const { code, message } = describeProblem(path, error);
    return this.#newError(code, path, message, { cause: error });
  }
}
