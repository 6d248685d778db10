import { decodeUtf8 } from './decode.js';

/** The text of a file, or the reason why it has none. */
export type FileText =
  | { readonly text: string; readonly problem?: undefined }
  | { readonly text?: undefined; readonly problem: string };

/** The most bytes at the beginning of a file that are examined. */
export const LOOKED_AT = 4_096;

// Source: RFC 1952, 2.3.1. Every gzip file starts with these two bytes, whatever its name.
const GZIP = '\x1f\x8b';

type Other = readonly [beginning: RegExp | string, what: string, advice: string];

/** Kinds of files that are mistaken for text, each with a description and how to convert it. */
const OTHERS: readonly Other[] = [
  [/^PK[^ -~]{2}.*(?:\[Content_Types\]|docProps|xl\/|opendocument)/s, 'a spreadsheet', 'save it as "CSV UTF-8"'],
  ['PK\x03\x04', 'a zip archive', 'unpack it: unzip -p FILE'],
  ['\xd0\xcf\x11\xe0', 'an Excel file', 'save it as "CSV UTF-8"'],
  [GZIP, 'compressed with gzip', 'unpack it: gzip -dc FILE'],
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

/**
 * Returns the text in the bytes of a whole file, without its byte order mark. A problem is worded so that it follows `FILE is`.
 *
 * @param expected the format, such as JSON
 */
export function textIn(bytes: Uint8Array, expected: string): FileText {
  const other = otherKind(Buffer.from(bytes.subarray(0, LOOKED_AT)).toString('latin1'), expected);
  if (other !== undefined) return { problem: other };
  const text = decodeUtf8(bytes);
  return text === undefined ? { problem: 'not UTF-8 text' } : { text };
}

/** Describes a file and how to convert it, if its beginning is not UTF-8 text. Each character of `head` is one byte. */
export function otherKind(head: string, expected: string): string | undefined {
  const [, what, advice] = OTHERS.find(([other]) => beginsAs(other, head)) ?? [];
  return what && `${what}, and not ${expected} in UTF-8; ${advice}`;
}

export const isGzip = (head: string): boolean => head.startsWith(GZIP);

const beginsAs = (other: RegExp | string, head: string): boolean =>
  typeof other === 'string' ? head.startsWith(other) : other.test(head);
