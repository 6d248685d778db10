import { describeThrown } from '../../base/errors/describe-thrown.js';
import { EventferryError } from '../../base/errors/errors.js';

/** The outcomes of the rows of an import. At every moment `accepted = delivered + lost + pending`. */
export interface ImportReport {
  /** Rows that were read: `accepted + filtered + invalidRows + skipped`. */
  readonly rows: number;
  readonly accepted: number;
  readonly delivered: number;
  readonly lost: number;
  /** Accepted rows that wait or are in flight. If the import stops early, the client still sends them, or its journal has them. */
  readonly pending: number;
  readonly filtered: number;
  /** Rows that `skip` left out. */
  readonly skipped: number;
  /** Rows that were not valid messages. The client emits `lost` for each. */
  readonly invalidRows: number;
  /** The first 1,000 invalid rows with their index in the source, from 0. */
  readonly invalid: readonly { readonly index: number; readonly error: EventferryError }[];
  /**
   * The number of rows at the start that need not be sent again: each is delivered, filtered, invalid, rejected for its
   * content, or in the client's journal, from which it will be sent. Pass it as `skip` to continue from there.
   */
  readonly resumeAt: number;
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
