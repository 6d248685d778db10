import { join } from 'node:path';
import { EndedFile } from './ended-file.js';
import { ENDED_FILE } from './own-log.js';
import { removeFolder } from './owner-folder.js';
import type { StoredMessage } from './record.js';
import { checkVersion, messagesWithout, segmentsIn, sizeWithout } from './segment-reader.js';
import type { SequenceSet } from './sequence-set.js';

/** The folder of a client that has ended, read one segment at a time. */
export class RecoveredFolder {
  readonly path: string;
  readonly #ended: SequenceSet;
  readonly #endedFile: EndedFile;
  readonly #segments: readonly string[];
  /** How many of its messages have not ended. */
  #pending: number;
  #isDirty = false;
  /** Of all messages that had not ended when it was opened. */
  readonly bytes: number;

  private constructor(
    path: string,
    segments: readonly string[],
    ended: SequenceSet,
    size: { messages: number; bytes: number },
  ) {
    this.path = path;
    this.#segments = segments;
    this.#ended = ended;
    this.#endedFile = EndedFile.open(join(path, ENDED_FILE));
    this.#pending = size.messages;
    this.bytes = size.bytes;
  }

  /** @throws NewerVersionProblem, or the system's error */
  static async check(path: string): Promise<void> {
    for (const segment of await segmentsIn(path)) await checkVersion(segment);
  }

  /** Counts the messages in it. @throws the system's error */
  static async open(path: string): Promise<RecoveredFolder> {
    const ended = EndedFile.read(join(path, ENDED_FILE));
    const segments = await segmentsIn(path);
    return new RecoveredFolder(path, segments, ended, await sizeWithout(segments, ended));
  }

  /** The messages that have not ended in a folder, which its client may write meanwhile. */
  static async *peek(path: string): AsyncGenerator<StoredMessage, void> {
    const ended = EndedFile.read(join(path, ENDED_FILE));
    yield* messagesWithout(await segmentsIn(path), ended);
  }

  get pending(): number {
    return this.#pending;
  }

  /** Those that have not ended, in the order in which they were accepted. */
  messages(): AsyncGenerator<StoredMessage, void> {
    return messagesWithout(this.#segments, this.#ended);
  }

  noteEnded(sequences: readonly number[]): void {
    for (const [from, to] of rangesOf(sequences)) this.#ended.add(from, to);
    this.#pending -= sequences.length;
    this.#isDirty = true;
  }

  /** Writes which messages have ended, or removes the folder when all have. */
  write(): void {
    if (!this.#isDirty) return;
    this.#isDirty = false;
    if (this.#pending > 0) this.#endedFile.write(this.#ended);
    else this.remove();
  }

  remove(): void {
    this.close();
    removeFolder(this.path);
  }

  close(): void {
    this.#endedFile.close();
  }
}

/** Sequence numbers in order, as ranges without gaps. */
function* rangesOf(sequences: readonly number[]): Generator<[from: number, to: number]> {
  let range: [from: number, to: number] | undefined;
  for (const sequence of sequences) {
    if (range?.[1] === sequence) range[1]++;
    else {
      if (range !== undefined) yield range;
      range = [sequence, sequence + 1];
    }
  }
  if (range !== undefined) yield range;
}
