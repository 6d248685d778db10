import { crc32 } from 'node:zlib';

/**
 * One write into a journal: messages that follow one another, each with its checksum, so that damage to one leaves its neighbours
 * readable. A reader that has lost its place looks for the next `FF`, which no UTF-8 text holds.
 *
 *     0  magic: FF "EFJ"
 *     4  CRC-32 of the rest of the header and of the table
 *     8  sequence number of the first message, as a double
 *    16  how many messages
 *    20  bytes of the messages, with a comma between each two
 *    24  the table: for each message its bytes and their CRC-32
 *     …  the messages. One that begins with a space, as no JSON of ours does, was erased
 *     …  the footer. A record without it at its end was cut off while it was written, and one without its header is damaged:
 *
 *     0  magic: FF "EFE"
 *     4  CRC-32 of the rest
 *     8  sequence number of the first message, as a double
 *    16  how many messages
 *    20  bytes of the record
 *
 * All numbers are little-endian.
 */
const MAGIC = Buffer.from([0xff, 0x45, 0x46]);
const MAGIC_NUMBER = MAGIC.readUIntLE(0, 3);
const HEADER = 0x4a;
const FOOTER = 0x45;
const HEADER_BYTES = 24;
const ENTRY_BYTES = 8;
const FOOTER_BYTES = 24;
const COMMA_BYTES = 1;

/** Stands in the place of an erased message. */
export const ERASED = 0x20;

/** Messages as they lie in a batch: one behind the other, with a comma between each two. */
export interface MessageRun {
  readonly bytes: Buffer;
  /** The size of each message, in bytes. */
  readonly lengths: readonly number[];
}

export interface FoundRecord {
  /** The offset of the record in the buffer. */
  readonly at: number;
  /** The sequence number of the first message. */
  readonly sequence: number;
  readonly count: number;
  /** The size of the whole record. */
  readonly bytes: number;
  /** True when its header is intact. Without one, the footer tells only which messages the record held. */
  readonly isReadable: boolean;
}

export interface StoredMessage {
  readonly sequence: number;
  /** The message as JSON; undefined when its checksum does not match. */
  readonly json: Buffer | undefined;
  /** The bytes in its place, be they the message or not. */
  readonly bytes: Buffer;
  /** Their offset in the buffer. */
  readonly at: number;
  readonly isErased: boolean;
}

export const recordBytes = (count: number, messageBytes: number): number =>
  HEADER_BYTES + count * ENTRY_BYTES + messageBytes + FOOTER_BYTES;

/** Writes a record to the start of `target`, which has room for `recordBytes`; returns the bytes it takes. */
export function writeRecord(target: Buffer, sequence: number, { bytes, lengths }: MessageRun): number {
  const body = HEADER_BYTES + lengths.length * ENTRY_BYTES;
  const footer = body + bytes.length;
  const end = footer + FOOTER_BYTES;
  writeEdge(target, 0, HEADER, sequence, lengths.length, bytes.length);
  let entry = HEADER_BYTES;
  let start = 0;
  for (const length of lengths) {
    target.writeUInt32LE(length, entry);
    target.writeUInt32LE(crc32(bytes.subarray(start, start + length)), entry + 4);
    entry += ENTRY_BYTES;
    start += length + COMMA_BYTES;
  }
  target.writeUInt32LE(crc32(target.subarray(8, body)), 4);
  target.set(bytes, body);
  writeEdge(target, footer, FOOTER, sequence, lengths.length, end);
  target.writeUInt32LE(crc32(target.subarray(footer + 8, end)), footer + 4);
  return end;
}

function writeEdge(target: Buffer, at: number, kind: number, sequence: number, count: number, bytes: number): void {
  // Written as one number, because copying three bytes takes several times as long.
  target.writeUInt32LE(kind * 2 ** 24 + MAGIC_NUMBER, at);
  target.writeDoubleLE(sequence, at + 8);
  target.writeUInt32LE(count, at + 16);
  target.writeUInt32LE(bytes, at + 20);
}

/**
 * The records of a file from `at` on, in order. Passes over all other bytes: the rest of a write that was cut off, damage, and
 * records of an earlier use of the file, whose numbers are below `leastSequence`.
 */
export function* recordsIn(buffer: Buffer, at: number, leastSequence: number): Generator<FoundRecord> {
  let least = leastSequence;
  for (let start = buffer.indexOf(MAGIC, at); start !== -1; ) {
    const record = recordAt(buffer, start, least);
    if (record !== undefined) {
      least = record.sequence + record.count;
      yield record;
    }
    const isPast = record?.isReadable && isWhole(buffer, record);
    start = buffer.indexOf(MAGIC, isPast ? record.at + record.bytes : start + 1);
  }
}

/** Tells whether a record was written to its end. */
export function isWhole(buffer: Buffer, record: FoundRecord): boolean {
  return footerAt(buffer, footerOf(record))?.sequence === record.sequence;
}

/** The offset of a record's footer. */
export const footerOf = ({ at, bytes }: FoundRecord): number => at + bytes - FOOTER_BYTES;

/** Tells whether nothing is left of what stood there. */
export const isBlank = (bytes: Buffer): boolean => bytes.length > 0 && bytes.every((byte) => byte === ERASED);

/**
 * Tells whether a kill during a write explains the bytes behind the last whole record of a file: it leaves nothing, the beginning of a record,
 * or bytes of an earlier use of the file, which may be erased. A disk that fails leaves others.
 *
 * @param sequence that of the next message: records of an earlier use have lower ones
 */
export function isCutOff(buffer: Buffer, at: number, sequence: number): boolean {
  const rest = buffer.subarray(at);
  if (rest.length === 0 || isBeginning(rest) || isBlank(rest.subarray(-FOOTER_BYTES))) return true;
  for (const record of recordsIn(buffer, at + 1, 0)) if (record.sequence < sequence) return true;
  return false;
}

/** Tells whether these are the first bytes of a record whose end is not there. */
function isBeginning(bytes: Buffer): boolean {
  const record = headerAt(bytes, 0);
  if (record !== undefined) return record.bytes > bytes.length;
  const edge = Buffer.from([...MAGIC, HEADER]).subarray(0, bytes.length);
  if (!bytes.subarray(0, edge.length).equals(edge)) return false;
  return bytes.length < HEADER_BYTES || bytes.length < HEADER_BYTES + bytes.readUInt32LE(16) * ENTRY_BYTES;
}

export function* messagesOf(buffer: Buffer, { at, sequence, count }: FoundRecord): Generator<StoredMessage> {
  let start = at + HEADER_BYTES + count * ENTRY_BYTES;
  for (let index = 0; index < count; index++) {
    const entry = at + HEADER_BYTES + index * ENTRY_BYTES;
    const end = start + buffer.readUInt32LE(entry);
    const bytes = buffer.subarray(start, end);
    const isErased = bytes[0] === ERASED && isBlank(bytes);
    const isIntact = !isErased && end <= buffer.length && crc32(bytes) === buffer.readUInt32LE(entry + 4);
    yield { sequence: sequence + index, json: isIntact ? bytes : undefined, bytes, at: start, isErased };
    start = end + COMMA_BYTES;
  }
}

function recordAt(buffer: Buffer, at: number, leastSequence: number): FoundRecord | undefined {
  const record = headerAt(buffer, at) ?? footerAt(buffer, at);
  return record === undefined || record.sequence < leastSequence ? undefined : record;
}

function headerAt(buffer: Buffer, at: number): FoundRecord | undefined {
  if (at + HEADER_BYTES > buffer.length || buffer[at + MAGIC.length] !== HEADER) return undefined;
  const count = buffer.readUInt32LE(at + 16);
  const body = at + HEADER_BYTES + count * ENTRY_BYTES;
  if (body > buffer.length || crc32(buffer.subarray(at + 8, body)) !== buffer.readUInt32LE(at + 4)) return undefined;
  const bytes = recordBytes(count, buffer.readUInt32LE(at + 20));
  return { at, sequence: buffer.readDoubleLE(at + 8), count, bytes, isReadable: true };
}

function footerAt(buffer: Buffer, at: number): FoundRecord | undefined {
  const end = at + FOOTER_BYTES;
  if (at < 0 || end > buffer.length || buffer[at + MAGIC.length] !== FOOTER) return undefined;
  if (crc32(buffer.subarray(at + 8, end)) !== buffer.readUInt32LE(at + 4)) return undefined;
  const bytes = buffer.readUInt32LE(at + 20);
  const [sequence, count] = [buffer.readDoubleLE(at + 8), buffer.readUInt32LE(at + 16)];
  return { at: Math.max(0, end - bytes), sequence, count, bytes, isReadable: false };
}
