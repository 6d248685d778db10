import { isGzip, LOOKED_AT, otherKind } from '../../base/text/file-text.js';
import { unusable } from '../cli-error.js';

/** Matches once a text holds a line that is not blank. */
const HAS_LINE = /\S.{3,}?[\r\n]/s;

export interface Begun {
  /** The beginning of the file, with each byte as one character. */
  readonly head: string;
  /** All chunks. The first one holds the whole beginning. */
  readonly chunks: AsyncGenerator<Uint8Array>;
}

/** Reads chunks until they hold the first line, which a pipe may deliver in pieces. */
export async function begin(chunks: AsyncGenerator<Uint8Array>): Promise<Begun> {
  let read: Uint8Array = new Uint8Array(0);
  let head = '';
  while (head.length < LOOKED_AT && !HAS_LINE.test(head)) {
    const next = await chunks.next();
    if (next.done) break;
    read = read.length === 0 ? next.value : Buffer.concat([read, next.value]);
    head = Buffer.from(read.subarray(0, LOOKED_AT)).toString('latin1');
  }
  const all = async function* (): AsyncGenerator<Uint8Array> {
    if (read.length > 0) yield read;
    yield* chunks;
  };
  return { head, chunks: all() };
}

/** @throws CliError if a file does not begin as its format does, because every row would be rejected */
export function refuseOthers(head: string, { name, format }: { name: string; format: string }): void {
  if (isGzip(head)) throw unusable(`${name} is compressed twice with gzip; unpack it once: gzip -dc FILE`);
  const other = otherKind(head, format.toUpperCase());
  if (other !== undefined) throw unusable(`${name} is ${other}`);
  const text = head.replace(/^\xef\xbb\xbf/, '').trimStart();
  if (format === 'csv' && text.startsWith('{"')) throw unusable(`${name} looks like NDJSON, and not like CSV`);
  if (format !== 'ndjson') return;
  if (/^\{\s*[\r\n]/.test(text)) {
    throw unusable(`${name} is JSON of several lines, and each line has to be one value; jq -c . FILE writes it so`);
  }
  if (text.startsWith('[')) {
    throw unusable(`${name} is a JSON array, and each line has to be one value; jq -c '.[]' FILE writes it so`);
  }
  const [line = ''] = text.split(/[\r\n]/, 1);
  if (isHeader(line)) throw unusable(`${name} looks like CSV; give --format csv to read it as CSV`);
}

/** Tells whether a line is a CSV header. */
function isHeader(line: string): boolean {
  const cells = line.split(/[,;\t|]/);
  return cells.length > 1 && cells.every((cell) => /^\s*"?[a-z_][\w .:-]*"?\s*$/i.test(cell));
}
