import type { Readable } from 'node:stream';
import { unusable } from '../cli-error.js';
import { csvRows } from './csv.js';
import { type InputFile, type OpenInput, open } from './input.js';
import { ndjsonRows } from './line-rows.js';
import { type CsvOptions, mappingOf } from './mapping.js';
import { positionOf, type Row, type RowPosition } from './row.js';

export interface ReadingOptions {
  readonly csv: CsvOptions;
  readonly stdin: Readable;
  /** Prints what was ignored in an input. */
  note(text: string): void;
}

/**
 * Opens the rows of an input, after the last row of a checkpoint if one is given.
 *
 * @throws CliError while rows are read, if the file has changed since the checkpoint
 */
export function openSource(
  input: InputFile,
  last: RowPosition | undefined,
  { csv, stdin, note }: ReadingOptions,
): Omit<OpenInput, 'chunks'> & { readonly rows: AsyncIterable<readonly Row[]> } {
  const { name, format, isFile, isGzip, delimiter: usual } = input;
  const isSeekable = isFile && format === 'ndjson' && !isGzip;
  const begin = last !== undefined && isSeekable ? { number: last.line, start: last.start } : {};
  const { chunks, bytesRead, close } = open(input, begin.start ?? 0, stdin);
  const rows =
    format === 'csv'
      ? csvRows(chunks, {
          name,
          delimiter: csv.delimiter,
          usual,
          readerOf: (header) => mappingOf(header, csv),
          note: (ignored) => note(`${name}: ${ignored}`),
        })
      : ndjsonRows(chunks, begin);
  return { rows: last === undefined ? rows : rowsAfter(last, rows, name), bytesRead, close };
}

/**
 * Yields the rows after the checkpoint's last row.
 *
 * @throws CliError if that row has changed or is on another line
 */
async function* rowsAfter(
  last: RowPosition,
  rows: AsyncIterable<readonly Row[]>,
  name: string,
): AsyncGenerator<readonly Row[]> {
  const isSame = (row: Row): boolean => row.line === last.line && positionOf(row).fingerprint === last.fingerprint;
  let isFound = false;
  for await (const some of rows) {
    isFound ||= some.some(isSame);
    const after = some.filter(({ line }) => line > last.line);
    if (after.length > 0 && !isFound) break;
    yield after;
  }
  if (isFound) return;
  throw unusable(`${name} has changed: line ${last.line} is not the line of the checkpoint; import it with --restart`);
}
