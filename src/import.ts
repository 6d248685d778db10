import { checkMethodOptions } from './call-style.js';
import { ClosedError, EventferryError, ValidationError } from './errors.js';
import { describe } from './messages/describe.js';
import { isMessageTypeName, messageTypes, type TypedMessage } from './messages/message.js';
import type { MessageType } from './messages/message-type.js';
import type { Endings } from './queue/endings.js';
import { QueuedReceipt, type Receipt, RefusedReceipt } from './queue/receipt.js';

/** Messages with a `type`, from anything that can be gone through: an array, a generator, a stream of parsed lines. */
export type ImportSource = Iterable<TypedMessage> | AsyncIterable<TypedMessage>;

export interface ImportOptions {
  /** Told every thousand rows and at the end. One that throws breaks nothing. */
  onProgress?: ((progress: ImportProgress) => void) | undefined;
  /** Whether a row without a timestamp is taken as happening now; otherwise it is invalid. @default false */
  allowNow?: boolean | undefined;
}

export interface ImportProgress {
  /** Rows read so far. */
  readonly rows: number;
  readonly accepted: number;
  readonly invalid: number;
}

/** What became of every row: `accepted = delivered + lost`, and the rest were filtered or invalid. */
export interface ImportReport {
  readonly accepted: number;
  readonly delivered: number;
  readonly lost: number;
  readonly filtered: number;
  /** The rows that were no valid message, by their place in the source, from 0. */
  readonly invalid: readonly { readonly index: number; readonly error: EventferryError }[];
}

/** What an import needs of its client. */
export interface Importer {
  take(type: MessageType, row: TypedMessage): Receipt;
  /** Undefined when there is room. */
  ready(): Promise<void> | undefined;
  flush(): Promise<void>;
  /** Calls what the user gave; whatever that throws breaks nothing. */
  call(listener: (progress: ImportProgress) => void, progress: ImportProgress): void;
}

const OPTION_NAMES = ['onProgress', 'allowNow'] as const satisfies (keyof ImportOptions)[];

const PROGRESS_EVERY_ROWS = 1_000;

/** @throws ClosedError when the client is closed meanwhile, and whatever the source throws */
export async function importMessages(
  importer: Importer,
  source: ImportSource,
  options: ImportOptions,
): Promise<ImportReport> {
  checkMethodOptions('import', options, OPTION_NAMES);
  const { onProgress, allowNow = false } = options;
  const tally = new Tally();
  const tell = (): void => {
    if (onProgress !== undefined) importer.call(onProgress, tally.progress());
  };
  const put = (row: TypedMessage): void => {
    tally.note(() => importer.take(typeOf(row, allowNow), row));
    if (tally.rows % PROGRESS_EVERY_ROWS === 0) tell();
  };
  if (Symbol.asyncIterator in source) {
    for await (const row of source) {
      const full = importer.ready();
      if (full !== undefined) await full;
      put(row);
    }
  } else {
    // The same without a promise for each row.
    for (const row of source) {
      const full = importer.ready();
      if (full !== undefined) await full;
      put(row);
    }
  }
  await importer.flush();
  tell();
  return tally.report();
}

function typeOf(row: unknown, allowNow: boolean): MessageType {
  if (typeof row !== 'object' || row === null) throw new ValidationError('row', 'an object', describe(row));
  const { type, timestamp } = row as { type?: unknown; timestamp?: unknown };
  if (!isMessageTypeName(type)) {
    throw new ValidationError('row.type', `one of ${Object.keys(messageTypes).join(', ')}`, describe(type));
  }
  if (timestamp === undefined && !allowNow) {
    throw new ValidationError(
      `${type}.timestamp`,
      'a timestamp, as nothing but `allowNow` lets it be left out',
      'undefined',
    );
  }
  return messageTypes[type];
}

/** Messages that stand next to each other in one batch. */
interface Run {
  readonly endings: Endings;
  readonly from: number;
  to: number;
}

/** Counts rows by what became of them, in room that grows with the number of batches, not of rows. */
class Tally {
  rows = 0;
  #accepted = 0;
  #filtered = 0;
  #lostAtOnce = 0;
  readonly #runs: Run[] = [];
  readonly #invalid: { index: number; error: EventferryError }[] = [];

  note(take: () => Receipt): void {
    try {
      this.#count(take());
    } catch (error) {
      if (!(error instanceof EventferryError) || error instanceof ClosedError) throw error;
      this.#invalid.push({ index: this.rows, error });
    }
    this.rows++;
  }

  progress(): ImportProgress {
    return { rows: this.rows, accepted: this.#accepted, invalid: this.#invalid.length };
  }

  report(): ImportReport {
    const lost = this.#runs.reduce(
      (sum, { endings, from, to }) => sum + endings.lostBetween(from, to),
      this.#lostAtOnce,
    );
    const [accepted, filtered, invalid] = [this.#accepted, this.#filtered, this.#invalid];
    return { accepted, delivered: accepted - lost, lost, filtered, invalid };
  }

  #count(receipt: Receipt): void {
    if (receipt instanceof QueuedReceipt) this.#extend(receipt);
    if (receipt.filtered) {
      this.#filtered++;
      return;
    }
    if (receipt instanceof RefusedReceipt) this.#lostAtOnce++;
    this.#accepted++;
  }

  #extend({ endings, index }: QueuedReceipt): void {
    const last = this.#runs.at(-1);
    if (last?.endings === endings && last.to === index) last.to++;
    else this.#runs.push({ endings, from: index, to: index + 1 });
  }
}
