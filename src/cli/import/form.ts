import { CliError, unusable } from '../cli-error.js';

/** The number of bytes at the beginning of a file that are checked. */
const LOOKED_AT = 4_096;

/**
 * Passes the chunks of an NDJSON file on.
 *
 * @throws CliError before the first chunk if the file begins as a JSON array or as CSV, because every line would be
 *   rejected
 */
export async function* checkForm(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst && chunk.length > 0) {
      refuseOtherForms(new TextDecoder().decode(chunk.subarray(0, LOOKED_AT)).trimStart(), name);
      isFirst = false;
    }
    yield chunk;
  }
}

function refuseOtherForms(text: string, name: string): void {
  if (text.startsWith('[')) {
    throw unusable(`${name} is a JSON array, and each line has to be one message; jq -c '.[]' FILE writes it so`);
  }
  const [line = ''] = text.split(/\r?\n/, 1);
  if (isHeader(line)) throw new CliError(`${name} looks like CSV; give --format csv to read it as CSV`);
}

/** Tells whether a line names columns. JSON has braces, or quotes with only text between them. */
function isHeader(line: string): boolean {
  const cells = line.split(/[,;\t|]/);
  return cells.length > 1 && cells.every((cell) => /^\s*"?[a-z_][\w .:-]*"?\s*$/i.test(cell));
}
