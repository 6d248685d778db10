import { EventferryError } from '../../base/errors/errors.js';

/** One record of a file. */
export interface Row<T = Record<string, unknown>> {
  /** The line on which the record begins, from 1. */
  readonly line: number;
  /** The text of the record in the file. */
  readonly text: string;
  /**
   * Returns the value of the record, such as a message.
   *
   * @throws RowError if it has none
   */
  read(): T;
}

/** The reason why a row has no value. It rejects the row, not the file. */
export class RowError extends EventferryError {
  override readonly name = 'RowError';
  readonly code = 'EVENTFERRY_INVALID_MESSAGE';
}
