import type { Readable } from 'node:stream';
import { decodeUtf8, parseJson } from '../../base/text/decode.js';
import { LineSplitter } from '../../base/text/lines.js';
import { SyncEntryError } from '../../service/audiences/audience-errors.js';
import { listedIds } from '../../service/audiences/listed-ids.js';
import { describeProblem, userIdProblem } from '../../service/audiences/user-id-problem.js';
import { CliError, unusable } from '../cli-error.js';
import { csvRecords } from '../import/csv.js';
import { type Input, open } from '../import/input.js';
import type { ListSource } from './list-file.js';

export type IdFormat = 'ndjson' | 'csv' | 'text';

export interface IdOptions {
  /** @default by the file's name */
  readonly format?: IdFormat | undefined;
  /** CSV: the column that holds the ids. @default `userId`, or the only column */
  readonly column?: string | undefined;
  /** CSV: the text between two values. @default by the file's name */
  readonly delimiter?: string | undefined;
}

interface Found {
  readonly line: number;
  readonly id: string;
}

const MAX_LINE_BYTES = 10_000;

export function openIds(input: Input, options: IdOptions, stdin: Readable): ListSource<string> {
  const { chunks, bytesRead, close } = open(input, 0, stdin);
  return { items: idsOf(input, options, chunks), bytesRead, close };
}

function idsOf(input: Input, options: IdOptions, chunks: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const format = formatOf(input, options);
  if (format === 'ndjson') return fromJson(input, chunks);
  if (format === 'text') return checked(input, fromText(input, options, chunks));
  return checked(input, fromColumn(input, options, chunks));
}

function formatOf({ name, format }: Input, options: IdOptions): IdFormat {
  if (options.format !== undefined) return options.format;
  if (options.column !== undefined || format === 'csv') return 'csv';
  return /\.(ndjson|jsonl|json)(\.gz)?$/i.test(name) ? 'ndjson' : 'text';
}

async function* fromJson({ name }: Input, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  try {
    yield* listedIds(chunks);
  } catch (error) {
    throw error instanceof SyncEntryError ? unusable(`${name}: ${error.message}`) : error;
  }
}

async function* checked({ name }: Input, found: AsyncIterable<Found>): AsyncGenerator<string> {
  for await (const { line, id } of found) {
    const problem = userIdProblem(id);
    if (problem !== undefined) throw unusable(`${name}: line ${line}: ${describeProblem(problem)}`);
    yield id;
  }
}

async function* fromText(
  { name }: Input,
  { format }: IdOptions,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Found> {
  const splitter = new LineSplitter({ maxBytes: MAX_LINE_BYTES });
  const read = function* (lines: ReturnType<LineSplitter['end']>): Generator<Found> {
    for (const { number: line, bytes } of lines) {
      const id = bytes && decodeUtf8(bytes)?.trim();
      if (id === undefined) throw unusable(`${name}: line ${line}: not UTF-8, or longer than ${MAX_LINE_BYTES} bytes`);
      if (format === undefined && isJson(id)) {
        throw new CliError(
          `${name}: line ${line} looks like JSON; give --format ndjson to read it as JSON, --format text to take it as it is`,
        );
      }
      if (id !== '') yield { line, id };
    }
  };
  for await (const chunk of chunks) yield* read(splitter.push(chunk));
  yield* read(splitter.end());
}

/** If `"u1"` with its quotes were taken as an id, every member would leave and as many unknown users would join. */
const isJson = (text: string): boolean => /^["{]/.test(text) && parseJson(text) !== undefined;

async function* fromColumn(
  { name, delimiter }: Input,
  options: IdOptions,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Found> {
  let index: number | undefined;
  for await (const records of csvRecords(chunks, options.delimiter ?? delimiter)) {
    for (const { line, record } of records) {
      const id = index === undefined ? undefined : record[index];
      if (index === undefined) index = columnIn(record, options.column, name);
      else if (id) yield { line, id };
      else throw unusable(`${name}: line ${line} has no id`);
    }
  }
}

/**
 * Returns the index of the column of ids.
 *
 * @throws CliError if there is none
 */
export function columnIn(header: readonly string[], column: string | undefined, name: string): number {
  const index = header.findIndex((title) => title.trim() === (column ?? 'userId'));
  if (index !== -1) return index;
  if (column === undefined && header.length === 1) return 0;
  const wanted = column === undefined ? 'no column userId holds the ids' : `there is no column "${column}"`;
  throw new CliError(`${name}: ${wanted}; give --column NAME, one of ${header.join(', ')}`);
}
