import { constants } from 'node:fs';
import type { Batch } from '../queue/batch.js';
import { type FileSystem, isGone, isUnlinked, openPlain, removeFile } from './file-system.js';
import { StoredFile } from './stored-file.js';

/** The file of a batch that this client accepted. */
export class OwnFile extends StoredFile {
  readonly batch: Batch;
  /** True after a failed flush. The next flush writes everything again. */
  isBroken = false;
  /** The end of the last successful flush, in bytes. */
  #flushedEnd = 0;
  #isErased = true;
  #isFlushing = false;
  #isClosing = false;

  /** Makes the file. @throws the system's error */
  constructor(fs: FileSystem, path: string, batch: Batch) {
    super(fs, path);
    this.batch = batch;
    this.handle = openPlain(fs, path, constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC);
  }

  /** True if the file was removed. Only an open handle can tell. */
  get isUnlinked(): boolean {
    return this.handle !== undefined && isUnlinked(this.fs, this.handle);
  }

  get isMissing(): boolean {
    return this.handle === undefined && isGone(this.fs, this.path);
  }

  /** True if nothing has to be flushed. A closed file only gets notes, which need no flush. */
  get isFlushed(): boolean {
    return this.handle === undefined || (this.end === this.#flushedEnd && !this.isBroken);
  }

  /** Notes in memory that the messages from `from` up to but not including `to` have ended, as far as they are in the file. */
  noteRange(from: number, to: number): void {
    for (let index = from; index < Math.min(this.count, to); index++) this.noteEnded(index);
    this.#isErased &&= !this.hasNews;
  }

  /** Overwrites the messages that have ended since the last erasure. @throws the system's error */
  eraseEnded(erasesDamage: boolean): void {
    if (this.#isErased) return;
    this.erase((json) => erasesDamage && json === undefined);
    this.#isErased = true;
  }

  /**
   * Resolves when everything written before this call is on the disk.
   *
   * @param records returns all messages from memory, which are written again after a failed flush: the system may have lost them
   * @throws the system's error
   */
  async flush(records: () => Buffer): Promise<void> {
    const { handle } = this;
    if (handle === undefined) return;
    if (this.isBroken) {
      this.rewrite(handle, this.#content(records));
      this.isBroken = false;
    }
    const { end } = this;
    this.#isFlushing = true;
    try {
      await new Promise<void>((resolve, reject) => {
        this.fs.fdatasync(handle, (error) => (error ? reject(error) : resolve()));
      });
      this.#flushedEnd = end;
    } finally {
      this.#isFlushing = false;
      if (this.#isClosing) this.close();
    }
  }

  /** Returns the bytes that the file should have. Each has its old place, so that a write that is cut off damages nothing. */
  #content(records: () => Buffer): Buffer {
    if (this.batch.isLoaded) {
      const messages = records();
      const parts: Buffer[] = [];
      let [from, place] = [0, 0];
      for (const { bytes, at } of this.notes) {
        parts.push(messages.subarray(from, from + at - place), bytes);
        from += at - place;
        place = at + bytes.length;
      }
      const whole = Buffer.concat([...parts, messages.subarray(from)]);
      // A message that could not be read back may have another length in memory.
      if (whole.length === this.end) return whole;
    }
    return this.fs.readFileSync(this.path).subarray(0, this.end);
  }

  /** Removes the file. @throws the system's error */
  remove(): void {
    this.close();
    removeFile(this.fs, this.path);
  }

  /** Closes the handle, after a running flush if there is one. */
  close(): void {
    this.#isClosing = this.#isFlushing;
    if (this.#isFlushing || this.handle === undefined) return;
    this.fs.closeSync(this.handle);
    this.handle = undefined;
  }
}
