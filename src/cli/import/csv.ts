import { CsvError, parse } from 'csv-parse';
import { CliError, unusable } from '../cli-error.js';
import { CellError } from './cell.js';
import { type Mapping, type MappingOptions, mappingOf } from './mapping.js';
import type { Row } from './row.js';

/** The longest record. A quote that is never closed must not swallow the file. */
const MAX_RECORD_BYTES = 1024 * 1024;

export interface CsvOptions extends MappingOptions {
  /** The text between two values. @default the input's own */
  readonly delimiter?: string | undefined;
}

export interface CsvRecord {
  readonly record: readonly string[];
  readonly raw: string;
  /** The line it begins on, from 1. */
  readonly line: number;
  /** The byte where it begins. */
  readonly start: number;
}

/**
 * Reads rows of comma-separated values (RFC 4180) below a header line.
 *
 * @throws CliError after the last good row if a quote is out of place, because the next row could begin anywhere
 */
export async function* csvRows(
  chunks: AsyncIterable<Uint8Array>,
  options: CsvOptions & { delimiter: string },
): AsyncGenerator<readonly Row[]> {
  const reader = new RecordReader(options);
  for await (const parsed of csvRecords(chunks, options.delimiter)) {
    yield parsed.map((record) => reader.read(record)).filter((row) => row !== undefined);
  }
}

/** Yields the records of each chunk. It uses the parser's callback, because the parser's stream drops records before an error. */
export async function* csvRecords(
  chunks: AsyncIterable<Uint8Array>,
  delimiter: string,
): AsyncGenerator<readonly CsvRecord[]> {
  let parsed: CsvRecord[] = [];
  let before = { lines: 0, bytes: 0 };
  const take = (): CsvRecord[] => {
    const taken = parsed;
    parsed = [];
    return taken;
  };
  const parser = parse({
    delimiter,
    bom: true,
    raw: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: MAX_RECORD_BYTES,
    on_record: (wrapped: unknown, info) => {
      // With `raw` the parser gives this shape, although its types say otherwise.
      const { record, raw } = wrapped as { record: string[]; raw: string };
      parsed.push({ record, raw, line: before.lines + 1, start: before.bytes });
      before = info;
      return null;
    },
  });
  // The callbacks of `write` and `end` get the error as well.
  parser.on('error', () => {});
  try {
    for await (const chunk of chunks) {
      await told((done) => parser.write(chunk, done));
      yield take();
    }
    await told((done) => parser.end(done));
    yield take();
  } catch (error) {
    yield take();
    throw error instanceof CsvError ? unusable(`not valid CSV: ${error.message}`) : error;
  } finally {
    parser.destroy();
  }
}

const told = (act: (done: (error?: Error | null) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => act((error) => (error ? reject(error) : resolve())));

/** The parser replaces bytes that are not UTF-8 by this character. */
const REPLACEMENT = '\ufffd';
const NOT_UTF_8 = 'not valid UTF-8, or it holds the replacement character U+FFFD';

const DELIMITERS = [';', '\t', '|', ','];

/** @throws CliError if another delimiter seems to separate the columns */
function checkHeader(header: readonly string[]): void {
  const [line = '', ...others] = header;
  const delimiter = others.length === 0 ? DELIMITERS.find((text) => line.includes(text)) : undefined;
  if (delimiter === undefined) return;
  const named = delimiter === '\t' ? '\\t' : delimiter;
  const columns = line.split(delimiter).length;
  throw new CliError(`the header is one column, ${quoted(line)}; give --delimiter '${named}' to read ${columns}`);
}

const quoted = (line: string): string => JSON.stringify(line.length <= 60 ? line : `${line.slice(0, 59)}…`);

/** Turns records into rows. The first record is the header. */
class RecordReader {
  readonly #options: CsvOptions;
  #mapping: Mapping | undefined;
  #columns = 0;

  constructor(options: CsvOptions) {
    this.#options = options;
  }

  read({ record, raw, line, start }: CsvRecord): Row | undefined {
    if (this.#mapping === undefined) {
      checkHeader(record);
      this.#mapping = mappingOf(record, this.#options);
      this.#columns = record.length;
      return undefined;
    }
    const at = { line, start, text: raw.replace(/\r?\n?$/, '') };
    if (raw.includes(REPLACEMENT)) return { ...at, message: undefined, problem: NOT_UTF_8 };
    return { ...at, ...this.#map(record, this.#mapping) };
  }

  #map(record: readonly string[], mapping: Mapping): Pick<Row, 'message' | 'problem'> {
    if (record.length !== this.#columns) {
      return { message: undefined, problem: `has ${record.length} values where the header has ${this.#columns}` };
    }
    try {
      return { message: mapping(record), problem: undefined };
    } catch (error) {
      if (!(error instanceof CellError)) throw error;
      return { message: undefined, problem: error.message };
    }
  }
}
