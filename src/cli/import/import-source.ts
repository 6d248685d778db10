import { CliError, EXIT } from '../cli-error.js';
import { digestOf, type Position } from './checkpoint.js';
import { csvRows } from './csv.js';
import type { InputFile, OpenInput } from './input.js';
import { ndjsonRows } from './line-rows.js';
import { type CsvOptions, mappingOf } from './mapping.js';
import type { Row } from './row.js';

type Rows = AsyncIterable<readonly Row[]>;

/** Reads the rows of an opened input. */
export function rowsIn({ chunks }: OpenInput, input: InputFile, csv: CsvOptions): Rows {
  const readerOf = (header: readonly string[]) => mappingOf(header, csv);
  return input.format === 'csv' ? csvRows(chunks, { ...input, readerOf }) : ndjsonRows(chunks);
}

/**
 * Yields the rows after the last row of a checkpoint.
 *
 * @throws CliError if that row has changed or is on another line
 */
export async function* rowsAfter(
  last: Omit<Position, 'file'>,
  rows: Rows,
  name: string,
): AsyncGenerator<readonly Row[]> {
  let isFound = false;
  for await (const some of rows) {
    isFound ||= some.some(({ line, text }) => line === last.line && digestOf(text) === last.digest);
    const after = some.filter(({ line }) => line > last.line);
    if (after.length > 0 && !isFound) break;
    yield after;
  }
  if (isFound) return;
  const message = `${name} has changed: line ${last.line} is not the line of the checkpoint; import it with --restart`;
  throw new CliError(message, { exitCode: EXIT.unusable, fields: { canResume: false } });
}
