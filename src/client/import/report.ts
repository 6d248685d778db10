import { describeThrown } from '../../base/errors/describe-thrown.js';
import { EventferryError } from '../../base/errors/errors.js';

/** How far an import is. At every moment `accepted = delivered + lost + pending`. */
export interface ImportProgress {
  /** Rows read so far, those that `skip` passed over included. */
  readonly rows: number;
  readonly accepted: number;
  readonly delivered: number;
  readonly lost: number;
  /** Accepted rows that wait or are on their way. */
  readonly pending: number;
  /** Rows that were no valid message. */
  readonly invalid: number;
  /**
   * How many rows, from the first of the source, need not be sent again: each is delivered, filtered, invalid, refused for
   * what it says, or in the client's journal, which sends it. Keep it, and give it as `skip` to go on from there.
   */
  readonly resumeAt: number;
}

/** What became of every row: `accepted + filtered + invalidRows + skipped` are all rows that were read. */
export interface ImportReport {
  readonly accepted: number;
  readonly delivered: number;
  readonly lost: number;
  /** Accepted rows that still waited: none, but where an import stopped early. They are sent all the same, or are in the journal. */
  readonly pending: number;
  readonly filtered: number;
  /** Rows that `skip` passed over. */
  readonly skipped: number;
  /** How many rows were no valid message. */
  readonly invalidRows: number;
  /** The same by the `code` of their error: `{ EVENTFERRY_INVALID_MESSAGE: 3 }`. */
  readonly invalidByCode: Readonly<Record<string, number>>;
  /** The first 1,000 of them, by their place in the source, from 0. `onInvalid` is told of each. */
  readonly invalid: readonly { readonly index: number; readonly error: EventferryError }[];
  /** As in `ImportProgress`. */
  readonly resumeAt: number;
}

/**
 * An import stopped before its end. `cause` says why: what the source threw, the reason of the signal, a `ClosedError`, or what
 * the collector says to every message.
 */
export class ImportError extends EventferryError {
  override readonly name = 'ImportError';
  readonly code = 'EVENTFERRY_IMPORT_STOPPED';
  /** What became of the rows up to here. */
  readonly report: ImportReport;

  /** @param url where the messages were sent */
  constructor(report: ImportReport, url: string, cause: unknown) {
    const advice = `\`skip: ${report.resumeAt}\` goes on where it stopped`;
    super(`The import to ${url} stopped: ${describeThrown(cause)}; ${advice}`, { cause });
    this.report = report;
  }
}
