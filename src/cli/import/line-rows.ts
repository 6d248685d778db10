import { decodeUtf8, isJsonObject } from '../../base/text/decode.js';
import { LineSplitter, type TextLine } from '../../base/text/lines.js';
import { reasonOf } from '../cli-error.js';
import { checkLoss } from './cell.js';
import { type Row, RowError, readRow } from './row.js';

/** The longest line of NDJSON, in bytes. It is many times the limit of a message. */
const MAX_LINE_BYTES = 1024 * 1024;

export interface LineOptions<T> {
  readonly maxBytes: number;
  /** @throws RowError */
  read(text: string): T;
  /** The line number and the byte of the file at which the chunks begin. @default 1 and 0 */
  readonly number?: number;
  readonly start?: number;
}

/** Reads text with one value per line, and skips blank lines. */
export async function* lineRows<T>(
  chunks: AsyncIterable<Uint8Array>,
  options: LineOptions<T>,
): AsyncGenerator<readonly Row<T>[]> {
  const splitter = new LineSplitter(options);
  for await (const chunk of chunks) yield splitter.push(chunk).flatMap((line) => rowOf(line, options));
  const last = splitter.end().flatMap((line) => rowOf(line, options));
  // An export that was cut off ends in the middle of a line.
  yield last.map((row) =>
    row.problem?.startsWith('not JSON') ? { ...row, problem: `${row.problem}; the file ends within this line` } : row,
  );
}

/** Reads newline-delimited JSON: one object per line. */
export const ndjsonRows = (
  chunks: AsyncIterable<Uint8Array>,
  begin: { number?: number; start?: number },
): AsyncGenerator<readonly Row[]> => lineRows(chunks, { maxBytes: MAX_LINE_BYTES, read: objectOf, ...begin });

function rowOf<T>({ number, start, bytes }: TextLine, { maxBytes, read }: LineOptions<T>): readonly Row<T>[] {
  const text = bytes && decodeUtf8(bytes);
  if (text?.trim() === '') return [];
  const row = readRow(number, start, text ?? Buffer.from(bytes ?? []).toString(), () => {
    if (text !== undefined) return read(text);
    throw new RowError(bytes === undefined ? `longer than ${maxBytes} bytes` : 'not valid UTF-8');
  });
  return [row];
}

function objectOf(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RowError(`not JSON: ${reasonOf(error)}`);
  }
  if (!isJsonObject(value)) throw new RowError('not a JSON object');
  checkLoss(text, value);
  return value;
}
