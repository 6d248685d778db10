import { type EventferryError, ValidationError } from '../../base/errors/errors.js';
import { nextTurn } from '../../base/platform/node.js';
import { describe } from '../../base/text/describe.js';
import type { Clock } from '../../base/time/clock.js';
import type { TypedMessage } from '../../protocol/calls.js';
import { isMessageTypeName, messageTypes } from '../../protocol/message-checks.js';
import type { MessageType } from '../../protocol/message-type.js';
import type { Receipt } from '../queue/receipt.js';
import { checkImport, type ImportOptions, type ImportSource, type Rows } from './import-options.js';
import { ImportPacer } from './import-pacer.js';
import { ImportTally, type RowEnd } from './import-tally.js';
import { ImportError, type ImportReport } from './report.js';
import { Stop } from './stop.js';

/** The part of a client that an import uses. */
export interface Importer {
  readonly clock: Clock;
  /** The URL of the collector. */
  readonly url: string;
  /** @throws the error that explains why the row is invalid */
  take(type: MessageType, row: unknown): Receipt;
  /** Counts a row that is not a valid message as accepted and lost. */
  lose(row: unknown, error: EventferryError): void;
  /** Resolves when the queue has room; undefined if it has room now. */
  ready(): Promise<void> | undefined;
  flush(): Promise<void>;
  /** Runs a callback of the program. If it throws, the import continues. */
  call(act: () => unknown): void;
  /** Calls `listener` when the collector refuses every request. Returns a function that stops this. */
  onRefusal(listener: (error: EventferryError) => void): () => void;
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
  readonly #pacer: ImportPacer | undefined;
  readonly #stop = new Stop();
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
    this.#pacer = options.rate === undefined ? undefined : new ImportPacer(options.rate, importer.clock);
  }

  /** @throws ImportError if the import stops early */
  async run(source: Rows<Row>): Promise<ImportReport> {
    const { signal } = this.#options;
    const abort = (): void => this.#stop.because(signal?.reason ?? new Error('its signal was aborted'));
    const stopListening = this.#importer.onRefusal((error) => this.#stop.because(error));
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    await this.#sendAll(source);
    signal?.removeEventListener('abort', abort);
    stopListening();
    this.#pacer?.cancel();
    this.#tell();
    const report = this.#tally.report();
    if (this.#stop.reason !== undefined) throw new ImportError(report, this.#importer.url, this.#stop.reason.cause);
    return report;
  }

  /** Resolves when every row has an outcome, or when the import must stop at once. */
  async #sendAll(source: Rows<Row>): Promise<void> {
    if (this.#stop.reason !== undefined) return;
    let failure: { cause: unknown } | undefined;
    try {
      await (Symbol.asyncIterator in source ? this.#readAsync(source[Symbol.asyncIterator]()) : this.#takeAll(source));
    } catch (cause) {
      failure = { cause };
    }
    // If the source failed or the client was closed, this waits until the accepted messages have ended.
    await this.#wait(this.#importer.flush());
    if (failure !== undefined) this.#stop.because(failure.cause);
  }

  /** Works like `for await`, except that it can leave a source while it waits for the next row. */
  async #readAsync(source: AsyncIterator<Row | Row[]>): Promise<void> {
    let next = await this.#stop.unless(source.next());
    while (next !== undefined && next.done !== true) {
      await this.#takeAll([next.value]).catch(async (error) => {
        await leave(source);
        throw error;
      });
      if (this.#stop.reason !== undefined) return leave(source);
      next = await this.#stop.unless(source.next());
    }
    if (next !== undefined) return;
    if (this.#stop.reason === undefined) throw new TypeError('The source gave no iterator result');
    // A generator that has not settled `next` would not settle `return` either, so this does not wait.
    void leave(source);
  }

  /** Takes rows, and arrays of rows, one after the other. It awaits only if it must, because a promise costs more than a row. */
  async #takeAll(rows: Iterable<Row | Row[]>): Promise<void> {
    for (const row of rows) {
      const taken = Array.isArray(row) ? this.#takeAll(row) : this.#take(row);
      if (taken !== undefined) await taken;
      if (this.#tally.rows >= this.#turnAt) {
        this.#turnAt += ROWS_PER_TURN;
        this.#tell();
        await new Promise<void>(nextTurn);
      }
      if (this.#stop.reason !== undefined) return;
    }
  }

  /** Takes one row. Returns undefined if it need not wait, which is nearly always so. */
  #take(row: Row): Promise<void> | undefined {
    if (this.#tally.skip()) return undefined;
    const paced = this.#pacer?.next();
    if (paced === undefined && this.#importer.ready() === undefined) return this.#put(row);
    return this.#room(paced).then(() => this.#put(row));
  }

  /** Resolves when the row may enter the queue. It checks for room again each time, because other calls may have used it. */
  async #room(paced: Promise<void> | undefined): Promise<void> {
    for (let next = paced ?? this.#importer.ready(); next !== undefined; next = this.#importer.ready()) {
      await this.#wait(next);
      if (this.#stop.reason !== undefined) return;
    }
  }

  /** Resolves with `work`, or when the import must stop. It keeps the process alive, because in an outage nothing else does. */
  #wait(work: Promise<void>): Promise<void> {
    return this.#stop.unless(work).finally(this.#importer.clock.hold());
  }

  #put(row: Row): Promise<void> | undefined {
    this.settle();
    if (this.#stop.reason !== undefined) return undefined;
    const { rows: index } = this.#tally;
    const error = this.#tally.note(row, this.#takeRow);
    if (error === undefined) return undefined;
    this.#importer.lose(row, error);
    return this.#tellInvalid(row, error, index);
  }

  /**
   * Counts the rows that have ended. Stops the import if one was lost for a reason other than its content, because the next rows
   * would be lost too.
   */
  settle(): void {
    this.#tally.settle();
    if (this.#tally.failure !== undefined) this.#stop.because(this.#tally.failure);
  }

  #tellInvalid(row: unknown, error: EventferryError, index: number): Promise<void> | undefined {
    const { onInvalidRow } = this.#options;
    if (onInvalidRow === undefined) return undefined;
    let answer: unknown;
    this.#importer.call(() => {
      answer = onInvalidRow(row, error, index);
      return answer;
    });
    return this.#stop.unless(Promise.resolve(answer).then(nothing, nothing));
  }

  #tell(): void {
    this.settle();
    const { onProgress } = this.#options;
    if (onProgress !== undefined) this.#importer.call(() => onProgress(this.#tally.progress()));
  }
}

const nothing = (): void => {};

/** Ends a source, and ignores its errors. */
async function leave(source: AsyncIterator<unknown>): Promise<void> {
  try {
    await source.return?.();
  } catch {
    // As in a `for await` loop, the first error counts.
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
