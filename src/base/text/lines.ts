/** One line of a file, without its line ending. */
export interface TextLine {
  /** The number of the line, from 1. */
  readonly number: number;
  /** Undefined if the line is longer than allowed. */
  readonly bytes: Uint8Array | undefined;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Cuts chunks of bytes into lines at CR, LF and CRLF, and yields the lines that end in each chunk. Holds at most one chunk and one
 * line of the greatest length.
 *
 * @param maxBytes the greatest length of a line
 */
export async function* linesIn(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<TextLine[]> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let number = 1;
  // If a chunk ends with a carriage return, a line feed at the start of the next chunk belongs to it.
  let endedInReturn = false;
  const hold = (bytes: Uint8Array): void => {
    heldBytes += bytes.length;
    if (heldBytes <= maxBytes) held.push(bytes);
    else held = [];
  };
  const cut = (): TextLine => {
    const [first, ...others] = held;
    const bytes = first === undefined || others.length > 0 ? Buffer.concat(held) : first;
    const isTooLong = heldBytes > maxBytes;
    held = [];
    heldBytes = 0;
    return { number: number++, bytes: isTooLong ? undefined : bytes };
  };
  for await (const chunk of chunks) {
    const lines: TextLine[] = [];
    let from = endedInReturn && chunk[0] === LINE_FEED ? 1 : 0;
    if (chunk.length > 0) endedInReturn = chunk.at(-1) === CARRIAGE_RETURN;
    for (const [at, next] of lineEnds(chunk, from)) {
      hold(chunk.subarray(from, at));
      lines.push(cut());
      from = next;
    }
    // The rest is copied, so that one short line does not keep the whole chunk in memory.
    if (from < chunk.length) hold(chunk.slice(from));
    yield lines;
  }
  // The last line does not need a line ending.
  if (heldBytes > 0) yield [cut()];
}

/** Yields the position of each line ending and of the line after it. Each byte is examined once for either character. */
function* lineEnds(chunk: Uint8Array, from: number): Generator<readonly [at: number, next: number]> {
  // If the byte is not found, -1 wraps around to a position after the last byte.
  const find = (byte: number, start: number): number => chunk.indexOf(byte, start) >>> 0;
  let [feed, back] = [find(LINE_FEED, from), find(CARRIAGE_RETURN, from)];
  for (let at = Math.min(feed, back); at < chunk.length; at = Math.min(feed, back)) {
    const next = at === back && feed === at + 1 ? at + 2 : at + 1;
    yield [at, next];
    if (feed < next) feed = find(LINE_FEED, next);
    if (back < next) back = find(CARRIAGE_RETURN, next);
  }
}
