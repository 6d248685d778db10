import type { Readable } from 'node:stream';
import type { TraitValue } from '../../service/api/requests.js';
import { SyncEntryError } from '../../service/audiences/audience-errors.js';
import { listedValues, userValueProblem } from '../../service/audiences/listed-values.js';
import { columnIn } from '../audience/id-format.js';
import type { ListSource } from '../audience/list-file.js';
import { CliError, unusable } from '../cli-error.js';
import { CellError, columnOf, convertCell } from '../import/cell.js';
import { csvRecords } from '../import/csv.js';
import { type Input, open } from '../import/input.js';

export interface ValueOptions {
  /** @default by the file's name */
  readonly format?: 'ndjson' | 'csv' | undefined;
  /** CSV: the column that holds the ids. @default `userId` */
  readonly column?: string | undefined;
  /** CSV: the column that holds the values, and their type: `ltv:number`. @default `value` */
  readonly value?: string | undefined;
  /** CSV: the text between two values. @default by the file's name */
  readonly delimiter?: string | undefined;
}

export function openValues(input: Input, options: ValueOptions, stdin: Readable): ListSource<TraitValue> {
  const { chunks, bytesRead, close } = open(input, 0, stdin);
  const isCsv = (options.format ?? (options.value === undefined ? input.format : 'csv')) === 'csv';
  return { items: isCsv ? fromColumns(input, options, chunks) : fromJson(input, chunks), bytesRead, close };
}

async function* fromJson({ name }: Input, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TraitValue> {
  try {
    for await (const { userId, json } of listedValues(chunks)) {
      yield { userId, value: json === undefined ? null : JSON.parse(json) };
    }
  } catch (error) {
    throw error instanceof SyncEntryError ? unusable(`${name}: ${error.message}`) : error;
  }
}

async function* fromColumns(
  { name, delimiter }: Input,
  options: ValueOptions,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<TraitValue> {
  let read: ((record: readonly string[]) => TraitValue) | undefined;
  for await (const records of csvRecords(chunks, options.delimiter ?? delimiter)) {
    for (const { line, record } of records) {
      if (read === undefined) read = readerOf(record, options, name);
      else yield checked(read, record, `${name}: line ${line}`);
    }
  }
}

/** @throws CliError if the value or the id is invalid */
function checked(
  read: (record: readonly string[]) => TraitValue,
  record: readonly string[],
  where: string,
): TraitValue {
  try {
    const entry = read(record);
    const problem = userValueProblem(entry);
    if (problem === undefined) return entry;
    throw unusable(`${where}: ${problem}`);
  } catch (error) {
    throw error instanceof CellError ? unusable(`${where}: ${error.message}`) : error;
  }
}

/** @throws CliError if there is no such column */
function readerOf(
  header: readonly string[],
  { column: idColumn, value = 'value' }: ValueOptions,
  name: string,
): (record: readonly string[]) => TraitValue {
  const idIndex = columnIn(header, idColumn, name);
  const { column, conversion } = columnOf(value);
  const index = header.findIndex((title) => title.trim() === column);
  if (index === -1) {
    throw new CliError(
      `${name}: there is no column "${column}" of values; give --value NAME, one of ${header.join(', ')}`,
    );
  }
  return (record) => {
    const text = record[index] ?? '';
    // An empty cell means no value.
    return { userId: record[idIndex] ?? '', value: text === '' ? null : convertCell(text, conversion, column) };
  };
}
