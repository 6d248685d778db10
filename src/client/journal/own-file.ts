import { constants } from 'node:fs';
import type { Batch } from '../queue/batch.js';
import { erasedCopy, noteOf, type Places } from './batch-file.js';
import { type FileSystem, isGone, isUnlinked, systemCodeOf, writeAll, writeOver } from './file-system.js';

/** The file of a batch that this client accepted. It holds the messages, followed by notes of those that have ended. */
export class OwnFile {
  readonly path: string;
  readonly batch: Batch;
  /** The index in the batch of the file's first message, and the number of messages in the file. */
  readonly first: number;
  count = 0;
  /** True after a failed flush. The next flush writes all messages again. */
  isBroken = false;
  readonly #fs: FileSystem;
  #handle: number | undefined;
  /** The end of the last record, and the end of the last successful flush, in bytes. */
  #end = 0;
  #flushedEnd = 0;
  /** True while bytes of a failed write may follow the last record. */
  #hasTail = false;
  #hasNote = false;
  /** Ranges of messages that have ended and are not in a note yet. */
  #ended: Places[] = [];
  #hasErasable = false;
  #isFlushing = false;
  #isClosing = false;

  /** Makes the file. @throws the system's error */
  constructor(fs: FileSystem, path: string, batch: Batch, first: number) {
    this.#fs = fs;
    this.path = path;
    this.batch = batch;
    this.first = first;
    this.#handle = fs.openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC, 0o600);
  }

  /** True if the file was removed. Only an open handle can tell. */
  get isUnlinked(): boolean {
    return this.#handle !== undefined && isUnlinked(this.#fs, this.#handle);
  }

  get isMissing(): boolean {
    return this.#handle === undefined && isGone(this.#fs, this.path);
  }

  /** True if nothing has to be flushed. A closed file only gets notes, which need no flush. */
  get isFlushed(): boolean {
    return this.#handle === undefined || (this.#end === this.#flushedEnd && !this.isBroken);
  }

  get hasNews(): boolean {
    return this.#ended.length > 0;
  }

  /** Tells whether a message may be appended. None follows a note: after a failed flush, all are rewritten in one piece. */
  takes(place: number): boolean {
    return !this.#hasNote && this.first + this.count === place;
  }

  /** @param records the messages, in the first `length` bytes @throws the system's error; the file then has none of them */
  append(records: Buffer, length: number, messages: number): void {
    this.#write(records, length);
    this.count += messages;
  }

  /** Notes in memory that the messages of the batch from `from` to before `to` have ended. */
  noteEnded(from: number, to: number): void {
    const places: Places = [Math.max(0, from - this.first), Math.min(this.count, to - this.first)];
    if (places[0] >= places[1]) return;
    this.#ended.push(places);
    this.#hasErasable = true;
  }

  /** Writes a note of the messages that have ended. @throws the system's error */
  writeNote(): void {
    const note = noteOf(this.count, this.#ended);
    try {
      this.#write(note, note.length);
    } catch (error) {
      // The file was removed, so no client would send its messages again.
      if (systemCodeOf(error) !== 'ENOENT') throw error;
    }
    this.#hasNote = true;
    this.#ended = [];
  }

  /** Overwrites the messages that have ended. This needs no room on the disk, and then no note. @throws the system's error */
  erase(): void {
    if (!this.#hasErasable) return;
    const bytes = this.#fs.readFileSync(this.path);
    const stays = (index: number): boolean => !this.#ended.some(([from, to]) => from <= index && index < to);
    const after = erasedCopy(bytes, ({ index }) => stays(index), false);
    if (!after.equals(bytes)) writeOver(this.#fs, this.path, after, true);
    this.#ended = [];
    this.#hasErasable = false;
  }

  /**
   * Resolves when everything written before this call is on the disk.
   *
   * @param records returns all messages from memory, which are written again after a failed flush: the system may have lost them
   * @throws the system's error
   */
  async flush(records: () => Buffer | undefined): Promise<void> {
    const handle = this.#handle;
    if (handle === undefined) return;
    if (this.isBroken) {
      const bytes = records() ?? this.#fs.readFileSync(this.path);
      writeAll(this.#fs, handle, bytes, bytes.length, 0);
      this.isBroken = false;
    }
    const end = this.#end;
    this.#isFlushing = true;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#fs.fdatasync(handle, (error) => (error ? reject(error) : resolve()));
      });
      this.#flushedEnd = end;
    } finally {
      this.#isFlushing = false;
      if (this.#isClosing) this.close();
    }
  }

  /** Removes the file. @throws the system's error */
  remove(): void {
    this.close();
    this.#fs.rmSync(this.path, { force: true });
  }

  /** Closes the handle, after a running flush if there is one. A later write opens the file for a moment. */
  close(): void {
    this.#isClosing = this.#isFlushing;
    if (this.#isFlushing || this.#handle === undefined) return;
    this.#fs.closeSync(this.#handle);
    this.#handle = undefined;
  }

  /** Writes after the last record. @throws the system's error; what was written is cut off now or before the next write */
  #write(bytes: Buffer, length: number): void {
    const handle = this.#handle ?? this.#fs.openSync(this.path, 'r+');
    try {
      if (this.#hasTail) this.#cutTail(handle);
      this.#hasTail = true;
      writeAll(this.#fs, handle, bytes, length, this.#end);
      this.#hasTail = false;
      this.#end += length;
    } catch (error) {
      attempt(() => this.#cutTail(handle));
      throw error;
    } finally {
      if (this.#handle === undefined) this.#fs.closeSync(handle);
    }
  }

  #cutTail(handle: number): void {
    this.#fs.ftruncateSync(handle, this.#end);
    this.#hasTail = false;
  }
}

function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // The next write first tries again.
  }
}
