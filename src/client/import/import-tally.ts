import { ClosedError, EventferryError, RejectedError } from '../../base/errors/errors.js';
import { isInstance } from '../../base/errors/is-instance.js';
import { ViolationError } from '../../base/errors/violation-error.js';
import { Fifo } from '../../base/structures/fifo.js';
import { QueuedReceipt, type Receipt, UnqueuedReceipt } from '../queue/receipt.js';
import type { ImportReport } from './report.js';

/** The most invalid rows that are kept with their errors. */
const MAX_KEPT_INVALID = 1_000;

/** A row that has not ended, or that comes after one that has not. */
interface WaitingRow {
  /** Its index in the source. */
  readonly index: number;
  /** Tells how the row ends; undefined if it has ended. */
  readonly receipt?: QueuedReceipt;
  /** The reason why an ended row is invalid or lost. */
  readonly error?: EventferryError | undefined;
  readonly tell: ((error: EventferryError | undefined) => void) | undefined;
}

/** Called, in the order of the source, for each row that need not be sent again, with the error if it was invalid or refused. */
export type RowEnd<Row> = (row: Row, error: EventferryError | undefined) => void;

/** Counts the outcomes of rows. Its memory grows with the messages that wait in the queue, not with the rows. */
export class ImportTally<Row> {
  readonly #toSkip: number;
  readonly #onEnd: RowEnd<Row> | undefined;
  readonly #counts = { rows: 0, delivered: 0, lost: 0, filtered: 0, invalidRows: 0 };
  readonly #waiting = new Fifo<WaitingRow>();
  /** The first row that was lost for a reason other than its content. It may be delivered if it is sent again. */
  #mendable: { readonly index: number; readonly error: EventferryError } | undefined;
  /** The error of rows that stay in the journal of a closed client. The next client sends them, so they count as pending. */
  #held: EventferryError | undefined;
  readonly #invalid: { index: number; error: EventferryError }[] = [];

  /** @param toSkip the rows at the start that an earlier import finished */
  constructor(toSkip: number, onEnd?: RowEnd<Row>) {
    this.#toSkip = toSkip;
    this.#onEnd = onEnd;
  }

  /** Rows read so far. */
  get rows(): number {
    return this.#counts.rows;
  }

  /** Tells whether to skip the next row. If so, it counts the row. */
  skip(): boolean {
    if (this.rows >= this.#toSkip) return false;
    this.#counts.rows++;
    return true;
  }

  /** Hands the next row to `take`, and counts it. Returns the error if the row is not a valid message. */
  note(row: Row, take: (row: Row) => Receipt): EventferryError | undefined {
    let receipt: Receipt | undefined;
    let invalid: EventferryError | undefined;
    try {
      receipt = take(row);
    } catch (error) {
      // Another error is not about this row.
      if (!isInstance(error, EventferryError) || error instanceof ClosedError) throw error;
      invalid = error;
    }
    const index = this.#counts.rows++;
    if (invalid) this.#counts.invalidRows++;
    if (receipt?.filtered) this.#counts.filtered++;
    if (invalid && this.#invalid.length < MAX_KEPT_INVALID) this.#invalid.push({ index, error: invalid });
    const onEnd = this.#onEnd;
    const tell = onEnd && ((error: EventferryError | undefined) => onEnd(row, error));
    if (receipt instanceof QueuedReceipt) {
      this.#waiting.push({ index, receipt, tell });
      return undefined;
    }
    const lost = receipt instanceof UnqueuedReceipt ? receipt.error : undefined;
    if (lost !== undefined) this.#lose(index, lost);
    // An ended row waits for those before it only if somebody is told about it.
    if (tell !== undefined) this.#waiting.push({ index, error: invalid ?? lost, tell });
    return invalid;
  }

  /** The error of a row that was lost for a reason other than its content, or is left in the journal, if there is one. */
  get failure(): EventferryError | undefined {
    return this.#mendable?.error ?? this.#held;
  }

  /** Counts the messages that have ended since the last call. */
  settle(): void {
    for (let next = this.#waiting.first; next !== undefined; next = this.#waiting.first) {
      const { index, receipt, tell } = next;
      if (receipt !== undefined && receipt.results.ended <= receipt.index) return;
      this.#waiting.shift();
      const error = receipt === undefined ? next.error : receipt.results.lossOf(receipt.index);
      if (receipt !== undefined && error !== undefined) this.#lose(index, error);
      else if (receipt !== undefined) this.#counts.delivered++;
      if (index < (this.#mendable?.index ?? Number.POSITIVE_INFINITY)) tell?.(error);
    }
  }

  report(): ImportReport {
    const { rows, delivered, lost, filtered, invalidRows } = this.#counts;
    const skipped = Math.min(rows, this.#toSkip);
    const accepted = rows - skipped - filtered - invalidRows;
    const pending = accepted - delivered - lost;
    const counts = { rows, accepted, delivered, lost, filtered, skipped, invalidRows, pending };
    return { ...counts, invalid: this.#invalid, resumeAt: this.#resumeAt };
  }

  get #resumeAt(): number {
    const rows = Math.max(this.rows, this.#toSkip);
    return Math.min(this.#firstUnstored ?? rows, this.#mendable?.index ?? rows);
  }

  /** The first waiting row that is not in a journal. Rows in a journal are sent by another process. */
  get #firstUnstored(): number | undefined {
    for (const { index, receipt } of this.#waiting) {
      if (receipt !== undefined && receipt.results.stored <= receipt.index) return index;
    }
    return undefined;
  }

  #lose(index: number, error: EventferryError): void {
    if (error.code === 'EVENTFERRY_LEFT_IN_JOURNAL') {
      this.#held = error;
      return;
    }
    this.#counts.lost++;
    if (isOfTheMessage(error) || index > (this.#mendable?.index ?? index)) return;
    this.#mendable = { index, error };
  }
}

/**
 * Tells whether a message was lost because of its content. Otherwise the collector was unreachable or refused everything, or the
 * client gave up, and the same row may be delivered later.
 */
function isOfTheMessage(error: EventferryError): boolean {
  if (error instanceof ViolationError) return true;
  if (!(error instanceof RejectedError)) return CONTENT_CODES.includes(error.code);
  // A 2xx answer names the message. After 400 or 413 the client splits the batch until the message is alone in a request.
  return error.status < 300 || error.status === 400 || error.status === 413;
}

const CONTENT_CODES = ['EVENTFERRY_HOOK_FAILED', 'EVENTFERRY_FORGOTTEN'];
