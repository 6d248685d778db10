import type { Readable } from 'node:stream';
import { parseJson } from '../../base/text/decode.js';
import { listedUsers } from '../../service/audiences/listed-users.js';
import { describeProblem, userIdProblem } from '../../service/audiences/user-id-problem.js';
import { indexOfColumn } from '../import/cell.js';
import { csvRows } from '../import/csv.js';
import { refuseForCsv } from '../import/csv-flags.js';
import { type InputFile, type OpenInput, open } from '../import/input.js';
import { lineRows } from '../import/line-rows.js';
import { RowError } from '../import/row.js';
import { listedIn, valuesOf } from './list-file.js';

export type IdFormat = InputFile['format'];

export interface IdOptions {
  /** The format of the file. @default derived from the name of the file */
  readonly format?: IdFormat | undefined;
  /** CSV: the column with the ids. @default `userId`, or the only column */
  readonly column?: string | undefined;
  /** CSV: the text between two values. @default derived from the name of the file */
  readonly delimiter?: string | undefined;
}

const MAX_LINE_BYTES = 10_000;

export function openIds(given: InputFile, options: IdOptions, stdin: Readable): OpenInput<AsyncIterable<string>> {
  const { column, delimiter } = options;
  const input = { ...given, format: formatOf(given, options), delimiter: delimiter ?? given.delimiter };
  const { name, format } = input;
  if (format !== 'csv') refuseForCsv({ '--column': column, '--delimiter': delimiter }, input);
  const { items: chunks, ...opened } = open(input, stdin);
  if (format === 'ndjson') return { ...opened, items: listedIn(name, idsIn(chunks)) };
  const readerOf = (header: readonly string[]) => {
    const index = columnIn(header, column);
    return (cells: readonly string[]): string => checkedId(cells[index] ?? '');
  };
  const rows =
    format === 'text'
      ? lineRows(chunks, MAX_LINE_BYTES, (text) => idOf(text.trim(), options))
      : csvRows(chunks, { ...input, readerOf });
  return { ...opened, items: valuesOf(name, rows) };
}

async function* idsIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const { userId } of listedUsers('audience', chunks)) yield userId;
}

function formatOf({ name, format }: InputFile, options: IdOptions): IdFormat {
  if (options.format !== undefined) return options.format;
  if (options.column !== undefined || format === 'csv') return 'csv';
  return /\.(ndjson|jsonl|json)(\.gz)?$/i.test(name) ? 'ndjson' : 'text';
}

/**
 * Returns the id in a line, and refuses JSON: if `"u1"` were read as an id with its quotes, every member would leave and be
 * replaced by an unknown user.
 */
function idOf(text: string, { format }: IdOptions): string {
  if (format === undefined && /^["{[]/.test(text) && parseJson(text) !== undefined) {
    throw new RowError('looks like JSON; give --format ndjson to read it as JSON, --format text to take it as it is');
  }
  return checkedId(text);
}

/** @throws RowError if the text cannot be the id of a user */
function checkedId(id: string): string {
  const problem = userIdProblem(id);
  if (problem !== undefined) throw new RowError(id === '' ? 'has no id' : describeProblem(problem));
  return id;
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
