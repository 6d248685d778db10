import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messagesOf, type RecordHeader, recordsIn, type StoredMessage } from './record.js';
import { HEAD_BYTES, SEGMENT_HEAD, SEGMENT_NAME, SEQUENCE_AT } from './segment-file.js';
import type { SequenceSet } from './sequence-set.js';
import { NewerVersionProblem } from './system-errors.js';

/** The segments of a folder, oldest first. */
export async function segmentsIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => SEGMENT_NAME.test(name));
  return names.sort().map((name) => join(folder, name));
}

/** @throws NewerVersionProblem, or what the system says */
export async function checkVersion(path: string): Promise<void> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SEGMENT_HEAD.length), 0, SEGMENT_HEAD.length, 0);
    const head = buffer.toString('latin1');
    if (bytesRead === SEGMENT_HEAD.length && head !== SEGMENT_HEAD) throw new NewerVersionProblem(path, head);
  } finally {
    await file.close();
  }
}

/** What a segment holds. */
export class SegmentContents {
  readonly #buffer: Buffer;
  readonly #records: readonly RecordHeader[];

  private constructor(buffer: Buffer, records: readonly RecordHeader[]) {
    this.#buffer = buffer;
    this.#records = records;
  }

  static async read(path: string): Promise<SegmentContents> {
    const buffer = await readFile(path);
    if (buffer.length < HEAD_BYTES) return new SegmentContents(buffer, []);
    return new SegmentContents(buffer, [...recordsIn(buffer, HEAD_BYTES, buffer.readDoubleLE(SEQUENCE_AT))]);
  }

  /** How many messages are in it, those of a set left out. */
  countWithout(ended: SequenceSet): number {
    let count = 0;
    for (const record of this.#records) {
      const end = record.sequence + record.count;
      for (let sequence = Math.max(record.sequence, ended.low); sequence < end; sequence++) {
        if (!ended.has(sequence)) count++;
      }
    }
    return count;
  }

  *messages(): Generator<StoredMessage> {
    for (const record of this.#records) yield* messagesOf(this.#buffer, record);
  }
}
