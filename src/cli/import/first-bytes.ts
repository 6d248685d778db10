import { otherKind } from '../../base/text/file-text.js';
import { unusable } from '../cli-error.js';

type Mistaken = readonly [beginning: RegExp, advice: string];

/** How a file of another format begins, and what the error says, by the format as which the file is read. */
const MISTAKEN: Readonly<Record<string, Mistaken>> = {
  ndjson: [
    // An array, an object of several lines, or the names of columns.
    /^(?:\[|\{\s*[\r\n]|(?: *"?[a-z_][\w .:-]*"? *[,;\t|])+ *"?[a-z_][\w .:-]*"? *(?:[\r\n]|$))/i,
    "one JSON object per line, as jq -c . or jq -c '.[]' writes it; give --format csv to read CSV",
  ],
  csv: [/^\{"/, 'a line with the names of columns; give --format ndjson to read JSON'],
};

/** @throws CliError if a file does not begin as its format does, because every row would be rejected */
export function refuseOthers(head: string, { name, format }: { name: string; format: string }): void {
  const other = otherKind(head, format.toUpperCase());
  if (other !== undefined) throw unusable(`${name} is ${other}`);
  const [beginning, expected] = MISTAKEN[format] ?? [];
  if (!beginning?.test(head.replace(/^\xef\xbb\xbf/, '').trimStart())) return;
  throw unusable(`${name} does not begin as ${format.toUpperCase()} does: expected ${expected}`);
}
