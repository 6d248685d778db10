import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type FileSystem, listed } from './file-system.js';

/**
 * The file of a batch is a sequence of records. The head of each record has its own checksum, so that a reader can tell damage
 * from a write that a kill cut off, and can find the next good record after damage:
 *
 *     0  FF, which never occurs in UTF-8 text
 *     1  the kind: a message, or a note of which messages have ended
 *     2  two zeros
 *     4  of a message, its index in the file; of a note, the number of messages before it
 *     8  length of the body in bytes
 *    12  CRC-32 of the body
 *    16  checksum of the head
 *    20  the body: of a message, its JSON, or spaces after an erasure; of a note, ranges of ended messages: from, to, from, to …
 *
 * All numbers are little-endian.
 */
const MARK = 0xff;
const MESSAGE = 0x4d;
const NOTE = 0x45;
const HEAD_BYTES = 20;
export const SPACE = 0x20;
const NOTHING = Buffer.alloc(0);

/** Bytes of a file that may contain the text of a message, and the position of the first byte. */
export interface Piece {
  readonly bytes: Buffer;
  readonly at: number;
}

/** A message, with the bytes at its place in the file, which may be damaged. */
export interface JournaledMessage extends Piece {
  /** The index of the message in the file, from 0. */
  readonly index: number;
  /** The message as JSON; undefined if it cannot be read. */
  readonly json: Buffer | undefined;
}

/** The content of a batch's file. */
export interface BatchContent {
  /** The messages that have not ended. */
  readonly messages: readonly JournaledMessage[];
  /** The messages that have ended and were not erased. */
  readonly over: readonly JournaledMessage[];
  /** Damaged bytes that belong to no message, and a record that was cut off. */
  readonly rest: readonly Piece[];
  /** True when a note of ended messages cannot be read. */
  readonly hasDamagedNote: boolean;
  /** The number of messages in the file, and the position of the next record, which overwrites a write that was cut off. */
  readonly count: number;
  readonly end: number;
}

interface Record {
  readonly kind: number;
  readonly index: number;
  readonly at: number;
  readonly body: number;
  readonly end: number;
  readonly sum: number;
}

export const recordsBytes = (messages: number, messageBytes: number): number => messages * HEAD_BYTES + messageBytes;

/**
 * Writes messages as records to the start of `target`, which has room for them. Returns the number of bytes written.
 *
 * @param bytes the messages as a batch holds them, with a comma between each two
 */
export function writeMessages(target: Buffer, first: number, bytes: Uint8Array, lengths: readonly number[]): number {
  let [at, from, index] = [0, 0, first];
  for (const length of lengths) {
    const body = bytes.subarray(from, from + length);
    writeHead(target, at, MESSAGE, index++, body);
    target.set(body, at + HEAD_BYTES);
    at += HEAD_BYTES + length;
    from += length + 1;
  }
  return at;
}

/**
 * Returns a record that says which messages have ended.
 *
 * @param count the number of messages before the record
 * @param ended their indexes
 */
export function noteOf(count: number, ended: readonly number[]): Buffer {
  const ranges: number[] = [];
  for (const index of ended) {
    if (ranges.at(-1) === index) ranges.pop();
    else ranges.push(index);
    ranges.push(index + 1);
  }
  const note = Buffer.alloc(HEAD_BYTES + ranges.length * 4);
  for (const [at, index] of ranges.entries()) note.writeUInt32LE(index, HEAD_BYTES + at * 4);
  writeHead(note, 0, NOTE, count, note.subarray(HEAD_BYTES));
  return note;
}

function writeHead(target: Buffer, at: number, kind: number, index: number, body: Uint8Array): void {
  target.writeUInt32LE(MARK + kind * 2 ** 8, at);
  target.writeUInt32LE(index, at + 4);
  target.writeUInt32LE(body.length, at + 8);
  target.writeUInt32LE(crc32(body), at + 12);
  target.writeUInt32LE(sumOf(target, at), at + 16);
}

/** Computes the checksum of a head. For 16 bytes this is faster than `crc32`. Changing any one number changes the sum. */
function sumOf(bytes: Buffer, at: number): number {
  let sum = 0x9e3779b9;
  for (let offset = 0; offset < 16; offset += 4) {
    sum = Math.imul(sum ^ bytes.readUInt32LE(at + offset), 0x85ebca6b);
    sum ^= sum >>> 15;
  }
  return sum >>> 0;
}

/** Reads the content of a batch's file. */
export function contentOf(bytes: Buffer): BatchContent {
  const reading = new BatchReading(bytes);
  let at = 0;
  for (let record = nextRecord(bytes, 0, 0); record !== undefined; record = nextRecord(bytes, at, reading.count)) {
    reading.pass(at, record);
    reading.read(record);
    at = record.end;
  }
  reading.passEnd(at);
  return reading;
}

class BatchReading implements BatchContent {
  hasDamagedNote = false;
  count = 0;
  end = 0;
  readonly rest: Piece[] = [];
  readonly #bytes: Buffer;
  readonly #found: JournaledMessage[] = [];
  readonly #ended = new Set<number>();

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get messages(): readonly JournaledMessage[] {
    return this.#ended.size === 0 ? this.#found : this.#found.filter(({ index }) => !this.#ended.has(index));
  }

  get over(): readonly JournaledMessage[] {
    return this.#found.filter(({ index }) => this.#ended.has(index));
  }

  /** Notes the bytes between the previous record and this one, which belong to no record. */
  pass(from: number, { at, index }: Record): void {
    if (index > this.count) this.#miss(index, from, at);
    else if (this.#keepRest(from, at)) this.hasDamagedNote = true;
  }

  read({ kind, index, at, body, end, sum }: Record): void {
    const text = this.#bytes.subarray(body, end);
    const isWhole = end <= this.#bytes.length;
    const isIntact = isWhole && crc32(text) === sum;
    if (isWhole) this.end = end;
    else this.#keepRest(at, this.#bytes.length);
    if (kind === NOTE) {
      // A note that was cut off counts for nothing.
      if (isIntact) noteEnded(text, this.#ended);
      else this.hasDamagedNote ||= isWhole;
      return;
    }
    if (!isWhole) return;
    if (isBlank(text)) this.#ended.add(index);
    else this.#found.push({ index, json: isIntact ? text : undefined, bytes: text, at: body });
    this.count = index + 1;
  }

  /** Notes the bytes after the last record. */
  passEnd(at: number): void {
    const { length } = this.#bytes;
    if (at >= length) return;
    if (isCutOff(this.#bytes, at)) {
      this.#keepRest(at, length);
      return;
    }
    // The number of messages in these bytes is unknown. At least one was there.
    if (!isBlank(this.#bytes.subarray(at))) this.#miss(this.count + 1, at, length);
    this.end = length;
  }

  /** Notes bytes that belong to no message. Returns false if there are none, or they were erased. */
  #keepRest(at: number, end: number): boolean {
    const bytes = this.#bytes.subarray(at, end);
    if (bytes.length === 0 || isBlank(bytes)) return false;
    this.rest.push({ bytes, at });
    return true;
  }

  /** Marks the messages before a position as damaged, and gives the damaged bytes to the first of them. */
  #miss(to: number, at: number, end: number): void {
    let rest = this.#bytes.subarray(at, end);
    const isErased = isBlank(rest);
    for (; this.count < to; this.count++) {
      if (isErased) this.#ended.add(this.count);
      else this.#found.push({ index: this.count, json: undefined, at, bytes: rest });
      rest = NOTHING;
    }
  }
}

/** Finds the first record at or after a position. @param least the lowest index that the record can have */
function nextRecord(bytes: Buffer, from: number, least: number): Record | undefined {
  for (let at = from; at !== -1 && at + HEAD_BYTES <= bytes.length; at = bytes.indexOf(MARK, at + 1)) {
    const kind = bytes[at + 1];
    if (bytes[at] !== MARK || (kind !== MESSAGE && kind !== NOTE)) continue;
    const index = bytes.readUInt32LE(at + 4);
    if (index < least || sumOf(bytes, at) !== bytes.readUInt32LE(at + 16)) continue;
    const body = at + HEAD_BYTES;
    return { kind, index, at, body, end: body + bytes.readUInt32LE(at + 8), sum: bytes.readUInt32LE(at + 12) };
  }
  return undefined;
}

/** Tells whether the bytes after the last record are the beginning of a head. A kill leaves such bytes, a failing disk others. */
function isCutOff(bytes: Buffer, at: number): boolean {
  const [mark, kind = MESSAGE] = bytes.subarray(at);
  return mark === MARK && bytes.length - at < HEAD_BYTES && (kind === MESSAGE || kind === NOTE);
}

function noteEnded(places: Buffer, ended: Set<number>): void {
  for (let at = 0; at < places.length; at += 8) {
    const to = places.readUInt32LE(at + 4);
    for (let index = places.readUInt32LE(at); index < to; index++) ended.add(index);
  }
}

/** Tells whether these bytes were erased. No message begins with a space. */
export const isBlank = (bytes: Uint8Array): boolean => bytes[0] === SPACE && bytes.every((byte) => byte === SPACE);

const NAME = /^(\d{6,})\.batch$/;

export const batchPath = (folder: string, number: number): string =>
  join(folder, `${String(number).padStart(6, '0')}.batch`);

/** Lists the batch files of a folder, which are numbered in the order in which they were made. @throws the system's error */
export function batchFilesIn(fs: FileSystem, folder: string): { path: string; number: number }[] {
  const found = listed(fs, folder, 'files').flatMap((name) => {
    const [, number] = NAME.exec(name) ?? [];
    return number === undefined ? [] : [{ path: join(folder, name), number: Number(number) }];
  });
  return found.sort((a, b) => a.number - b.number);
}
