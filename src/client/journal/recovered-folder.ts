import { type Ended, EndedFile } from './ended-file.js';
import { type Dropped, eraseIn } from './erase-messages.js';
import { type FileSystem, removeAll } from './file-system.js';
import { removeFolder } from './owner-folder.js';
import { type LeftMessage, type LeftSegment, messagesWithout, segmentsIn } from './segment-reader.js';
import { SequenceSet } from './sequence-set.js';

/** The result of an erasure. */
export interface Erased extends Dropped {
  /** The number of messages that stay. */
  readonly left: number;
}

/** The folder of a client that has ended, read one segment at a time. */
export class RecoveredFolder {
  readonly path: string;
  readonly #fs: FileSystem;
  readonly #ended: Ended;
  readonly #endedFile: EndedFile;
  #segments: readonly LeftSegment[];
  /** The number of its messages that have not ended. */
  #pending = 0;
  #isDirty = false;
  /** The size of all messages that had not ended when it was opened. */
  #bytes = 0;

  private constructor(fs: FileSystem, path: string, segments: readonly LeftSegment[], ended: Ended) {
    this.#fs = fs;
    this.path = path;
    this.#segments = segments;
    this.#ended = ended;
    this.#endedFile = new EndedFile(fs, path);
  }

  /** Counts the messages in it. @throws NewerVersionProblem, or the system's error */
  static async open(fs: FileSystem, path: string): Promise<RecoveredFolder> {
    const segments = await segmentsIn(fs, path);
    const ended = EndedFile.read(fs, path) ?? { sequences: new SequenceSet(segments[0]?.first), reached: 0 };
    const folder = new RecoveredFolder(fs, path, segments, ended);
    await folder.#count();
    return folder;
  }

  /** The messages that have not ended in a folder, which its client may write meanwhile. @throws NewerVersionProblem, or the system's error */
  static async *peek(fs: FileSystem, path: string): AsyncGenerator<LeftMessage, void> {
    yield* messagesWithout(fs, await segmentsIn(fs, path), EndedFile.read(fs, path));
  }

  get bytes(): number {
    return this.#bytes;
  }

  get pending(): number {
    return this.#pending;
  }

  /** Those that have not ended, in the order in which they were accepted. @param from the lowest sequence number */
  async *messages(from: number): AsyncGenerator<LeftMessage, void> {
    for await (const message of messagesWithout(this.#fs, this.#segments, this.#ended)) {
      if (message.sequence >= from) yield message;
    }
  }

  /**
   * Erases what is meant, and what has ended. Without damage in it, a segment holds nothing else that anybody may want: what is not read
   * there is of an earlier use of the file, or of a write that was cut off.
   *
   * @param erasesDamage whether what cannot be read goes too. If not, a segment with damage keeps all that cannot be read
   * @throws the system's error
   */
  async erase(isMeant: (json: Buffer) => boolean, erasesDamage: boolean): Promise<Erased> {
    const found = { messages: 0, damagedBytes: 0, left: 0 };
    const meant = new Set<number>();
    const damaged = new Set<string>();
    for await (const { sequence, json, bytes, path } of this.messages(0)) {
      const goes = json === undefined ? erasesDamage : isMeant(json);
      if (!goes) {
        found.left++;
        if (json === undefined) damaged.add(path);
        continue;
      }
      meant.add(sequence);
      if (json === undefined) found.damagedBytes += bytes.length;
      else found.messages++;
    }
    const stays = (sequence: number): boolean => !meant.has(sequence) && !this.#ended.sequences.has(sequence);
    const keepsDamage = ({ path }: LeftSegment): boolean => damaged.has(path);
    eraseIn(this.#fs, this.path, { segments: this.#segments, stays, keepsDamage });
    return found;
  }

  noteEnded(sequences: readonly number[]): void {
    for (const [from, to] of rangesOf(sequences)) this.#ended.sequences.add(from, to);
    this.#pending -= sequences.length;
    this.#isDirty = true;
  }

  /** Ends this number of messages, which were counted and are not found any more. */
  endRest(messages: number): void {
    this.#pending -= messages;
    this.#isDirty = true;
  }

  /** Writes which messages have ended, or removes the folder when all have. @throws the system's error */
  write(): void {
    if (!this.#isDirty) return;
    if (this.#pending === 0) this.remove();
    else {
      this.#note();
      this.#removeOver();
    }
    this.#isDirty = false;
  }

  remove(): void {
    removeFolder(this.#fs, this.path);
  }

  #note(): void {
    try {
      this.#endedFile.write(this.#ended);
    } finally {
      // There may be a thousand folders, and each would hold a descriptor.
      this.#endedFile.close();
    }
  }

  /** Removes the segments whose messages have all ended, which is noted. */
  #removeOver(): void {
    const { sequences } = this.#ended;
    const isOver = ({ first, next }: LeftSegment): boolean => first !== undefined && sequences.covers(first, next);
    for (const { path } of this.#segments.filter(isOver)) removeAll(this.#fs, path);
    this.#segments = this.#segments.filter((segment) => !isOver(segment));
  }

  async #count(): Promise<void> {
    const erased: number[] = [];
    for await (const { sequence, json, isErased } of this.messages(0)) {
      if (isErased) erased.push(sequence);
      else this.#pending++;
      this.#bytes += json?.length ?? 0;
    }
    for (const [from, to] of rangesOf(erased)) this.#ended.sequences.add(from, to);
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
