import { type EventferryError, ValidationError } from '../../base/errors/errors.js';
import { nextTurn } from '../../base/platform/node.js';
import { describe } from '../../base/text/describe.js';
import type { Clock } from '../../base/time/clock.js';
import type { TypedMessage } from '../../protocol/calls.js';
import { isMessageTypeName, messageTypes } from '../../protocol/message-checks.js';
import type { MessageType } from '../../protocol/message-type.js';
import type { Batcher } from '../queue/batcher.js';
import type { Receipt } from '../queue/receipt.js';
import { checkImport, type ImportOptions, type ImportSource, type Rows } from './import-options.js';
import { ImportTally, type RowEnd } from './import-tally.js';
import { ImportError, type ImportReport } from './report.js';

/** The part of a client that an import uses. */
export interface Importer {
  readonly clock: Clock;
  readonly batcher: Batcher;
  /** The URL of the collector. */
  readonly url: string;
  /** @throws the error that explains why the row is invalid */
  take(type: MessageType, row: unknown): Receipt;
  /** Counts a row that is not a valid message as accepted and lost. */
  lose(row: unknown, error: EventferryError): void;
  /** Runs a callback of the program. If it throws, the import continues. */
  call(act: () => unknown): void;
}

/** After this many rows, the import reports its progress and yields to the event loop, because unqueued rows never wait. */
const ROWS_PER_TURN = 1_000;

/**
 * Sends the messages of a source through a client.
 *
 * @throws OptionError if the source or an option is wrong
 * @throws ImportError if the import stops early
 */
export async function importMessages(
  importer: Importer,
  source: ImportSource,
  options: ImportOptions,
): Promise<ImportReport> {
  checkImport(source, options);
  return new Import<TypedMessage>(importer, (row) => row, options).run(source);
}

export interface RowOptions<Row> extends ImportOptions {
  /** Called for each row once neither it nor any row before it need be sent again. */
  onEnd?: RowEnd<Row> | undefined;
}

/** Runs one import, of messages or of rows of files, from the first row to the report. */
export class Import<Row> {
  readonly #importer: Importer;
  readonly #options: RowOptions<Row>;
  readonly #tally: ImportTally<Row>;
  readonly #takeRow: (row: Row) => Receipt;
  /** The first reason to stop early. */
  #stopped: { readonly cause: unknown } | undefined;
  /** Rejects the promise of the step that waits now. */
  #wake: (cause: unknown) => void = () => {};
  #turnAt = ROWS_PER_TURN;

  /** @param messageOf returns the message of a row, or throws the error that explains why there is none */
  constructor(importer: Importer, messageOf: (row: Row) => unknown, options: RowOptions<Row>) {
    this.#importer = importer;
    this.#options = options;
    this.#tally = new ImportTally(options.skip ?? 0, options.onEnd);
    this.#takeRow = (row) => {
      const message = messageOf(row);
      return importer.take(typeOf(message, options.allowNow), message);
    };
  }

  /** @throws ImportError if the import stops early */
  async run(source: Rows<Row>): Promise<ImportReport> {
    const { signal } = this.#options;
    const abort = (): void => this.#stop(signal?.reason ?? new Error('its signal was aborted'));
    const stopListening = this.#importer.batcher.delivery.onRefusal((error) => this.#stop(error));
    signal?.addEventListener('abort', abort);
    try {
      if (signal?.aborted) abort();
      // If the source failed or the client was closed, this waits until the accepted messages have ended.
      await this.#read(source).finally(() => this.#wait(this.#importer.batcher.flush()));
    } catch (cause) {
      this.#stop(cause);
    }
    signal?.removeEventListener('abort', abort);
    stopListening();
    // At the end of this turn a journal stores the latest rows, which then need not be sent again.
    await new Promise<void>(nextTurn);
    this.#tell();
    const report = this.#tally.report();
    if (this.#stopped !== undefined) throw new ImportError(report, this.#importer.url, this.#stopped.cause);
    return report;
  }

  /** Works like `for await`, except that it can leave a source while it waits for the next row. */
  async #read(source: Rows<Row>): Promise<void> {
    this.#check();
    if (!(Symbol.asyncIterator in source)) return this.#takeAll(source);
    const rows = source[Symbol.asyncIterator]();
    try {
      for (let next = await this.#orStop(rows.next()); !next.done; next = await this.#orStop(rows.next())) {
        await this.#takeAll([next.value]);
      }
    } catch (error) {
      // This does not wait, because a generator that has not settled `next` would not settle `return` either.
      Promise.resolve(rows.return?.()).catch(() => {});
      throw error;
    }
  }

  /** Takes rows, and arrays of rows, one after the other. It awaits only if it must, because a promise costs more than a row. */
  async #takeAll(rows: Iterable<Row | Row[]>): Promise<void> {
    const { pacer } = this.#importer.batcher;
    for (const row of rows) {
      if (Array.isArray(row)) await this.#takeAll(row);
      else if (!this.#tally.skip()) {
        // It checks for room again each time, because other calls may have used it.
        while (!pacer.isReady) await this.#wait(pacer.ready());
        this.#put(row);
      }
      if (this.#tally.rows >= this.#turnAt) {
        this.#turnAt += ROWS_PER_TURN;
        this.#tell();
        await new Promise<void>(nextTurn);
      }
      this.#check();
    }
  }

  #put(row: Row): void {
    this.settle();
    this.#check();
    const error = this.#tally.note(row, this.#takeRow);
    if (error !== undefined) this.#importer.lose(row, error);
  }

  /**
   * Counts the rows that have ended. Stops the import if one was lost for a reason other than its content, because the next rows
   * would be lost too.
   */
  settle(): void {
    this.#tally.settle();
    if (this.#tally.failure !== undefined) this.#stop(this.#tally.failure);
  }

  #tell(): void {
    this.settle();
    const { onProgress } = this.#options;
    if (onProgress !== undefined) this.#importer.call(() => onProgress(this.#tally.report()));
  }

  #stop(cause: unknown): void {
    this.#stopped ??= { cause };
    this.#wake(cause);
  }

  /** @throws the reason to stop, if there is one */
  #check(): void {
    if (this.#stopped !== undefined) throw this.#stopped.cause;
  }

  /** Waits for work of the client. It keeps the process alive, because in an outage nothing else does. */
  #wait(work: Promise<void>): Promise<void> {
    return this.#orStop(work).finally(this.#importer.clock.hold());
  }

  /**
   * Settles like `work`, or rejects if the import must stop first. Only one step waits at a time. `Promise.race` with one
   * long-lived promise would keep the promise of every step in memory.
   */
  #orStop<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#wake = reject;
      work.then(resolve, reject);
      if (this.#stopped !== undefined) reject(this.#stopped.cause);
    });
  }
}

function typeOf(row: unknown, allowNow = false): MessageType {
  if (typeof row !== 'object' || row === null) throw new ValidationError('row', 'an object', describe(row));
  const { type, timestamp } = row as { type?: unknown; timestamp?: unknown };
  if (!isMessageTypeName(type)) {
    throw new ValidationError('row.type', `one of ${Object.keys(messageTypes).join(', ')}`, describe(type));
  }
  if ((timestamp === undefined || timestamp === null) && !allowNow) {
    throw new ValidationError(
      `${type}.timestamp`,
      'a timestamp, which only `allowNow` (--allow-now) makes optional',
      describe(timestamp),
    );
  }
  return messageTypes[type];
}
