import { dirname, join } from 'node:path';
import type { Ended } from './ended-file.js';
import { type FileSystem, systemCodeOf } from './file-system.js';
import {
  type FoundRecord,
  isBlank,
  isCutOff,
  isWhole,
  messagesOf,
  recordsIn,
  type StoredMessage,
} from './message-record.js';
import { decodeHead, HEAD_BYTES, newerHeadOf, segmentName, segmentNumberOf } from './segment-file.js';
import { NewerVersionProblem } from './system-errors.js';

/** A segment that a client has left. */
export interface LeftSegment {
  readonly path: string;
  /** The sequence number from which on its records count; undefined when its head is damaged. */
  readonly first: number | undefined;
  /** Its records count up to this number, and without it, because later segments have the rest; infinite for the last. */
  readonly next: number;
}

export interface LeftMessage extends StoredMessage {
  /** The segment that it is in, or that it is missing in. */
  readonly path: string;
}

/** Messages that follow one another in a segment: a record, or a gap between two. */
interface Span {
  /** Undefined where messages are missing. */
  readonly record: FoundRecord | undefined;
  readonly sequence: number;
  readonly count: number;
  /** The bytes where missing messages should be. */
  readonly rest: Buffer;
}

const NO_BYTES = Buffer.alloc(0);
const MEBIBYTE = 2 ** 20;

/** The segments of a folder, oldest first. @throws NewerVersionProblem, or the system's error */
export async function segmentsIn(fs: FileSystem, folder: string): Promise<LeftSegment[]> {
  const segments: LeftSegment[] = [];
  let next = Number.POSITIVE_INFINITY;
  for (const number of await segmentNumbersIn(fs, folder)) {
    const path = join(folder, segmentName(number));
    const first = decodeHead(await headOf(fs, path), number);
    segments.unshift({ path, first, next });
    next = Math.min(next, first ?? next);
  }
  return segments;
}

/** Lists the numbers of the segments, newest first. */
async function segmentNumbersIn(fs: FileSystem, folder: string): Promise<number[]> {
  const numbers = (await fs.promises.readdir(folder)).map(segmentNumberOf);
  return numbers.filter((number) => number !== undefined).sort((a, b) => b - a);
}

/** @throws NewerVersionProblem, or the system's error */
async function headOf(fs: FileSystem, path: string): Promise<Buffer> {
  const file = await fs.promises.open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const bytes = buffer.subarray(0, bytesRead);
    const newer = newerHeadOf(bytes);
    if (newer !== undefined) throw new NewerVersionProblem(path, newer);
    return bytes;
  } finally {
    await file.close();
  }
}

/**
 * The messages of segments in order, without those that have ended. One that is damaged or missing has no `json`. The bytes are good
 * until the caller asks for the next message.
 *
 * Sequence numbers have no gaps: a message that had ended before it was written is noted as ended before a later one is written. So
 * every number that has not ended, and is not found, is of a message that is missing.
 *
 * @param ended undefined when the note of it cannot be read
 */
export async function* messagesWithout(
  fs: FileSystem,
  segments: readonly LeftSegment[],
  ended: Ended | undefined,
): AsyncGenerator<LeftMessage, void> {
  const reader = new FileReader(fs);
  let next = ended?.sequences.low;
  if (segments.length === 0) yield* missingOf(ended);
  for (const segment of segments) {
    const buffer = await reader.read(segment.path);
    const isLast = segment.next === Number.POSITIVE_INFINITY;
    const reached = isLast ? (ended?.reached ?? 0) : segment.next;
    for (const span of spansOf(buffer, { ...segment, from: next, reached })) {
      next = span.sequence + span.count;
      for (const message of messagesIn(buffer, span)) {
        if (!ended?.sequences.has(message.sequence)) yield { ...message, path: segment.path };
      }
    }
  }
}

/** The messages that are missing in a folder without a segment. */
function* missingOf(ended: Ended | undefined): Generator<LeftMessage> {
  if (ended === undefined) return;
  const { sequences, reached } = ended;
  const gap = { record: undefined, sequence: sequences.low, count: reached - sequences.low, rest: NO_BYTES };
  for (const message of messagesIn(NO_BYTES, gap)) if (!sequences.has(message.sequence)) yield { ...message, path: '' };
}

/** The known sequence numbers of a segment. */
interface Known {
  /** The first, and that after the last, by the heads. */
  readonly first: number | undefined;
  readonly next: number;
  /** The first that has not been read or ended. */
  readonly from: number | undefined;
  /** The number after the last message that was written whole. */
  readonly reached: number;
}

function spansOf(buffer: Buffer, { first, next, from: known, reached }: Known): Span[] {
  const spans: Span[] = [];
  let from = known;
  let at = HEAD_BYTES;
  const reach = (found: number, to: number): void => {
    const sequence = Math.min(found, next);
    from ??= sequence;
    if (sequence <= from) return;
    spans.push({ record: undefined, sequence: from, count: sequence - from, rest: buffer.subarray(at, to) });
    from = sequence;
  };
  if (first !== undefined) reach(first, at);
  for (const record of recordsIn(buffer, HEAD_BYTES, first ?? from ?? 0)) {
    const { sequence } = record;
    // A record that was written anew has nothing left here.
    const count = Math.min(record.count, next - sequence);
    reach(sequence, record.at);
    if (record.isReadable) {
      spans.push({ record, sequence, count, rest: NO_BYTES });
      from = sequence + count;
    }
    reach(sequence + count, record.at + record.bytes);
    at = record.at + record.bytes;
  }
  leaveOutCutOff(buffer, spans, reached);
  const found = from;
  reach(reached, buffer.length);
  // Nobody knows how many messages the end of the last segment held: at least one.
  if (next === Number.POSITIVE_INFINITY && from === found && hasDamagedEnd(buffer, spans, at, from ?? 0)) {
    reach((from ?? 0) + 1, buffer.length);
  }
  return spans;
}

/** Tells whether bytes behind the last record are neither records nor what a kill leaves. */
function hasDamagedEnd(buffer: Buffer, spans: readonly Span[], at: number, sequence: number): boolean {
  const last = spans.at(-1)?.record;
  if (last === undefined || isWhole(buffer, last)) return !isCutOff(buffer, at, sequence);
  // A kill that cuts off a record leaves nothing new behind it.
  return at < buffer.length && !isCutOff(buffer, last.at, last.sequence);
}

/**
 * A process that was killed during its last write leaves a record without its end. The missing messages were never stored: they
 * are no damage.
 */
function leaveOutCutOff(buffer: Buffer, spans: Span[], reached: number): void {
  const last = spans.at(-1);
  if (last?.record === undefined || last.sequence < reached || isWhole(buffer, last.record)) return;
  if (!isCutOff(buffer, last.record.at, last.sequence)) return;
  const firstMissing = [...messagesIn(buffer, last)].findIndex(({ json, isErased }) => json === undefined && !isErased);
  if (firstMissing !== -1) spans[spans.length - 1] = { ...last, count: firstMissing };
}

/** Reads one file after the other into the same memory: a large journal would leave a buffer a segment to the garbage collector. */
class FileReader {
  readonly #fs: FileSystem;
  #memory: Buffer = NO_BYTES;

  constructor(fs: FileSystem) {
    this.#fs = fs;
  }

  /** The bytes of a file, good until the next call. */
  async read(path: string): Promise<Buffer> {
    const file = await this.#fs.promises.open(path).catch((error: unknown) => {
      // A segment that is missing holds nothing. Where its folder is too, it may come back.
      if (systemCodeOf(error) !== 'ENOENT' || !this.#fs.existsSync(dirname(path))) throw error;
    });
    if (file === undefined) return NO_BYTES;
    try {
      const { size } = await file.stat();
      if (size > this.#memory.length) this.#memory = Buffer.allocUnsafeSlow(Math.ceil(size / MEBIBYTE) * MEBIBYTE);
      let done = 0;
      for (let bytesRead = 1; bytesRead > 0 && done < size; done += bytesRead) {
        ({ bytesRead } = await file.read(this.#memory, done, size - done, done));
      }
      return this.#memory.subarray(0, done);
    } finally {
      await file.close();
    }
  }
}

function* messagesIn(buffer: Buffer, { record, sequence, count, rest }: Span): Generator<StoredMessage, void> {
  if (record !== undefined) {
    for (const message of messagesOf(buffer, record)) if (message.sequence < sequence + count) yield message;
    return;
  }
  const isErased = isBlank(rest);
  const at = rest.byteOffset - buffer.byteOffset;
  for (let index = 0; index < count; index++) {
    const bytes = index === 0 ? rest : NO_BYTES;
    yield { sequence: sequence + index, json: undefined, bytes, at, isErased };
  }
}
