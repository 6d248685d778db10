import { describeThrown } from '../../base/errors/describe-thrown.js';
import { EventferryError } from '../../base/errors/errors.js';

/** The progress of an import. At every moment `accepted = delivered + lost + pending`. */
export interface ImportProgress {
  /** Rows read so far, including skipped ones. */
  readonly rows: number;
  readonly accepted: number;
  readonly delivered: number;
  readonly lost: number;
  /** Accepted rows that wait or are in flight. */
  readonly pending: number;
  /** Rows that were not valid messages. */
  readonly invalid: number;
  /**
   * The number of rows at the start that need not be sent again: each is delivered, filtered, invalid, rejected for its
   * content, or in the client's journal, from which it will be sent. Pass it as `skip` to continue from there.
   */
  readonly resumeAt: number;
}

/** The outcomes of all rows that were read: `accepted + filtered + invalidRows + skipped`. */
export interface ImportReport extends Pick<ImportProgress, 'accepted' | 'delivered' | 'lost' | 'resumeAt'> {
  /** Accepted rows that still wait: 0 unless the import stopped early. The client still sends them, or its journal has them. */
  readonly pending: number;
  readonly filtered: number;
  /** Rows that `skip` left out. */
  readonly skipped: number;
  /** Rows that were not valid messages. */
  readonly invalidRows: number;
  /** The number of invalid rows by the `code` of their errors: `{ EVENTFERRY_INVALID_MESSAGE: 3 }`. */
  readonly invalidByCode: Readonly<Record<string, number>>;
  /** The first 1,000 invalid rows with their index in the source, from 0. `onInvalidRow` gets all of them. */
  readonly invalid: readonly { readonly index: number; readonly error: EventferryError }[];
}

/**
 * An import stopped early. `cause` is what the source threw, the reason of the signal, a `ClosedError`, or the
 * collector's answer to every message.
 */
export class ImportError extends EventferryError {
  override readonly name = 'ImportError';
  readonly code = 'EVENTFERRY_IMPORT_STOPPED';
  /** The outcomes of the rows up to here. */
  readonly report: ImportReport;

  /** @param url the collector's URL */
  constructor(report: ImportReport, url: string, cause: unknown) {
    const advice = `\`skip: ${report.resumeAt}\` continues where it stopped`;
    super(`The import to ${url} stopped: ${describeThrown(cause)}; ${advice}`, { cause });
    this.report = report;
  }
}
