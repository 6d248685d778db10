import { crc32 } from 'node:zlib';

/**
 * The head of a segment:
 *
 *     0  the first bytes, by which a reader knows a segment of another version
 *    24  the sequence number from which on its records count, as a double: those of an earlier use of the file have lower ones
 *    32  the number of the segment before it, as a double; 0 when it is the first
 *    40  where that one ended, as a double: what is behind was never written whole, or was written anew
 *    48  CRC-32 of all before: it stays there in every version, so that a reader tells a newer one from damage
 */
export const SEGMENT_HEAD = 'eventferry journal 1\n';
const SUM_AT = 48;
export const HEAD_BYTES = 52;

const SEGMENT_NAME = /^segment-(\d{6,})$/;

export interface SegmentHead {
  readonly sequence: number;
  /** The segment before it, by its number, and where that one ended. */
  readonly previous: number;
  readonly previousEnd: number;
}

export const segmentName = (number: number): string => `segment-${String(number).padStart(6, '0')}`;

/** The number of a segment; undefined for another file. */
export function segmentNumberOf(name: string): number | undefined {
  const digits = SEGMENT_NAME.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export function encodeHead({ sequence, previous, previousEnd }: SegmentHead): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.write(SEGMENT_HEAD, 'latin1');
  head.writeDoubleLE(sequence, 24);
  head.writeDoubleLE(previous, 32);
  head.writeDoubleLE(previousEnd, 40);
  head.writeUInt32LE(crc32(head.subarray(0, SUM_AT)), SUM_AT);
  return head;
}

/** Undefined for a head that is damaged, was never written whole, or is of another version. */
export function decodeHead(bytes: Buffer): SegmentHead | undefined {
  if (!isIntact(bytes) || lineOf(bytes) !== SEGMENT_HEAD) return undefined;
  return {
    sequence: bytes.readDoubleLE(24),
    previous: bytes.readDoubleLE(32),
    previousEnd: bytes.readDoubleLE(40),
  };
}

/** The first line of a segment of a later version. Any other unknown head is damage. */
export const newerHeadOf = (bytes: Buffer): string | undefined =>
  isIntact(bytes) && lineOf(bytes) !== SEGMENT_HEAD && VERSION_LINE.test(lineOf(bytes)) ? lineOf(bytes) : undefined;

const VERSION_LINE = /^eventferry journal \d+\n/;

const lineOf = (bytes: Buffer): string => bytes.toString('latin1', 0, SEGMENT_HEAD.length);

const isIntact = (bytes: Buffer): boolean =>
  bytes.length >= HEAD_BYTES && crc32(bytes.subarray(0, SUM_AT)) === bytes.readUInt32LE(SUM_AT);
