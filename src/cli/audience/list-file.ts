import { basename } from 'node:path';
import { printable } from '../../base/text/printable.js';
import { SyncError } from '../../service/audiences/audience-errors.js';
import { CliError, EXIT, unusable } from '../cli-error.js';
import { indexOfColumn } from '../import/cell.js';
import { csvRows } from '../import/csv.js';
import { refuseForCsv } from '../import/csv-flags.js';
import { type InputFile, inputOf, type OpenInput, open } from '../import/input.js';
import { lineRows } from '../import/line-rows.js';
import { showMeter } from '../import/meter.js';
import { RowError } from '../import/row.js';
import { STANDARD_INPUT, STANDARD_INPUT_NAME } from '../options/file.js';
import { onInterrupt } from '../terminal/interruption.js';
import type { Terminal } from '../terminal/terminal.js';

/** The longest line of text, which has room for the longest id. */
const MAX_LINE_BYTES = 10_000;

export interface SyncOptions {
  /** The name of the audience or trait. @default the name of the file without its endings */
  readonly name?: string | undefined;
  readonly allowEmpty?: boolean | undefined;
  /** CSV: the column with the ids. @default `userId` */
  readonly column?: string | undefined;
  /** CSV: the text between two values. @default derived from the file's name */
  readonly delimiter?: string | undefined;
}

/** The ways to read an item, by the format of the file. */
export interface ListFormats<T> {
  formatOf(input: InputFile): InputFile['format'];
  /** The flags that only CSV has, with their values. */
  readonly csvFlags: Readonly<Record<string, unknown>>;
  /** Returns the reader of the rows below a header. Both may throw: an Error for a wrong header, a RowError for a row. */
  readerOf(header: readonly string[]): (cells: readonly string[]) => T;
  /** Reads a line of text. @throws RowError */
  itemOf?(line: string): T;
  /** Reads NDJSON, as the service itself does. */
  ndjson(chunks: AsyncIterable<Uint8Array>): AsyncIterable<T>;
}

/** The kind of list in a file, and how it is sent to the service. */
export interface ListFile<T, Result extends { readonly name: string }> {
  /** The noun for the whole list, such as `audience`. */
  readonly noun: string;
  /** The noun for its items, such as `ids`. */
  readonly items: string;
  /** The effect of an empty list, as words for an error. */
  readonly emptied: string;
  readonly formats: ListFormats<T>;
  send(name: string, items: AsyncIterable<T>, signal: AbortSignal): Promise<Result>;
  /** Describes the result in words. */
  tell(result: Result): string;
}

/**
 * Returns the file with its format as a list.
 *
 * @throws CliError if an option of CSV is given for another format
 */
export async function listIn<T>(
  file: string,
  { delimiter }: SyncOptions,
  { formatOf, csvFlags }: ListFormats<T>,
): Promise<InputFile> {
  const given = await inputOf(file, { delimiter });
  const input = { ...given, format: formatOf(given) };
  if (input.format !== 'csv') refuseForCsv({ ...csvFlags, '--delimiter': delimiter }, input);
  return input;
}

/** Reads the items of a list. The first one that is wrong ends the iteration, because a list is changed as a whole. */
export async function* itemsIn<T>(
  { chunks }: OpenInput,
  input: InputFile,
  { readerOf, itemOf, ndjson }: ListFormats<T>,
): AsyncGenerator<T> {
  let line: number | undefined;
  try {
    if (input.format === 'ndjson') return yield* ndjson(chunks);
    const rows =
      input.format === 'text' && itemOf !== undefined
        ? lineRows(chunks, MAX_LINE_BYTES, itemOf)
        : csvRows(chunks, { ...input, readerOf });
    for await (const some of rows) {
      for (const row of some) {
        line = row.line;
        yield row.read();
      }
    }
  } catch (error) {
    if (error instanceof SyncError) throw unusable(`${input.name}: ${error.message}`);
    throw error instanceof RowError ? unusable(`${input.name}: line ${line}: ${error.message}`) : error;
  }
}

/**
 * Returns the index of the column of ids.
 *
 * @throws Error if there is none
 */
export function columnIn(header: readonly string[], column: string | undefined): number {
  if (column === undefined && header.length === 1) return 0;
  return indexOfColumn(header, column ?? 'userId', 'give --column NAME, one of');
}

/** Sends the list in a file to the service, and shows the progress. */
export async function syncFile<T, Result extends { readonly name: string }>(
  list: ListFile<T, Result>,
  file: string,
  options: SyncOptions,
  terminal: Terminal,
): Promise<void> {
  const name = options.name ?? nameOf(file, list.noun);
  const input = await listIn(file, options, list.formats);
  const source = open(input);
  const upload: Upload = { rows: 0, isSent: false };
  const startedAt = performance.now();
  const stopShowing = showMeter(terminal, list.items, () => ({
    rows: upload.rows,
    rejected: 0,
    skippedBytes: 0,
    bytes: source.bytesRead(),
    totalBytes: input.size,
    elapsedMs: performance.now() - startedAt,
    waiting: upload.isSent ? 'all sent; the service is comparing' : undefined,
  }));
  const interruption = new AbortController();
  const stopListening = onInterrupt(() => {
    interruption.abort();
    // The upload may still be waiting for its first bytes, and the signal does not reach it there.
    source.close();
  });
  try {
    const { isEmpty, all } = await begin(itemsIn(source, input, list.formats), upload);
    // An export that failed must not empty the list.
    if (isEmpty && options.allowEmpty !== true) {
      const shown = input.path === STANDARD_INPUT ? STANDARD_INPUT_NAME : file;
      throw unusable(`${shown} holds no ${list.items}; give --allow-empty to ${list.emptied}`);
    }
    const result = await list.send(name, all, interruption.signal).finally(stopShowing);
    terminal.print(`${terminal.style('bold', printable(result.name))}  ${list.tell(result)}`, result);
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    const reason = upload.isSent ? 'interrupted; the service finishes the sync' : 'interrupted; nothing was changed';
    throw new CliError(reason, { exitCode: EXIT.interrupted });
  } finally {
    stopShowing();
    stopListening();
    // An input that is not read to its end would keep the process alive.
    source.close();
  }
}

/** Turns `lists/High Value Users.csv.gz` into `High Value Users`. */
function nameOf(file: string, noun: string): string {
  // A shell gives names such as `/dev/fd/63` to its pipes.
  if (file === STANDARD_INPUT || /^\/(?:dev\/(?!shm\/)|proc\/)/.test(file)) {
    const shown = file === STANDARD_INPUT ? STANDARD_INPUT_NAME : file;
    throw new CliError(`${shown} has no name; give --name NAME for the ${noun}`);
  }
  return basename(file)
    .replace(/(?<=.)\.gz$/i, '')
    .replace(/(?<=.)\.(ndjson|jsonl|json|csv|tsv|txt)$/i, '');
}

/** The progress of sending a list to the service. */
interface Upload {
  rows: number;
  isSent: boolean;
}

/** Waits for the first item, and returns all items, which are counted as they are read. */
async function begin<T>(
  source: AsyncIterable<T>,
  upload: Upload,
): Promise<{ isEmpty: boolean; all: AsyncIterable<T> }> {
  const items = source[Symbol.asyncIterator]();
  const first = await items.next();
  const counted = async function* (): AsyncGenerator<T> {
    for (let next = first; !next.done; next = await items.next()) {
      upload.rows++;
      yield next.value;
    }
    upload.isSent = true;
  };
  return { isEmpty: first.done === true, all: counted() };
}
