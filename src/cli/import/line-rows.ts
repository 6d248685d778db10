import { decodeUtf8, isJsonObject } from '../../base/text/decode.js';
import { linesIn, type TextLine } from '../../base/text/lines.js';
import { reasonOf } from '../cli-error.js';
import { checkLoss } from './cell.js';
import { type Row, RowError } from './row.js';

/** The longest line of NDJSON, in bytes. It is many times the limit of a message. */
const MAX_LINE_BYTES = 1024 * 1024;

/**
 * Reads text with one value per line, and skips blank lines.
 *
 * @param read returns the value of a line, or throws RowError
 */
export async function* lineRows<T>(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  read: (text: string) => T,
): AsyncGenerator<readonly Row<T>[]> {
  for await (const lines of linesIn(chunks, maxBytes)) yield lines.flatMap((line) => rowsIn(line, maxBytes, read));
}

/** Reads newline-delimited JSON: one object per line. */
export const ndjsonRows = (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Row[]> =>
  lineRows(chunks, MAX_LINE_BYTES, objectOf);

function rowsIn<T>({ number, bytes }: TextLine, maxBytes: number, read: (text: string) => T): readonly Row<T>[] {
  const text = bytes && decodeUtf8(bytes);
  if (text !== undefined) return text.trim() === '' ? [] : [{ line: number, text, read: () => read(text) }];
  const error = new RowError(bytes === undefined ? `longer than ${maxBytes} bytes` : 'not valid UTF-8');
  const refuse = (): never => {
    throw error;
  };
  return [{ line: number, text: Buffer.from(bytes ?? []).toString(), read: refuse }];
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
