import { constants } from 'node:fs';
import { type FileSystem, writeAll } from './file-system.js';
import { encodeHead, HEAD_BYTES } from './segment-file.js';
import type { SequenceSet } from './sequence-set.js';

/** A record of a segment: its messages, and where it lies. */
export interface RecordPlace {
  readonly sequence: number;
  /** At most that of the next record: what is between has ended. */
  readonly next: number;
  readonly from: number;
  readonly to: number;
}

/** Bytes of a file. */
export interface Region {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

/** A file of a client's log while the client lives: which records are where in it, and how much of it is on the disk for certain. */
export class Segment {
  readonly number: number;
  readonly path: string;
  /** The sequence number of its first message, and that after its last. */
  first: number;
  next: number;
  /** The place of the next record, and the place up to which all is on the disk for certain. */
  end = HEAD_BYTES;
  flushedEnd = HEAD_BYTES;
  /** A write or a flush of it has failed: nothing is written to it any more. */
  isSealed = false;
  /** A flush of it has failed: what was not flushed before has to be written elsewhere. */
  isBroken = false;
  readonly #fs: FileSystem;
  /** Undefined once it is full and flushed: it is only read from then on. */
  #handle: number | undefined;
  /** The two lists hold the numbers of each record, because objects for so many would take more memory. */
  #sequences: number[] = [];
  #starts: number[] = [];

  constructor(fs: FileSystem, path: string, number: number, first: number) {
    this.#fs = fs;
    this.path = path;
    this.number = number;
    this.first = first;
    this.next = first;
  }

  get isOpen(): boolean {
    return this.#handle !== undefined;
  }

  get isDeleted(): boolean {
    return this.#handle !== undefined && this.#fs.fstatSync(this.#handle).nlink === 0;
  }

  /** Writes its head. @param path where it is until it gets its own name. @throws the system's error; then it is closed */
  open(path = this.path): void {
    this.#handle = this.#fs.openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      writeAll(this.#fs, this.#handle, encodeHead(this.number, this.first), HEAD_BYTES, 0);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Hands a record to the operating system. @throws the system's error; then nothing was appended, and it is sealed */
  append(record: Buffer, length: number, sequence: number, next: number): void {
    this.#write(record, length);
    this.#note(sequence, next, length);
  }

  /** Copies records of others behind its own. @throws the system's error */
  copy(from: Segment, records: readonly RecordPlace[]): void {
    if (records.length === 0) return;
    const bytes = this.#fs.readFileSync(from.path);
    if (bytes.length < from.end) throw new Error(`${from.path} has ${bytes.length} bytes, expected ${from.end}`);
    const copied = Buffer.concat(records.map(({ from: at, to }) => bytes.subarray(at, to)));
    this.#write(copied, copied.length);
    for (const { sequence, next, from: at, to } of records) this.#note(sequence, next, to - at);
  }

  /** All its records have ended, so the next one is written at its start. @throws the system's error */
  restart(): void {
    writeAll(this.#fs, this.#opened, encodeHead(this.number, this.next), HEAD_BYTES, 0);
    this.first = this.next;
    this.flushedEnd = HEAD_BYTES;
    this.#forgetFrom(HEAD_BYTES);
  }

  /** Resolves when all that was written before is on the disk; says up to where that is. @throws the system's error */
  flush(): Promise<number> {
    const { end } = this;
    return new Promise((resolve, reject) =>
      this.#fs.fdatasync(this.#opened, (error) => (error ? reject(error) : resolve(end))),
    );
  }

  /** The same, at once. @throws the system's error */
  flushNow(): void {
    this.#fs.fdatasyncSync(this.#opened);
    this.flushedEnd = this.end;
  }

  /** Records that were not flushed are in another segment now. */
  forgetUnflushed(): void {
    this.next = this.places().find(({ from }) => from >= this.flushedEnd)?.sequence ?? this.next;
    this.#forgetFrom(this.flushedEnd);
  }

  /** Its records, in order. */
  places(): RecordPlace[] {
    return this.#sequences.map((sequence, index) => ({
      sequence,
      next: this.#sequences[index + 1] ?? this.next,
      from: this.#starts[index] ?? this.end,
      to: this.#starts[index + 1] ?? this.end,
    }));
  }

  /** The records with a message that has not ended. */
  placesWithout(ended: SequenceSet): RecordPlace[] {
    return this.places().filter(({ sequence, next }) => !ended.covers(sequence, next));
  }

  /** Finds the records that hold messages from `first` up to, and without, `next`. */
  regionOf(first: number, next: number): Region {
    const from = Math.max(0, this.#indexOf(first + 1) - 1);
    const start = (index: number): number => this.#starts[index] ?? this.end;
    return { path: this.path, from: start(from), to: start(this.#indexOf(next)) };
  }

  close(): void {
    if (this.#handle !== undefined) this.#fs.closeSync(this.#handle);
    this.#handle = undefined;
  }

  get #opened(): number {
    if (this.#handle === undefined) throw new Error(`${this.path} is closed`);
    return this.#handle;
  }

  #write(bytes: Buffer, length: number): void {
    try {
      writeAll(this.#fs, this.#opened, bytes, length, this.end);
    } catch (error) {
      this.isSealed = true;
      this.#cutBack();
      throw error;
    }
  }

  /** Removes the part of a record. Not relied upon: a disk that copies what it changes needs room for this too. */
  #cutBack(): void {
    try {
      this.#fs.ftruncateSync(this.#opened, this.end);
    } catch {
      // The head of the next segment says which messages count there, and not here.
    }
  }

  #note(sequence: number, next: number, bytes: number): void {
    this.#sequences.push(sequence);
    this.#starts.push(this.end);
    this.end += bytes;
    this.next = next;
  }

  #forgetFrom(end: number): void {
    const count = this.#starts.filter((start) => start < end).length;
    this.#sequences.length = count;
    this.#starts.length = count;
    this.end = end;
  }

  /** The index of the first record with this sequence number, or a higher one. */
  #indexOf(sequence: number): number {
    let [low, high] = [0, this.#sequences.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sequences[middle] ?? 0) < sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
