/** One line of a file, without its line ending. */
export interface TextLine {
  /** The number of the line, from 1. */
  readonly number: number;
  /** Undefined if the line is longer than allowed. */
  readonly bytes: Uint8Array | undefined;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Cuts chunks of bytes into lines at CR, LF and CRLF. Holds at most one chunk and one line of the greatest length. */
export class LineSplitter {
  readonly #maxBytes: number;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #number = 1;
  /** True if the last chunk ended with a carriage return: a line feed at the start of the next chunk then belongs to it. */
  #endedInReturn = false;

  /** @param maxBytes the greatest length of a line */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the lines that end in this chunk. */
  push(chunk: Uint8Array): TextLine[] {
    const lines: TextLine[] = [];
    let from = this.#endedInReturn && chunk[0] === LINE_FEED ? 1 : 0;
    if (chunk.length > 0) this.#endedInReturn = chunk.at(-1) === CARRIAGE_RETURN;
    for (const [at, next] of lineEnds(chunk, from)) {
      this.#hold(chunk.subarray(from, at));
      lines.push(this.#cut());
      from = next;
    }
    // The rest is copied, so that one short line does not keep the whole chunk in memory.
    if (from < chunk.length) this.#hold(chunk.slice(from));
    return lines;
  }

  /** Returns the last line if the file does not end with a line ending. */
  end(): TextLine[] {
    return this.#heldBytes === 0 ? [] : [this.#cut()];
  }

  #hold(bytes: Uint8Array): void {
    this.#heldBytes += bytes.length;
    if (this.#heldBytes <= this.#maxBytes) this.#held.push(bytes);
    else this.#held = [];
  }

  #cut(): TextLine {
    const [first, ...others] = this.#held;
    const isTooLong = this.#heldBytes > this.#maxBytes;
    const bytes = first === undefined || others.length > 0 ? Buffer.concat(this.#held) : first;
    this.#held = [];
    this.#heldBytes = 0;
    return { number: this.#number++, bytes: isTooLong ? undefined : bytes };
  }
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
