import type { Readable } from 'node:stream';
import type { TraitValue } from '../../service/api/requests.js';
import { valueIn } from '../../service/audiences/given-users.js';
import { listedUsers } from '../../service/audiences/listed-users.js';
import { columnIn } from '../audience/id-format.js';
import { listedIn, valuesOf } from '../audience/list-file.js';
import { columnOf, convertCell } from '../import/cell.js';
import { csvRows } from '../import/csv.js';
import { refuseForCsv } from '../import/csv-flags.js';
import { type InputFile, type OpenInput, open } from '../import/input.js';
import { RowError } from '../import/row.js';

export interface ValueOptions {
  /** @default detected from the file's name */
  readonly format?: 'ndjson' | 'csv' | undefined;
  /** CSV: the column with the ids. @default `userId` */
  readonly column?: string | undefined;
  /** CSV: the column with the values, optionally with their type: `ltv:number`. @default `value` */
  readonly value?: string | undefined;
  /** CSV: the text between two values. @default detected from the file's name */
  readonly delimiter?: string | undefined;
}

export function openValues(
  given: InputFile,
  options: ValueOptions,
  stdin: Readable,
): OpenInput<AsyncIterable<TraitValue>> {
  const format = options.format ?? (options.value === undefined ? given.format : 'csv');
  const { column, value, delimiter } = options;
  const input = { ...given, format, delimiter: delimiter ?? given.delimiter };
  if (format !== 'csv') refuseForCsv({ '--column': column, '--value': value, '--delimiter': delimiter }, input);
  const { items: chunks, ...opened } = open(input, stdin);
  const readerOf = (header: readonly string[]) => columnReader(header, options);
  const items =
    format === 'csv'
      ? valuesOf(input.name, csvRows(chunks, { ...input, readerOf }))
      : listedIn(input.name, valuesIn(chunks));
  return { ...opened, items };
}

async function* valuesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TraitValue> {
  for await (const { userId, json } of listedUsers('trait', chunks)) {
    yield { userId, value: json === undefined ? null : JSON.parse(json) };
  }
}

/** @throws Error if there is no such column */
function columnReader(
  header: readonly string[],
  { column: idColumn, value = 'value' }: ValueOptions,
): (record: readonly string[]) => TraitValue {
  const idIndex = columnIn(header, idColumn);
  const { column, index, conversion } = columnOf(value, header, 'give --value NAME, one of');
  return (record) => {
    const text = record[index] ?? '';
    // An empty cell means no value.
    const entry = { userId: record[idIndex] ?? '', value: text === '' ? null : convertCell(text, conversion, column) };
    const user = valueIn(entry);
    if (typeof user === 'string') throw new RowError(user);
    return entry;
  };
}
