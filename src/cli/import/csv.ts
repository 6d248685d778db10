import { CsvError, parse } from 'csv-parse';
import { shorten } from '../../base/text/printable.js';
import { reasonOf, unusable } from '../cli-error.js';
import { type Row, RowError } from './row.js';

/** The longest record. A quote that is never closed must not swallow the file. */
const MAX_RECORD_BYTES = 1024 * 1024;

export interface CsvReading<T> {
  /** The name of the file, for error messages. */
  readonly name: string;
  /** The text between two values. */
  readonly delimiter: string;
  /** Called once with the header, and may throw. Returns the function that reads the cells of a row, which throws `RowError`. */
  readerOf(header: readonly string[]): (cells: readonly string[]) => T;
}

type CsvRecord = Omit<Row, 'read'> & { readonly cells: readonly string[] };

const LINE_END = /(?:\r\n|\r|\n)$/;

/**
 * Reads rows of comma-separated values (RFC 4180) below a header line. Rows without a value are ignored.
 *
 * @throws CliError after the last good row if a quote is out of place, because the next row could begin anywhere
 */
export async function* csvRows<T>(
  chunks: AsyncIterable<Uint8Array>,
  reading: CsvReading<T>,
): AsyncGenerator<readonly Row<T>[]> {
  const rows: Row<T>[] = [];
  let rowOf: ((record: CsvRecord) => Row<T>) | undefined;
  let line = 1;
  const parser = parse({
    delimiter: reading.delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    bom: true,
    raw: true,
    relax_column_count: true,
    max_record_size: MAX_RECORD_BYTES,
    // The callback gets every record, while the parser's stream drops those before an error.
    on_record: (wrapped: unknown) => {
      // With `raw` the parser gives this shape, although its types say otherwise.
      const { record, raw } = wrapped as { record: string[]; raw: string };
      // A carriage return at the end of a quoted cell is half of a line end, and not a part of the value.
      const cells = raw.includes('\r"') ? record.map((cell) => cell.replace(/\r+$/, '')) : record;
      if (cells.some((cell) => cell.trim() !== '')) {
        if (rowOf === undefined) rowOf = rowReader(cells, reading);
        else rows.push(rowOf({ cells, text: raw.replace(LINE_END, ''), line }));
      }
      // Lines are counted here because the parser counts a CRLF within quotes as two.
      line += raw.match(/\r\n|\r|\n/g)?.length ?? 0;
      return null;
    },
  }).on('error', () => {});
  try {
    for await (const chunk of chunks) {
      await told((done) => parser.write(chunk, done));
      yield rows.splice(0);
    }
    await told((done) => parser.end(done));
    yield rows.splice(0);
  } catch (error) {
    yield rows.splice(0);
    throw error instanceof CsvError ? unusable(`${reading.name}: not valid CSV: ${error.message}`) : error;
  } finally {
    parser.destroy();
  }
}

/** Turns a callback of `write` or `end` into a promise. The callback gets the error of the parser, as its listeners do. */
const told = (act: (done: (error?: Error | null) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => act((error) => (error ? reject(error) : resolve())));

/** The parser replaces bytes that are not UTF-8 by this character. */
const REPLACEMENT = '\ufffd';
const NOT_UTF_8 = 'not valid UTF-8, or it holds the replacement character U+FFFD';
const LONGEST_SHOWN = 60;

/** @throws CliError that names the file if the header is wrong, or the options do not fit it */
function rowReader<T>(header: readonly string[], { name, readerOf }: CsvReading<T>): (record: CsvRecord) => Row<T> {
  let readCells: (cells: readonly string[]) => T;
  try {
    checkHeader(header);
    readCells = readerOf(header);
  } catch (error) {
    throw unusable(`${name}: ${reasonOf(error)}`);
  }
  return ({ cells, text, line }) => ({
    line,
    text,
    read() {
      if (text.includes(REPLACEMENT)) throw new RowError(NOT_UTF_8);
      if (cells.length === header.length) return readCells(cells);
      throw new RowError(`has ${cells.length} values where the header has ${header.length}`);
    },
  });
}

/** @throws Error if the header is not UTF-8, or another delimiter seems to separate the columns */
function checkHeader(header: readonly string[]): void {
  const line = header.join();
  if (line.includes(REPLACEMENT)) throw new Error(`the header is ${NOT_UTF_8}`);
  if (/^sep=.?$/i.test(header[0] ?? ''))
    throw new Error(
      'the first line, `sep=`, is for Excel alone; remove it, and give --delimiter if it names another than a comma',
    );
  const [delimiter] = (header.length === 1 && /[;\t|,]/.exec(line)) || [];
  if (delimiter === undefined) return;
  const shown = JSON.stringify(shorten(line, LONGEST_SHOWN));
  throw new Error(`the header is one column, ${shown}; give --delimiter '${delimiter.replace('\t', '\\t')}'`);
}
