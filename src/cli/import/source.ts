import type { Readable } from 'node:stream';
import { CliError } from '../cli-error.js';
import { STANDARD_INPUT } from '../file.js';
import type { Checkpoint } from './checkpoint.js';
import { type CsvOptions, csvRows } from './csv.js';
import { type Input, type OpenInput, open } from './input.js';
import { ndjsonRows } from './ndjson.js';
import { fingerprintOf, type Row } from './row.js';

/** The rows of an input, and how much of it was read for them. */
export interface Source {
  readonly rows: AsyncIterable<readonly Row[]>;
  bytesRead(): number;
  /** Ends the rows, even while the next is waited for. */
  close(): void;
}

/** @throws CliError as its rows are read, when the file is not what the checkpoint has seen */
export function openSource(input: Input, last: Checkpoint['last'], csv: CsvOptions, stdin: Readable): Source {
  const begin = last !== undefined && isSeekable(input) ? { number: last.line, start: last.start } : {};
  const opened = open(input, begin.start ?? 0, stdin);
  const rows = rowsOf(input, opened, begin, csv);
  return {
    rows: last === undefined ? rows : rowsAfter(last, rows, input.name),
    bytesRead: opened.bytesRead,
    close: opened.close,
  };
}

const isSeekable = ({ path, format, isGzip }: Input): boolean =>
  path !== STANDARD_INPUT && format === 'ndjson' && !isGzip;

function rowsOf(
  { format, delimiter }: Input,
  { chunks }: OpenInput,
  begin: { number?: number; start?: number },
  csv: CsvOptions,
): AsyncGenerator<readonly Row[]> {
  return format === 'csv'
    ? csvRows(chunks, { ...csv, delimiter: csv.delimiter ?? delimiter })
    : ndjsonRows(chunks, begin);
}

/** The rows behind the last one of the checkpoint, which must be unchanged and on its line. */
async function* rowsAfter(
  last: NonNullable<Checkpoint['last']>,
  rows: AsyncIterable<readonly Row[]>,
  name: string,
): AsyncGenerator<readonly Row[]> {
  let isFound = false;
  for await (const some of rows) {
    if (isFound) {
      yield some;
      continue;
    }
    const found = some.find(({ line }) => line >= last.line);
    if (found === undefined) continue;
    if (found.line !== last.line || fingerprintOf(found.text) !== last.fingerprint) throw changed(name, last.line);
    isFound = true;
    yield some.filter(({ line }) => line > last.line);
  }
  if (!isFound) throw changed(name, last.line);
}

const changed = (name: string, line: number): CliError =>
  new CliError(`${name} has changed: line ${line} is not the line of the checkpoint; import it without --resume`);
