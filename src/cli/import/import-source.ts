import type { Readable } from 'node:stream';
import { decodeUtf8, isJsonObject } from '../../base/text/decode.js';
import { type Line, LineSplitter } from '../../base/text/lines.js';
import { type CliError, reasonOf, unusable } from '../cli-error.js';
import { STANDARD_INPUT } from '../file.js';
import type { Checkpoint } from './checkpoint.js';
import { type CsvOptions, csvRows } from './csv.js';
import { checkForm } from './form.js';
import { type Input, type OpenInput, open } from './input.js';
import { fingerprintOf, type Row } from './row.js';

/** The rows of an input. */
export interface Source {
  readonly rows: AsyncIterable<readonly Row[]>;
  bytesRead(): number;
  /** Ends the rows, even while a reader waits for the next one. */
  close(): void;
}

/**
 * Opens the rows of an input, after the last row of a checkpoint if one is given.
 *
 * @throws CliError while the rows are read, if the file has changed since the checkpoint
 */
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
  { name, format, delimiter }: Input,
  { chunks }: OpenInput,
  begin: { number?: number; start?: number },
  csv: CsvOptions,
): AsyncGenerator<readonly Row[]> {
  return format === 'csv'
    ? csvRows(chunks, { ...csv, delimiter: csv.delimiter ?? delimiter })
    : ndjsonRows(begin.start === undefined ? checkForm(chunks, name) : chunks, begin);
}

/** Yields the rows after the checkpoint's last row, which must be unchanged and on its line. */
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
  unusable(`${name} has changed: line ${line} is not the line of the checkpoint; import it with --restart`);

/** The longest line that is read, many times the limit of a message. */
const MAX_LINE_BYTES = 1024 * 1024;

/** Reads newline-delimited JSON: one object per line. Empty lines are skipped. */
async function* ndjsonRows(
  chunks: AsyncIterable<Uint8Array>,
  begin: { number?: number; start?: number } = {},
): AsyncGenerator<readonly Row[]> {
  const splitter = new LineSplitter({ maxBytes: MAX_LINE_BYTES, ...begin });
  for await (const chunk of chunks) yield splitter.push(chunk).flatMap(rowOf);
  yield splitter.end().flatMap(rowOf);
}

function rowOf({ number: line, start, bytes }: Line): Row[] {
  const at = { line, start, text: '', message: undefined };
  if (bytes === undefined) return [{ ...at, problem: `longer than ${MAX_LINE_BYTES} bytes` }];
  const text = decodeUtf8(bytes);
  if (text === undefined) return [{ ...at, text: Buffer.from(bytes).toString(), problem: 'not valid UTF-8' }];
  return text.trim() === '' ? [] : [{ ...at, text, ...parse(text) }];
}

function parse(text: string): Pick<Row, 'message' | 'problem'> {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value)
      ? { message: value, problem: undefined }
      : { message: undefined, problem: 'not a JSON object' };
  } catch (error) {
    return { message: undefined, problem: `not JSON: ${reasonOf(error)}` };
  }
}
