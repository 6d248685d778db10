import { type EventferryError, ValidationError } from '../../base/errors/errors.js';
import { nextTurn } from '../../base/platform/node.js';
import { describe } from '../../base/text/describe.js';
import type { Clock } from '../../base/time/clock.js';
import { isMessageTypeName, messageTypes, type TypedMessage } from '../../protocol/message.js';
import type { MessageType } from '../../protocol/message-type.js';
import type { Receipt } from '../queue/receipt.js';
import { checkImport, type ImportOptions, type ImportSource } from './options.js';
import { Pacer } from './pacer.js';
import { ImportError, type ImportReport } from './report.js';
import { Stop } from './stop.js';
import { Tally } from './tally.js';

/** The part of a client that an import uses. */
export interface Importer {
  readonly clock: Clock;
  /** Where the messages are sent. */
  readonly url: string;
  /** @throws what is wrong with the row */
  take(type: MessageType, row: TypedMessage): Receipt;
  /** Counts a row that is no valid message as accepted and lost. */
  lose(row: unknown, error: EventferryError): void;
  /** Undefined when there is room. */
  ready(): Promise<void> | undefined;
  flush(): Promise<void>;
  /** Runs what calls the user's code; whatever that throws breaks nothing. */
  call(act: () => unknown): void;
  /** Calls `listener` when the collector refuses whatever it is sent. Returns what ends that. */
  onRefusal(listener: (error: EventferryError) => void): () => void;
}

const PROGRESS_EVERY_ROWS = 1_000;
/** Rows that do not come into the queue never wait for it, and would keep the event loop for themselves. */
const ROWS_PER_TURN = 1_000;

/**
 * @throws OptionError when the source or an option is wrong
 * @throws ImportError when the import stops before its end
 */
export async function importMessages(
  importer: Importer,
  source: ImportSource,
  options: ImportOptions,
): Promise<ImportReport> {
  checkImport(source, options);
  return new Import(importer, options).run(source);
}

/** One import, from the first row to the report. */
class Import {
  readonly #importer: Importer;
  readonly #options: ImportOptions;
  readonly #tally: Tally;
  readonly #pacer: Pacer | undefined;
  readonly #stop = new Stop();
  #rowsThisTurn = 0;

  constructor(importer: Importer, options: ImportOptions) {
    this.#importer = importer;
    this.#options = options;
    this.#tally = new Tally(options.skip ?? 0);
    this.#pacer = options.rate === undefined ? undefined : new Pacer(options.rate, importer.clock);
  }

  async run(source: ImportSource): Promise<ImportReport> {
    const stopListening = this.#listen();
    await this.#sendAll(source);
    stopListening();
    this.#pacer?.cancel();
    this.#settle();
    this.#tell();
    const report = this.#tally.report();
    if (this.#stop.reason !== undefined) throw new ImportError(report, this.#importer.url, this.#stop.reason.cause);
    return report;
  }

  #listen(): () => void {
    const { signal } = this.#options;
    const abort = (): void => this.#stop.because(signal?.reason ?? new Error('its signal was aborted'));
    const stopListening = this.#importer.onRefusal((error) => this.#stop.because(error));
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    return () => {
      signal?.removeEventListener('abort', abort);
      stopListening();
    };
  }

  /** Resolves when every row has ended or the import is to stop at once. */
  async #sendAll(source: ImportSource): Promise<void> {
    if (this.#stop.reason !== undefined) return;
    let failure: { cause: unknown } | undefined;
    try {
      await this.#readAll(source);
    } catch (cause) {
      failure = { cause };
    }
    // Messages that were accepted before the source failed, or the client was closed, end first.
    await this.#wait(this.#importer.flush());
    if (failure !== undefined) this.#stop.because(failure.cause);
  }

  async #readAll(source: ImportSource): Promise<void> {
    if (Symbol.asyncIterator in source) return this.#readAsync(source[Symbol.asyncIterator]());
    // The same without a promise for each row.
    for (const row of source) {
      const taken = this.#take(row);
      if (taken !== undefined) await taken;
      if (this.#stop.reason !== undefined) return;
    }
  }

  /** As `for await` would, but that a source which is waited for can be left. */
  async #readAsync(source: AsyncIterator<TypedMessage>): Promise<void> {
    let next = await this.#stop.unless(source.next());
    while (next !== undefined && next.done !== true) {
      try {
        const taken = this.#take(next.value);
        if (taken !== undefined) await taken;
      } catch (error) {
        await leave(source);
        throw error;
      }
      if (this.#stop.reason !== undefined) return leave(source);
      next = await this.#stop.unless(source.next());
    }
    if (next !== undefined) return;
    if (this.#stop.reason === undefined) throw new TypeError('The source gave no iterator result');
    // A generator that has not answered would not answer this either.
    void leave(source);
  }

  /** Undefined when the row is taken at once, which is nearly always. */
  #take(row: TypedMessage): Promise<void> | undefined {
    if (this.#tally.skip()) return this.#afterRow(false);
    const room = this.#room();
    return room === undefined ? this.#put(row) : room.then(() => this.#put(row));
  }

  #room(): Promise<void> | undefined {
    const paced = this.#pacer?.next();
    if (paced !== undefined) return this.#wait(paced).then(() => this.#waitForRoom(this.#importer.ready()));
    const full = this.#importer.ready();
    return full === undefined ? undefined : this.#waitForRoom(full);
  }

  async #waitForRoom(full: Promise<void> | undefined): Promise<void> {
    // Others send meanwhile: there may be no room again by the time we are told that there is.
    for (let next = full; next !== undefined && this.#stop.reason === undefined; next = this.#importer.ready()) {
      await this.#wait(next);
    }
  }

  /** Resolves with `work`, or when the import is to stop. Keeps the process alive until then: nothing else may, in an outage. */
  #wait(work: Promise<void>): Promise<void> {
    return this.#stop.unless(work).finally(this.#importer.clock.hold());
  }

  #put(row: TypedMessage): Promise<void> | undefined {
    this.#settle();
    if (this.#stop.reason !== undefined) return undefined;
    const { accepted, rows: index } = this.#tally;
    const error = this.#tally.note(() => this.#importer.take(typeOf(row, this.#options.allowNow), row));
    if (error !== undefined) this.#importer.lose(row, error);
    const heard = error === undefined ? undefined : this.#tellInvalid(row, error, index);
    const turn = this.#afterRow(this.#tally.accepted > accepted);
    return heard === undefined ? turn : heard.then(() => turn);
  }

  /** Where a row was lost through no fault of its own, those behind it would be lost too. */
  #settle(): void {
    this.#tally.settle();
    if (this.#tally.failure !== undefined) this.#stop.because(this.#tally.failure);
  }

  #tellInvalid(row: unknown, error: EventferryError, index: number): Promise<void> | undefined {
    const { onInvalid } = this.#options;
    if (onInvalid === undefined) return undefined;
    let answer: unknown;
    this.#importer.call(() => {
      answer = onInvalid(row, error, index);
      return answer;
    });
    if (typeof answer !== 'object' || answer === null) return undefined;
    return this.#stop.unless(Promise.resolve(answer).then(nothing, nothing));
  }

  #afterRow(isQueued: boolean): Promise<void> | undefined {
    if (this.#tally.rows % PROGRESS_EVERY_ROWS === 0) this.#tell();
    if (isQueued || ++this.#rowsThisTurn < ROWS_PER_TURN) return undefined;
    this.#rowsThisTurn = 0;
    return new Promise(nextTurn);
  }

  #tell(): void {
    const { onProgress } = this.#options;
    if (onProgress === undefined) return;
    const progress = this.#tally.progress();
    this.#importer.call(() => onProgress(progress));
  }
}

const nothing = (): void => {};

/** Tells a source that no more is wanted; how it takes that is its own affair. */
async function leave(source: AsyncIterator<unknown>): Promise<void> {
  try {
    await source.return?.();
  } catch {
    // As in a `for await` that ends with an error: the first one counts.
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
      'a timestamp, as nothing but `allowNow` lets it be left out',
      describe(timestamp),
    );
  }
  return messageTypes[type];
}
