import { constants } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { bytesIn, type FileSystem, writeAll } from './file-system.js';
import { type SequenceRange, SequenceSet } from './sequence-set.js';

/**
 * These two files note which messages of a journal have ended. They are written in turn, so that a write that is cut off leaves the one
 * before it:
 *
 *     0  CRC-32 of the rest
 *     4  how many ranges
 *     8  number of the write, as a double
 *    16  every sequence number below this has ended, as a double
 *    24  every sequence number below this was written to a segment or has ended, as a double: a reader knows by it what is missing
 *    32  the ranges above the first: from, to, as doubles
 */
const HEADER_BYTES = 32;
const RANGE_BYTES = 16;

export const ENDED_NAMES = ['ended-0', 'ended-1'] as const;

/** The messages of a folder that have ended, and the last one that was written. */
export interface Ended {
  readonly sequences: SequenceSet;
  readonly reached: number;
}

export class EndedFile {
  readonly #fs: FileSystem;
  readonly #folder: string;
  readonly #handles: (number | undefined)[] = [];
  #bytes = Buffer.alloc(0);
  #writes: number;

  /** @throws the system's error */
  constructor(fs: FileSystem, folder: string) {
    this.#fs = fs;
    this.#folder = folder;
    this.#writes = newestNote(fs, folder)?.writes ?? 0;
  }

  /** Undefined when there is none that can be read. @throws the system's error */
  static read(fs: FileSystem, folder: string): Ended | undefined {
    return newestNote(fs, folder)?.ended;
  }

  /** @throws the system's error; the note before it is still good */
  write({ sequences: { low, ranges }, reached }: Ended): void {
    const writes = this.#writes + 1;
    const length = HEADER_BYTES + ranges.length * RANGE_BYTES;
    if (this.#bytes.length < length) this.#bytes = Buffer.alloc(length * 2);
    const note = this.#bytes.subarray(0, length);
    note.writeUInt32LE(ranges.length, 4);
    note.writeDoubleLE(writes, 8);
    note.writeDoubleLE(low, 16);
    note.writeDoubleLE(reached, 24);
    ranges.forEach(([from, to], index) => {
      note.writeDoubleLE(from, HEADER_BYTES + index * RANGE_BYTES);
      note.writeDoubleLE(to, HEADER_BYTES + index * RANGE_BYTES + 8);
    });
    note.writeUInt32LE(crc32(note.subarray(4)), 0);
    writeAll(this.#fs, this.#handleOf(writes % 2), note, length, 0);
    // After a failure the same file is written again: the other one is the only good note.
    this.#writes = writes;
  }

  /** True once a file that it has open is in no folder any more. */
  get isDeleted(): boolean {
    return this.#handles.some((handle) => handle !== undefined && this.#fs.fstatSync(handle).nlink === 0);
  }

  /** A later write opens its file again. */
  close(): void {
    for (const handle of this.#handles.splice(0)) if (handle !== undefined) this.#fs.closeSync(handle);
  }

  #handleOf(index: number): number {
    const known = this.#handles[index];
    if (known !== undefined) return known;
    // Neither `r+` nor `a+` both makes a file and writes where it is told to.
    const flags = constants.O_RDWR | constants.O_CREAT;
    const handle = this.#fs.openSync(join(this.#folder, ENDED_NAMES[index] ?? ENDED_NAMES[0]), flags, 0o600);
    this.#handles[index] = handle;
    return handle;
  }
}

interface Note {
  readonly writes: number;
  readonly ended: Ended;
}

/** @throws the system's error */
function newestNote(fs: FileSystem, folder: string): Note | undefined {
  const notes = ENDED_NAMES.map((name) => noteIn(bytesIn(fs, join(folder, name))));
  return notes.filter((note) => note !== undefined).sort((a, b) => b.writes - a.writes)[0];
}

/** The notes of a folder that cannot be read, or are missing. A client has written both before its first message. @throws the system's error */
export function damagedNotesIn(fs: FileSystem, folder: string): string[] {
  const files = ENDED_NAMES.map((name) => join(folder, name));
  return files.filter((file) => noteIn(bytesIn(fs, file)) === undefined);
}

function noteIn(bytes: Buffer): Note | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const count = bytes.readUInt32LE(4);
  const end = HEADER_BYTES + count * RANGE_BYTES;
  if (bytes.length < end || crc32(bytes.subarray(4, end)) !== bytes.readUInt32LE(0)) return undefined;
  const start = (index: number): number => HEADER_BYTES + index * RANGE_BYTES;
  const ranges = Array.from(
    { length: count },
    (_, index): SequenceRange => [bytes.readDoubleLE(start(index)), bytes.readDoubleLE(start(index) + 8)],
  );
  const sequences = new SequenceSet(bytes.readDoubleLE(16), ranges);
  return { writes: bytes.readDoubleLE(8), ended: { sequences, reached: bytes.readDoubleLE(24) } };
}
