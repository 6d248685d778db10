import { constants } from 'node:fs';
import type { Batch } from '../queue/batch.js';
import { erasedCopy, noteOf, type Places } from './batch-file.js';
import { type FileSystem, isGone, isUnlinked, systemCodeOf, writeAll, writeOver } from './file-system.js';

/** The file of a batch that this client has accepted: its messages, and behind them notes of which have ended. */
export class OwnFile {
  readonly path: string;
  readonly batch: Batch;
  /** The place in the batch of its first message, and the number of its messages. */
  readonly first: number;
  count = 0;
  /** True after a flush that failed: what it did not cover is written again. */
  isBroken = false;
  readonly #fs: FileSystem;
  #handle: number | undefined;
  /** The end of the last record, and of what is known to be on the disk. */
  #end = 0;
  #flushedEnd = 0;
  /** True while a write that failed may have left something behind the last record. */
  #hasTail = false;
  #hasNote = false;
  /** Places of messages that have ended, which it does not note yet. */
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

  /** True once it was removed, as far as its handle tells. */
  get isUnlinked(): boolean {
    return this.#handle !== undefined && isUnlinked(this.#fs, this.#handle);
  }

  get isMissing(): boolean {
    return this.#handle === undefined && isGone(this.#fs, this.path);
  }

  /** True when nothing waits for a flush. Nothing does in a closed file, as a note needs none. */
  get isFlushed(): boolean {
    return this.#handle === undefined || (this.#end === this.#flushedEnd && !this.isBroken);
  }

  get hasNews(): boolean {
    return this.#ended.length > 0;
  }

  /** Says whether a message may be appended. Behind a note none is: to write messages again, they have to lie side by side. */
  takes(place: number): boolean {
    return !this.#hasNote && this.first + this.count === place;
  }

  /** @param records those of so many messages, in the first `length` bytes @throws the system's error, and has none of them then */
  append(records: Buffer, length: number, messages: number): void {
    this.#write(records, length);
    this.count += messages;
  }

  /** The messages of the batch from `from` up to, and without, `to` have ended. */
  noteEnded(from: number, to: number): void {
    const places: Places = [Math.max(0, from - this.first), Math.min(this.count, to - this.first)];
    if (places[0] >= places[1]) return;
    this.#ended.push(places);
    this.#hasErasable = true;
  }

  /** Writes which messages have ended. @throws the system's error */
  writeNote(): void {
    const note = noteOf(this.count, this.#ended);
    try {
      this.#write(note, note.length);
    } catch (error) {
      // Somebody has removed it, and nothing of it would be sent again.
      if (systemCodeOf(error) !== 'ENOENT') throw error;
    }
    this.#hasNote = true;
    this.#ended = [];
  }

  /** Overwrites the messages that have ended, which needs no room, and no note any more. @throws the system's error */
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
   * Resolves when all that was written before is on the disk.
   *
   * @param records those of its messages, from memory: after a flush that failed, the system may have forgotten what it could not flush
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

  /** Closes its handle, after the flush that runs. What is written to it from now on opens it for a moment. */
  close(): void {
    this.#isClosing = this.#isFlushing;
    if (this.#isFlushing || this.#handle === undefined) return;
    this.#fs.closeSync(this.#handle);
    this.#handle = undefined;
  }

  /** Writes behind the last record. @throws the system's error; what it has left there is cut off, now or before the next write */
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
    // The next write tries again, before anything else is written.
  }
}
