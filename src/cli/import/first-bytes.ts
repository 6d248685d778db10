import { CliError, unusable } from '../cli-error.js';

/** The most bytes at the beginning of a file that are looked at. */
const LOOKED_AT = 4_096;

/** The first line that is not blank, or all that is looked at. */
const HAS_LINE = /\S.{3,}?[\r\n]/s;

export interface Begun {
  /** The beginning, with each byte as one character. */
  readonly head: string;
  /** All chunks. The first one holds the whole beginning. */
  readonly chunks: AsyncGenerator<Uint8Array>;
}

/** Reads the chunks up to their first line, which a pipe may give in pieces. */
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

// RFC 1952, 2.3.1: the first two bytes of any gzip file, whatever its name.
export const isGzip = (head: string): boolean => head.startsWith('\x1f\x8b');

type Other = readonly [beginning: RegExp | string, what: string, advice: string];

/** The files that are taken for text by mistake, each with what it is and how to convert it. */
const OTHERS: readonly Other[] = [
  [/^PK[^ -~]{2}.*(?:\[Content_Types\]|docProps|xl\/|opendocument)/s, 'a spreadsheet', 'save it as "CSV UTF-8"'],
  ['PK\x03\x04', 'a zip archive', 'unpack it: unzip -p FILE'],
  ['\xd0\xcf\x11\xe0', 'an Excel file', 'save it as "CSV UTF-8"'],
  ['\x1f\x8b', 'compressed twice with gzip', 'unpack it once: gzip -dc FILE'],
  [/^(?:BZh[1-9]1AY&SY|\xfd7zXZ|\x28\xb5\x2f\xfd|7z\xbc\xaf|.{257}ustar)/s, 'compressed, or an archive', 'unpack it'],
  [/^(?:PAR1|Obj|ORC|SQLite format 3)[^ -~\t\r\n]/, 'a database or columnar file', 'export it as NDJSON or CSV'],
  ['%PDF-', 'a PDF document', 'export the data itself, as NDJSON or CSV'],
  [/^(?:\xef\xbb\xbf)?\s*<(?:!--|(?:!doctype html|html|head|body)\b)/i, 'an HTML page', 'download the data behind it'],
  [/^(?:\xef\xbb\xbf)?\s*<\?xml/i, 'XML', 'export it as NDJSON or CSV'],
  [/^(?:\xff\xfe\0\0|\0\0\xfe\xff)/, 'text in UTF-32', 'convert it: iconv -f UTF-32 -t UTF-8 FILE'],
  ['\xff\xfe', 'text in UTF-16', 'convert it: iconv -f UTF-16 -t UTF-8 FILE'],
  ['\xfe\xff', 'text in UTF-16', 'convert it: iconv -f UTF-16 -t UTF-8 FILE'],
  // Without a byte order mark, every other byte of most texts is zero.
  [/^(?:[^\0]\0){2}/, 'text in UTF-16', 'convert it: iconv -f UTF-16LE -t UTF-8 FILE'],
  [/^(?:\0[^\0]){2}/, 'text in UTF-16', 'convert it: iconv -f UTF-16BE -t UTF-8 FILE'],
  [/^.{0,62}\0\0/s, 'binary data', 'export it as NDJSON or CSV'],
];

/** @throws CliError if a file begins as another kind than its format, because every row would be rejected */
export function refuseOthers(head: string, { name, format }: { name: string; format: string }): void {
  const [, what, advice] = OTHERS.find(([other]) => beginsAs(other, head)) ?? [];
  if (what !== undefined) throw unusable(`${name} is ${what}, and not ${format.toUpperCase()} in UTF-8; ${advice}`);
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
  if (isHeader(line)) throw new CliError(`${name} looks like CSV; give --format csv to read it as CSV`);
}

const beginsAs = (other: RegExp | string, head: string): boolean =>
  typeof other === 'string' ? head.startsWith(other) : other.test(head);

/** Tells whether a line names columns. JSON has braces, or quotes with only text between them. */
function isHeader(line: string): boolean {
  const cells = line.split(/[,;\t|]/);
  return cells.length > 1 && cells.every((cell) => /^\s*"?[a-z_][\w .:-]*"?\s*$/i.test(cell));
}
