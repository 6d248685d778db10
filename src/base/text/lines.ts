/** One line of a file, without its end. */
export interface Line {
  /** The number of the line, from 1. */
  readonly number: number;
  /** The byte at which it begins. */
  readonly start: number;
  /** Undefined when the line is longer than allowed. */
  readonly bytes: Uint8Array | undefined;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Cuts chunks of bytes into lines, and holds no more than one chunk and the longest line allowed. */
export class LineSplitter {
  readonly #maxBytes: number;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #number: number;
  #start: number;

  /** Begins at `start` bytes into a file, which is the beginning of the line `number`. */
  constructor({ maxBytes, number = 1, start = 0 }: { maxBytes: number; number?: number; start?: number }) {
    this.#maxBytes = maxBytes;
    this.#number = number;
    this.#start = start;
  }

  /** Returns the lines that end in this chunk. */
  push(chunk: Uint8Array): Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
      this.#hold(chunk.subarray(from, at));
      lines.push(this.#cut(1));
      from = at + 1;
    }
    // Copied, so that one short line does not keep the whole chunk.
    if (from < chunk.length) this.#hold(chunk.slice(from));
    return lines;
  }

  /** Returns the last line, if the file does not end with a line feed. */
  end(): Line[] {
    return this.#heldBytes === 0 ? [] : [this.#cut(0)];
  }

  #hold(bytes: Uint8Array): void {
    this.#heldBytes += bytes.length;
    if (this.#heldBytes <= this.#maxBytes) this.#held.push(bytes);
    else this.#held = [];
  }

  #cut(separatorBytes: number): Line {
    const [first, ...others] = this.#held;
    const isTooLong = this.#heldBytes > this.#maxBytes;
    const bytes = first === undefined || others.length > 0 ? Buffer.concat(this.#held) : first;
    const [number, start] = [this.#number, this.#start];
    this.#start += this.#heldBytes + separatorBytes;
    this.#held = [];
    this.#heldBytes = 0;
    this.#number++;
    return { number, start, bytes: isTooLong ? undefined : withoutCarriageReturn(bytes) };
  }
}

const withoutCarriageReturn = (bytes: Uint8Array): Uint8Array =>
  bytes.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes;
