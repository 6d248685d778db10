import { crc32 } from 'node:zlib';

/**
 * The head of a segment:
 *
 *     0  the first bytes, by which a reader knows a segment of another version
 *    24  the number of the segment: the head of an earlier use of the file, which a loss of power may leave, has another
 *    32  the sequence number from which on its records count: those of an earlier use of the file have lower ones, and records of
 *        earlier segments count up to it alone. What these hold of later messages was cut off, or was written anew
 *    40  CRC-32 of all before: it stays there in every version, so that a reader tells a newer one from damage
 *
 * Both numbers are doubles.
 */
export const SEGMENT_HEAD = 'eventferry journal 1\n';
const SUM_AT = 40;
export const HEAD_BYTES = 44;

const SEGMENT_NAME = /^segment-(\d{6,})$/;

export const segmentName = (number: number): string => `segment-${String(number).padStart(6, '0')}`;

/** The number of a segment; undefined for another file. */
export function segmentNumberOf(name: string): number | undefined {
  const digits = SEGMENT_NAME.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** @param sequence from which on its records count */
export function encodeHead(number: number, sequence: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.write(SEGMENT_HEAD, 'latin1');
  head.writeDoubleLE(number, 24);
  head.writeDoubleLE(sequence, 32);
  head.writeUInt32LE(crc32(head.subarray(0, SUM_AT)), SUM_AT);
  return head;
}

/** The sequence number from which on records count; undefined for a head that is damaged, was cut off, or is of another segment. */
export function decodeHead(bytes: Buffer, number: number): number | undefined {
  if (!isIntact(bytes) || lineOf(bytes) !== SEGMENT_HEAD || bytes.readDoubleLE(24) !== number) return undefined;
  return bytes.readDoubleLE(32);
}

/** The first line of a segment of a later version. Any other unknown head is damage. */
export const newerHeadOf = (bytes: Buffer): string | undefined =>
  isIntact(bytes) && lineOf(bytes) !== SEGMENT_HEAD && VERSION_LINE.test(lineOf(bytes)) ? lineOf(bytes) : undefined;

const VERSION_LINE = /^eventferry journal \d+\n/;

const lineOf = (bytes: Buffer): string => bytes.toString('latin1', 0, SEGMENT_HEAD.length);

const isIntact = (bytes: Buffer): boolean =>
  bytes.length >= HEAD_BYTES && crc32(bytes.subarray(0, SUM_AT)) === bytes.readUInt32LE(SUM_AT);
