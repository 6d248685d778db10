import { crc32 } from 'node:zlib';

/**
 * One write into a journal: messages that follow one another, each with its checksum, so that damage to one leaves its neighbours
 * readable.
 *
 *     0  magic: FF, which no UTF-8 text holds, and "EFJ"
 *     4  CRC-32 of the rest of the header and of the table
 *     8  sequence number of the first message, as a double
 *    16  how many messages
 *    20  bytes of the messages, with a comma between each two
 *    24  the table: for each message its bytes and their CRC-32
 *     …  the messages
 *     …  the header's CRC-32 again: a record without it at its end was cut off while it was written
 *
 * All numbers are little-endian.
 */
const MAGIC = Buffer.from([0xff, 0x45, 0x46, 0x4a]);
const HEADER_BYTES = 24;
const ENTRY_BYTES = 8;
const END_BYTES = 4;
const COMMA_BYTES = 1;

/** Messages as they lie in a batch: one behind the other, with a comma between each two. */
export interface MessageRun {
  readonly bytes: Buffer;
  /** Of each message, in bytes. */
  readonly lengths: readonly number[];
}

export interface RecordHeader {
  /** Where in the buffer the record begins. */
  readonly at: number;
  /** Of the first message. */
  readonly sequence: number;
  readonly count: number;
  /** Of the whole record. */
  readonly bytes: number;
}

export interface StoredMessage {
  readonly sequence: number;
  /** The message as JSON; undefined when its checksum does not match. */
  readonly json: Buffer | undefined;
  /** The bytes in its place, be they the message or not. */
  readonly bytes: Buffer;
}

export const recordBytes = (count: number, messageBytes: number): number =>
  HEADER_BYTES + count * ENTRY_BYTES + messageBytes + END_BYTES;

/** Writes a record to the start of `target`, which has room for `recordBytes`; returns the bytes it takes. */
export function writeRecord(target: Buffer, sequence: number, { bytes, lengths }: MessageRun): number {
  const body = HEADER_BYTES + lengths.length * ENTRY_BYTES;
  MAGIC.copy(target);
  target.writeDoubleLE(sequence, 8);
  target.writeUInt32LE(lengths.length, 16);
  target.writeUInt32LE(bytes.length, 20);
  let entry = HEADER_BYTES;
  let start = 0;
  for (const length of lengths) {
    target.writeUInt32LE(length, entry);
    target.writeUInt32LE(crc32(bytes.subarray(start, start + length)), entry + 4);
    entry += ENTRY_BYTES;
    start += length + COMMA_BYTES;
  }
  const checksum = crc32(target.subarray(8, body));
  target.writeUInt32LE(checksum, 4);
  bytes.copy(target, body);
  return target.writeUInt32LE(checksum, body + bytes.length);
}

/**
 * The records of a file from `at` on, in order. Passes over all other bytes: the rest of a write that was cut off, damage, and
 * records of an earlier use of the file, whose numbers are below `leastSequence`.
 */
export function* recordsIn(buffer: Buffer, at: number, leastSequence: number): Generator<RecordHeader> {
  let least = leastSequence;
  for (let start = buffer.indexOf(MAGIC, at); start !== -1; ) {
    const header = headerAt(buffer, start, least);
    if (header !== undefined) {
      least = header.sequence + header.count;
      yield header;
    }
    start = buffer.indexOf(MAGIC, header === undefined ? start + 1 : start + header.bytes);
  }
}

/** The bytes of one message of a record. */
export const lengthOf = (buffer: Buffer, { at }: RecordHeader, index: number): number =>
  buffer.readUInt32LE(at + HEADER_BYTES + index * ENTRY_BYTES);

/** Whether a record was written to its end. */
export function isWhole(buffer: Buffer, { at, bytes }: RecordHeader): boolean {
  const end = at + bytes;
  return end <= buffer.length && buffer.readUInt32LE(end - END_BYTES) === buffer.readUInt32LE(at + 4);
}

export function* messagesOf(buffer: Buffer, { at, sequence, count }: RecordHeader): Generator<StoredMessage> {
  let start = at + HEADER_BYTES + count * ENTRY_BYTES;
  for (let index = 0; index < count; index++) {
    const entry = at + HEADER_BYTES + index * ENTRY_BYTES;
    const end = start + buffer.readUInt32LE(entry);
    const bytes = buffer.subarray(start, end);
    const isIntact = end <= buffer.length && crc32(bytes) === buffer.readUInt32LE(entry + 4);
    yield { sequence: sequence + index, json: isIntact ? bytes : undefined, bytes };
    start = end + COMMA_BYTES;
  }
}

function headerAt(buffer: Buffer, at: number, leastSequence: number): RecordHeader | undefined {
  if (at + HEADER_BYTES > buffer.length) return undefined;
  const sequence = buffer.readDoubleLE(at + 8);
  if (!Number.isSafeInteger(sequence) || sequence < leastSequence) return undefined;
  const count = buffer.readUInt32LE(at + 16);
  const body = at + HEADER_BYTES + count * ENTRY_BYTES;
  if (count === 0 || body > buffer.length) return undefined;
  if (crc32(buffer.subarray(at + 8, body)) !== buffer.readUInt32LE(at + 4)) return undefined;
  return { at, sequence, count, bytes: recordBytes(count, buffer.readUInt32LE(at + 20)) };
}
