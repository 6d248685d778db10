import { constants } from 'node:fs';
import { type BatchContent, contentOf, type JournaledMessage, noteOf, type Piece } from './batch-file.js';
import { bytesIn, type FileSystem, ifThere, openPlain, withPlain, writeAll } from './file-system.js';

/** The file of a batch: its messages, and notes of those that have ended. */
export class StoredFile {
  readonly path: string;
  /** The number of messages in the file. */
  count = 0;
  protected readonly fs: FileSystem;
  /** An open handle. Without one, a write opens the file for a moment. */
  protected handle: number | undefined;
  /** The end of the last record, in bytes. */
  protected end = 0;
  /** True while bytes of a failed write may follow the last record. */
  #hasTail = false;
  /** The messages that have ended, by index, and those of them that the file still shows as waiting. */
  protected readonly ended = new Set<number>();
  protected unnoted: number[] = [];
  /** The notes that this process has written. */
  protected readonly notes: Piece[] = [];

  constructor(fs: FileSystem, path: string) {
    this.fs = fs;
    this.path = path;
  }

  /** True if a note has to be written. */
  get hasNews(): boolean {
    return this.unnoted.length > 0;
  }

  /** @param records messages after those that are in the file @throws the system's error; the file then has none of them */
  append(records: Buffer, messages: number): void {
    this.#write(records);
    this.count += messages;
  }

  /** Notes in memory that a message has ended. */
  noteEnded(index: number): void {
    if (this.ended.has(index)) return;
    this.ended.add(index);
    this.unnoted.push(index);
  }

  /** Writes a note of the messages that have ended. @throws the system's error */
  writeNote(): void {
    const note = { bytes: noteOf(this.count, this.unnoted), at: this.end };
    // If the file was removed, no client would send its messages again.
    ifThere(() => this.#write(note.bytes));
    this.notes.push(note);
    this.unnoted = [];
  }

  /**
   * Overwrites the messages that have ended and the chosen ones. This needs no room on the disk. The messages then need no note.
   *
   * @param goes returns true for a message to erase. It gets undefined for bytes that cannot be read
   * @returns the chosen messages that had not ended before
   * @throws the system's error
   */
  erase(goes: (json: Buffer | undefined) => boolean): JournaledMessage[] {
    const content = contentOf(bytesIn(this.fs, this.path));
    const waiting = this.waitingIn(content);
    // Damaged messages in a row share their bytes, which stay as long as one of them does.
    const staying = new Set(waiting.filter(({ json }) => !goes(json)).map(({ at }) => at));
    const over = [...content.over, ...content.messages].filter(({ at }) => !staying.has(at));
    overwrite(this.fs, this.path, goes(undefined) ? [...over, ...content.rest] : over);
    const chosen = waiting.filter(({ at }) => !staying.has(at));
    for (const { index } of chosen) this.ended.add(index);
    this.unnoted = [];
    return chosen;
  }

  protected waitingIn({ messages }: BatchContent): JournaledMessage[] {
    return messages.filter(({ index }) => !this.ended.has(index));
  }

  /** Takes over what is known of a file that another client wrote. */
  protected continue({ count, end }: BatchContent): void {
    this.count = count;
    this.end = end;
    this.#hasTail = true;
  }

  /** Writes the file again from its start, with these bytes. @throws the system's error */
  protected rewrite(handle: number, bytes: Buffer): void {
    writeAll(this.fs, handle, bytes, bytes.length, 0);
    // The bytes may contain messages that an erasure has overwritten, so all ended messages are noted again.
    this.unnoted = [...this.ended];
    this.end = bytes.length;
    this.#cutTail(handle);
  }

  /** Writes after the last record. @throws the system's error; what was written is cut off now or before the next write */
  #write(bytes: Buffer): void {
    const handle = this.handle ?? openPlain(this.fs, this.path);
    try {
      if (this.#hasTail) this.#cutTail(handle);
      this.#hasTail = true;
      writeAll(this.fs, handle, bytes, bytes.length, this.end);
      this.#hasTail = false;
      this.end += bytes.length;
    } catch (error) {
      attempt(() => this.#cutTail(handle));
      throw error;
    } finally {
      if (this.handle === undefined) this.fs.closeSync(handle);
    }
  }

  #cutTail(handle: number): void {
    this.fs.ftruncateSync(handle, this.end);
    this.#hasTail = false;
  }
}

/**
 * Overwrites pieces of a file with spaces. This changes nothing else, because another client may append to a file of dead letters
 * at the same time, and no byte becomes anything but a space, so that an interrupted erasure damages nothing.
 *
 * @throws the system's error
 */
export function overwrite(fs: FileSystem, path: string, pieces: readonly Piece[]): void {
  if (pieces.length === 0) return;
  ifThere(() =>
    withPlain(fs, path, constants.O_RDWR, (handle) => {
      const { atimeMs, mtimeMs } = fs.fstatSync(handle);
      for (const { at, bytes } of pieces) writeAll(fs, handle, Buffer.alloc(bytes.length, ' '), bytes.length, at);
      // Keeps the file's time, which is the age of dead letters. Half a millisecond is added because seconds are rounded.
      fs.futimesSync(handle, atimeMs / 1_000, (Math.floor(mtimeMs) + 0.5) / 1_000);
      fs.fsyncSync(handle);
    }),
  );
}

function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // The next write first tries again.
  }
}
