import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isWhole, lengthOf, messagesOf, type RecordHeader, recordsIn, type StoredMessage } from './record.js';
import { HEAD_BYTES, SEGMENT_HEAD, SEGMENT_NAME, SEQUENCE_AT } from './segment-file.js';
import type { SequenceSet } from './sequence-set.js';
import { NewerVersionProblem } from './system-errors.js';

/** Messages that follow one another in a segment: a record, or a gap between two. */
interface Span {
  readonly buffer: Buffer;
  /** Undefined where messages are missing. */
  readonly record: RecordHeader | undefined;
  readonly sequence: number;
  readonly count: number;
}

const NO_BYTES = Buffer.alloc(0);
const MEBIBYTE = 2 ** 20;

/** The segments of a folder, oldest first. */
export async function segmentsIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => SEGMENT_NAME.test(name));
  return names.sort().map((name) => join(folder, name));
}

/** @throws NewerVersionProblem, or the system's error */
export async function checkVersion(path: string): Promise<void> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SEGMENT_HEAD.length), 0, SEGMENT_HEAD.length, 0);
    const head = buffer.toString('latin1', 0, bytesRead);
    if (isNewerHead(head)) throw new NewerVersionProblem(path, head);
  } finally {
    await file.close();
  }
}

/** How many messages are in segments, without those of a set, and their bytes. */
export async function sizeWithout(
  segments: readonly string[],
  ended: SequenceSet,
): Promise<{ messages: number; bytes: number }> {
  const size = { messages: 0, bytes: 0 };
  for await (const spans of spansOf(segments)) {
    for (const { buffer, record, sequence, count } of spans) {
      for (let index = Math.max(0, ended.low - sequence); index < count; index++) {
        if (ended.has(sequence + index)) continue;
        size.messages++;
        if (record !== undefined) size.bytes += lengthOf(buffer, record, index);
      }
    }
  }
  return size;
}

/**
 * The messages of segments in order, without those of a set. A missing one has neither `json` nor `bytes`. The bytes are good
 * until the caller asks for the next message.
 */
export async function* messagesWithout(
  segments: readonly string[],
  ended: SequenceSet,
): AsyncGenerator<StoredMessage, void> {
  for await (const spans of spansOf(segments)) {
    for (const span of spans) {
      for (const message of messagesIn(span)) if (!ended.has(message.sequence)) yield message;
    }
  }
}

/** The spans of each segment, one segment in memory at a time. */
async function* spansOf(segments: readonly string[]): AsyncGenerator<Span[], void> {
  // Sequence numbers have no gaps but where messages had ended before they were written, and those are noted as ended.
  let next: number | undefined;
  const reader = new FileReader();
  for (const segment of segments) {
    const buffer = await reader.read(segment);
    const spans: Span[] = [];
    const reach = (sequence: number): void => {
      if (next !== undefined && sequence > next) {
        spans.push({ buffer, record: undefined, sequence: next, count: sequence - next });
      }
      next = Math.max(next ?? 0, sequence);
    };
    const first = firstSequenceOf(buffer);
    if (first !== undefined) reach(first);
    for (const record of recordsIn(buffer, HEAD_BYTES, first ?? 0)) {
      reach(record.sequence);
      spans.push({ buffer, record, sequence: record.sequence, count: record.count });
      next = record.sequence + record.count;
    }
    if (segment === segments.at(-1)) leaveOutCutOff(spans);
    yield spans;
  }
}

/**
 * A process that was killed during its last write leaves a record without its end. The missing messages were never stored: they
 * are no damage.
 */
function leaveOutCutOff(spans: Span[]): void {
  const last = spans.at(-1);
  if (last?.record === undefined || isWhole(last.buffer, last.record)) return;
  const firstMissing = [...messagesIn(last)].findIndex(({ json }) => json === undefined);
  if (firstMissing !== -1) spans[spans.length - 1] = { ...last, count: firstMissing };
}

/** Reads one file after the other into the same memory: a large journal would leave a buffer a segment to the garbage collector. */
class FileReader {
  #memory: Buffer = NO_BYTES;

  /** The bytes of a file, good until the next call. */
  async read(path: string): Promise<Buffer> {
    const file = await open(path);
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

/** Whether a segment begins as one of a later version would. Any other unknown head is damage. */
const isNewerHead = (head: string): boolean => head !== SEGMENT_HEAD && /^eventferry journal \d+\n/.test(head);

/** From which sequence number on the records of a segment count; undefined when its head is damaged. */
function firstSequenceOf(segment: Buffer): number | undefined {
  if (segment.length < HEAD_BYTES || segment.toString('latin1', 0, SEGMENT_HEAD.length) !== SEGMENT_HEAD)
    return undefined;
  const sequence = segment.readDoubleLE(SEQUENCE_AT);
  return Number.isSafeInteger(sequence) ? sequence : undefined;
}

function* messagesIn({ buffer, record, sequence, count }: Span): Generator<StoredMessage, void> {
  if (record !== undefined) {
    for (const message of messagesOf(buffer, record)) if (message.sequence < sequence + count) yield message;
    return;
  }
  for (let index = 0; index < count; index++) yield { sequence: sequence + index, json: undefined, bytes: NO_BYTES };
}
