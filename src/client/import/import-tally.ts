import { ClosedError, EventferryError, RejectedError } from '../../base/errors/errors.js';
import { isInstance } from '../../base/errors/is-instance.js';
import { ViolationError } from '../../base/errors/violation-error.js';
import { Fifo } from '../../base/structures/fifo.js';
import { QueuedReceipt, type Receipt, type Results, UnqueuedReceipt } from '../queue/receipt.js';
import type { ImportProgress, ImportReport } from './report.js';

/** The most invalid rows that are kept with their errors. */
const MAX_KEPT_INVALID = 1_000;

/** A row that has not ended, or that comes after one that has not. `row` is its index in the source. */
interface Waiting {
  readonly row: number;
  /** The results of its batch, and its index there; undefined if the row has ended. */
  readonly results?: Results;
  readonly index?: number;
  /** The reason why an ended row is invalid or lost. */
  readonly error?: EventferryError | undefined;
}

/** Called, in the order of the source, for each row that need not be sent again, with the error if it was invalid or refused. */
export type RowEnd = (error: EventferryError | undefined) => void;

/** Counts the outcomes of rows. Its memory grows with the messages that wait in the queue, not with the rows. */
export class Tally {
  /** Rows read so far. */
  rows = 0;
  accepted = 0;
  readonly #toSkip: number;
  #skipped = 0;
  #filtered = 0;
  #delivered = 0;
  #lost = 0;
  readonly #waiting = new Fifo<Waiting>();
  /** The first row that was lost for a reason other than its content. It may be delivered if it is sent again. */
  #mendable: { readonly row: number; readonly error: EventferryError } | undefined;
  /** The error of rows that stay in the journal of a closed client. The next client sends them, so they count as pending. */
  #held: EventferryError | undefined;
  #invalidRows = 0;
  readonly #invalidByCode = new Map<string, number>();
  readonly #invalid: { index: number; error: EventferryError }[] = [];
  readonly #onEnd: RowEnd | undefined;

  /** @param toSkip the rows at the start that an earlier import finished */
  constructor(toSkip: number, onEnd?: RowEnd) {
    this.#toSkip = toSkip;
    this.#onEnd = onEnd;
  }

  /** Tells whether to skip the next row. If so, it counts the row. */
  skip(): boolean {
    if (this.#skipped >= this.#toSkip) return false;
    this.#skipped++;
    this.rows++;
    return true;
  }

  /** Counts the next row by the receipt that `take` returns. Returns the error if the row is not a valid message. */
  note(take: () => Receipt): EventferryError | undefined {
    const row = this.rows++;
    try {
      this.#count(take(), row);
      return undefined;
    } catch (error) {
      if (!isInstance(error, EventferryError) || error instanceof ClosedError) {
        // The error is not about this row.
        this.rows--;
        throw error;
      }
      this.#countInvalid(row, error);
      return error;
    }
  }

  /** The error of a row that was lost for a reason other than its content, or is left in the journal, if there is one. */
  get failure(): EventferryError | undefined {
    return this.#mendable?.error ?? this.#held;
  }

  /** Counts the messages that have ended since the last call. */
  settle(): void {
    for (let next = this.#waiting.first; next !== undefined; next = this.#waiting.first) {
      const { row, results, index = 0 } = next;
      if (results !== undefined && results.ended <= index) return;
      this.#waiting.shift();
      const error = results === undefined ? next.error : results.lossOf(index);
      if (results !== undefined) this.#end(row, error);
      if (row < (this.#mendable?.row ?? Number.POSITIVE_INFINITY)) this.#onEnd?.(error);
    }
  }

  progress(): ImportProgress {
    const { rows, accepted } = this;
    const [delivered, lost, resumeAt] = [this.#delivered, this.#lost, this.#resumeAt];
    const pending = accepted - delivered - lost;
    return { rows, accepted, delivered, lost, pending, invalid: this.#invalidRows, resumeAt };
  }

  report(): ImportReport {
    const { rows: _, invalid: invalidRows, ...counts } = this.progress();
    const [filtered, skipped, invalid] = [this.#filtered, this.#skipped, this.#invalid];
    return {
      ...counts,
      filtered,
      skipped,
      invalidRows,
      invalidByCode: Object.fromEntries(this.#invalidByCode),
      invalid,
    };
  }

  get #resumeAt(): number {
    const rows = Math.max(this.rows, this.#toSkip);
    return Math.min(this.#firstUnstored ?? rows, this.#mendable?.row ?? rows);
  }

  /** The first waiting row that is not in a journal. Rows in a journal are sent by another process. */
  get #firstUnstored(): number | undefined {
    for (const { row, results, index = 0 } of this.#waiting) {
      if (results !== undefined && results.stored <= index) return row;
    }
    return undefined;
  }

  #count(receipt: Receipt, row: number): void {
    if (receipt.filtered) this.#filtered++;
    else this.accepted++;
    if (receipt instanceof QueuedReceipt) {
      this.#waiting.push({ row, results: receipt.results, index: receipt.index });
      return;
    }
    const error = receipt instanceof UnqueuedReceipt ? receipt.error : undefined;
    if (error !== undefined) this.#lose(row, error);
    this.#endInTurn(row, error);
  }

  /** Keeps an ended row until those before it have ended, if there is a callback for ended rows. */
  #endInTurn(row: number, error: EventferryError | undefined): void {
    if (this.#onEnd !== undefined) this.#waiting.push({ row, error });
  }

  #end(row: number, error: EventferryError | undefined): void {
    if (error === undefined) this.#delivered++;
    else this.#lose(row, error);
  }

  #lose(row: number, error: EventferryError): void {
    if (error.code === 'EVENTFERRY_LEFT_IN_JOURNAL') {
      this.#held = error;
      return;
    }
    this.#lost++;
    if (!isOfTheMessage(error) && (this.#mendable === undefined || row < this.#mendable.row))
      this.#mendable = { row, error };
  }

  #countInvalid(index: number, error: EventferryError): void {
    this.#invalidRows++;
    this.#invalidByCode.set(error.code, (this.#invalidByCode.get(error.code) ?? 0) + 1);
    if (this.#invalid.length < MAX_KEPT_INVALID) this.#invalid.push({ index, error });
    this.#endInTurn(index, error);
  }
}

/**
 * Tells whether a message was lost because of its content. Otherwise the collector was unreachable or refused everything, or the
 * client gave up, and the same row may be delivered later.
 */
function isOfTheMessage(error: EventferryError): boolean {
  if (
    error.code === 'EVENTFERRY_HOOK_FAILED' ||
    error.code === 'EVENTFERRY_FORGOTTEN' ||
    error instanceof ViolationError
  )
    return true;
  return error instanceof RejectedError && isOfTheMessageAlone(error.status);
}

/** A 2xx answer names the message. After 400 or 413 the client splits the batch until the message is alone in a request. */
const isOfTheMessageAlone = (status: number): boolean => status < 300 || status === 400 || status === 413;
