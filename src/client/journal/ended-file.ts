import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { type SequenceRange, SequenceSet } from './sequence-set.js';

/**
 * Which messages of a journal have ended. The client writes two slots in turn, so that a write that is cut off leaves the one
 * before it. A slot:
 *
 *     0  CRC-32 of the rest
 *     4  how many ranges
 *     8  number of the write, as a double
 *    16  every sequence number below this has ended, as a double
 *    24  the ranges above it: from, to, as doubles
 */
const SLOT_BYTES = 512;
const HEADER_BYTES = 24;
const RANGE_BYTES = 16;
const MOST_RANGES = Math.floor((SLOT_BYTES - HEADER_BYTES) / RANGE_BYTES);

export class EndedFile {
  readonly #handle: number;
  readonly #slot = Buffer.alloc(SLOT_BYTES);
  #writes: number;

  private constructor(handle: number, writes: number) {
    this.#handle = handle;
    this.#writes = writes;
  }

  /** Opens the file, or makes it, to be written. */
  static open(path: string): EndedFile {
    const writes = newestSlot(bytesOf(path))?.writes ?? 0;
    // Neither `r+` nor `a+` both makes a file and writes where it is told to.
    return new EndedFile(openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600), writes);
  }

  static read(path: string): SequenceSet {
    const slot = newestSlot(bytesOf(path));
    return slot === undefined ? new SequenceSet() : new SequenceSet(slot.low, slot.ranges);
  }

  /** Leaves out the ranges that do not fit: after a crash the next process sends those messages once more. */
  write({ low, ranges }: SequenceSet): void {
    const slot = this.#slot;
    const noted = ranges.slice(0, MOST_RANGES);
    slot.writeUInt32LE(noted.length, 4);
    slot.writeDoubleLE(++this.#writes, 8);
    slot.writeDoubleLE(low, 16);
    noted.forEach(([from, to], index) => {
      slot.writeDoubleLE(from, HEADER_BYTES + index * RANGE_BYTES);
      slot.writeDoubleLE(to, HEADER_BYTES + index * RANGE_BYTES + 8);
    });
    slot.writeUInt32LE(crc32(slot.subarray(4)), 0);
    writeSync(this.#handle, slot, 0, SLOT_BYTES, (this.#writes % 2) * SLOT_BYTES);
  }

  close(): void {
    closeSync(this.#handle);
  }
}

interface Slot {
  readonly writes: number;
  readonly low: number;
  readonly ranges: readonly SequenceRange[];
}

function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

function newestSlot(file: Buffer): Slot | undefined {
  const slots = [slotAt(file, 0), slotAt(file, SLOT_BYTES)].filter((slot) => slot !== undefined);
  return slots.sort((a, b) => b.writes - a.writes)[0];
}

function slotAt(file: Buffer, at: number): Slot | undefined {
  const slot = file.subarray(at, at + SLOT_BYTES);
  if (slot.length < SLOT_BYTES || crc32(slot.subarray(4)) !== slot.readUInt32LE(0)) return undefined;
  const start = (index: number): number => HEADER_BYTES + index * RANGE_BYTES;
  const ranges = Array.from(
    { length: slot.readUInt32LE(4) },
    (_, index): SequenceRange => [slot.readDoubleLE(start(index)), slot.readDoubleLE(start(index) + 8)],
  );
  return { writes: slot.readDoubleLE(8), low: slot.readDoubleLE(16), ranges };
}
