import { type Line, LineSplitter } from '../../lines.js';
import { reasonOf } from '../cli-error.js';
import { decodeUtf8, isJsonObject } from '../decode.js';
import type { Row } from './row.js';

/** The longest line that is read: many times what a message may be. */
const MAX_LINE_BYTES = 1024 * 1024;

/** The rows of newline-delimited JSON: one object a line, empty lines passed over. */
export async function* ndjsonRows(
  chunks: AsyncIterable<Uint8Array>,
  begin: { number?: number; start?: number } = {},
): AsyncGenerator<readonly Row[]> {
  const splitter = new LineSplitter({ maxBytes: MAX_LINE_BYTES, ...begin });
  for await (const chunk of chunks) yield splitter.push(chunk).flatMap(rowOf);
  yield splitter.end().flatMap(rowOf);
}

function rowOf({ number: line, start, end, bytes }: Line): Row[] {
  const at = { line, start, end, text: '', message: undefined };
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
