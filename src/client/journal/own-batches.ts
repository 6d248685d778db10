import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Batch } from '../queue/batch.js';
import { batchPath, contentOf, recordsBytes, SPACE, writeMessages } from './batch-file.js';
import { FileReader, type FileSystem, flushFolders } from './file-system.js';
import { OwnFile } from './own-file.js';
import type { OwnerFolder } from './owner-folder.js';
import type { EndLater } from './recovery.js';
import { isPassing } from './system-errors.js';

/** A batch of this client, and the file that holds its messages. */
interface OwnBatch {
  readonly batch: Batch;
  /** Undefined until the first write. Its count is the number of messages that were handed to the operating system. */
  file: OwnFile | undefined;
  /** The number of its messages that have not ended. */
  waiting: number;
  waitingBytes: number;
}

/** Writes each batch that this client accepts to a file in the client's folder, and removes it when the batch has ended. */
export class OwnBatches {
  readonly #fs: FileSystem;
  readonly #folder: Pick<OwnerFolder, 'path' | 'root' | 'firstNumber' | 'isRemoved'>;
  readonly #isFlushed: boolean;
  readonly #batches = new Map<Batch, OwnBatch>();
  /** Batches that grew since the last write. */
  readonly #grown = new Set<OwnBatch>();
  /** The newest file, whose handle is open. */
  #open: OwnFile | undefined;
  #files = 0;
  /** Files that have to be flushed, in the order in which they were made. */
  readonly #unflushed = new Set<OwnFile>();
  #isFolderUnflushed = true;
  /** Files to remove, because all their messages have ended, and files to which a note has to be written. */
  #over: OwnFile[] = [];
  readonly #noted = new Set<OwnFile>();
  #waitingBytes = 0;
  #staging = Buffer.alloc(0);

  /** @param isFlushed true if the caller uses `flush`. Otherwise the file of a complete batch needs no open handle */
  constructor(
    fs: FileSystem,
    folder: Pick<OwnerFolder, 'path' | 'root' | 'firstNumber' | 'isRemoved'>,
    isFlushed: boolean,
  ) {
    this.#fs = fs;
    this.#folder = folder;
    this.#isFlushed = isFlushed;
  }

  /** The size in bytes of the messages that have not ended. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** True once the client's files were removed, and not only moved. */
  get isDeleted(): boolean {
    return this.#folder.isRemoved || this.#open?.isUnlinked === true;
  }

  /** Notes that a message was added to the end of a batch. */
  noteAdded(batch: Batch): void {
    let own = this.#batches.get(batch);
    if (own === undefined) {
      own = { batch, file: undefined, waiting: 0, waitingBytes: 0 };
      this.#batches.set(batch, own);
    }
    this.#grown.add(own);
    own.waiting++;
    this.#count(own, batch.bytesOf(batch.count - 1, batch.count));
  }

  /** Returns how many messages at the start of a batch are on disk for the next process. */
  writtenOf(batch: Batch): number {
    const file = this.#batches.get(batch)?.file;
    if (file === undefined || this.isDeleted) return 0;
    // If the whole folder was moved, it still has the file.
    return file.isMissing && this.#fs.existsSync(this.#folder.path) ? 0 : file.count;
  }

  /**
   * Notes that the messages of a batch from `from` to before `to` have ended, so that no client sends them again.
   *
   * @param endLater delays this until the dead letters of these messages are written
   */
  noteEnded(batch: Batch, from: number, to: number, endLater: EndLater = (end) => end()): void {
    const own = this.#batches.get(batch);
    if (own === undefined) return;
    // A message that could not be read back still counts with its original size, so a finished batch subtracts its whole sum.
    this.#count(own, batch.isOver ? -own.waitingBytes : -batch.bytesOf(from, to));
    if (batch.isOver) this.#batches.delete(batch);
    const kept = batch.dropped.size === 0 ? to - from : batch.keptOf(from, to).length;
    endLater(() => this.#end(own, from, to, kept));
  }

  /** Notes that one message of a batch was dropped. */
  noteDropped(batch: Batch, index: number, bytes: number): void {
    const own = this.#batches.get(batch);
    if (own === undefined) return;
    this.#end(own, index, index + 1, 1);
    this.#count(own, -bytes);
  }

  /** Writes added messages, and notes of ended ones. @throws the system's error; the next call writes the rest */
  write(): void {
    // This comes first because it makes room on a full disk.
    this.#removeOver();
    for (const file of this.#noted) {
      this.#wrote(file, () => file.writeNote());
      this.#noted.delete(file);
    }
    for (const own of this.#grown) {
      this.#append(own);
      this.#grown.delete(own);
    }
  }

  /** Resolves when everything written before this call is on the disk. @throws the system's error */
  async flush(): Promise<void> {
    // Files are flushed one after the other. If one fails, those after it stay to be flushed.
    for (const file of [...this.#unflushed]) await this.#flushFile(file);
    // A new file is on the disk only once its folder is.
    if (!this.#isFolderUnflushed) return;
    // This comes before the flush, because a file that is begun during it needs another one.
    this.#isFolderUnflushed = false;
    try {
      await flushFolders(this.#fs, this.#folder.path, this.#folder.root);
    } catch (error) {
      this.#isFolderUnflushed = true;
      throw error;
    }
  }

  /** Overwrites all messages that have ended, one batch in each turn of the event loop. @throws the system's error */
  async erase(erasesDamage: boolean): Promise<void> {
    this.#removeOver();
    for (const { file } of [...this.#batches.values()]) {
      if (file === undefined) continue;
      file.eraseEnded(erasesDamage);
      this.#noted.delete(file);
      await nextTurn();
    }
  }

  /** Tells whether a batch can be read back, because all its messages are written. */
  holds(batch: Batch): boolean {
    return this.#batches.get(batch)?.file?.count === batch.count;
  }

  /** Reads all messages of a batch. One that cannot be read is undefined. @throws the system's error if it is likely to pass */
  async read(batch: Batch): Promise<(Buffer | undefined)[]> {
    const found = Array<Buffer | undefined>(batch.count).fill(undefined);
    const file = this.#batches.get(batch)?.file;
    if (file === undefined) return found;
    try {
      const bytes = await new FileReader(this.#fs).read(file.path);
      for (const { index, json } of contentOf(bytes).messages) if (index < found.length) found[index] = json;
    } catch (error) {
      if (isPassing(error)) throw error;
    }
    return found;
  }

  close(): void {
    for (const file of this.#unflushed) file.close();
    this.#open?.close();
    this.#unflushed.clear();
  }

  #end(own: OwnBatch, from: number, to: number, kept: number): void {
    own.waiting -= kept;
    if (own.waiting === 0 && own.batch.isOver) {
      if (own.file !== undefined) this.#over.push(own.file);
      this.#grown.delete(own);
      return;
    }
    own.file?.noteRange(from, to);
    if (own.file?.hasNews) this.#noted.add(own.file);
  }

  #removeOver(): void {
    this.#over = this.#over.filter((file) => {
      this.#unflushed.delete(file);
      this.#noted.delete(file);
      try {
        file.remove();
        return false;
      } catch {
        // The next write tries to remove the file again.
        return true;
      }
    });
  }

  #append(own: OwnBatch): void {
    const { batch } = own;
    const { ended } = batch.results;
    const from = own.file?.count ?? 0;
    if (Math.max(from, ended) >= batch.count) return;
    // Messages that have already ended are written as spaces, which a reader does not take for messages.
    if (ended > from) batch.messages(from, ended).fill(SPACE);
    own.file ??= this.#begin(batch);
    const { file } = own;
    this.#wrote(file, () => file.append(this.#stage(batch, from, batch.count), batch.count - from));
    // If messages have to be flushed, a loss of power may still take them.
    if (!this.#isFlushed) batch.results.stored = batch.count;
  }

  #begin(batch: Batch): OwnFile {
    const { path, firstNumber } = this.#folder;
    const file = new OwnFile(this.#fs, batchPath(path, firstNumber + this.#files), batch);
    if (this.#open !== undefined && !this.#unflushed.has(this.#open)) this.#open.close();
    this.#open = file;
    this.#files++;
    this.#isFolderUnflushed = true;
    return file;
  }

  /** Returns messages of a batch as records, valid until the next call. */
  #stage(batch: Batch, from: number, to: number): Buffer {
    const lengths: number[] = [];
    const hasDropped = batch.dropped.size > 0;
    for (let index = from; index < to; index++) {
      // A dropped message counts no bytes in `bytesOf`, but the batch holds spaces in its place, which are written.
      lengths.push(hasDropped ? batch.messages(index, index + 1).length : batch.bytesOf(index, index + 1));
    }
    const messages = batch.messages(from, to);
    const bytes = recordsBytes(lengths.length, messages.length);
    if (this.#staging.length < bytes) this.#staging = Buffer.allocUnsafeSlow(bytes * 2);
    return this.#staging.subarray(0, writeMessages(this.#staging, from, messages, lengths));
  }

  /** Writes to a file, and marks it for a flush even if the write fails, because a part may be written. */
  #wrote(file: OwnFile, write: () => void): void {
    if (this.#isFlushed) this.#unflushed.add(file);
    write();
  }

  async #flushFile(file: OwnFile): Promise<void> {
    try {
      await file.flush(() => this.#stage(file.batch, 0, file.count));
      if (file.hasNews) this.#noted.add(file);
    } catch (error) {
      // Every message of the file may have ended in the meantime.
      if (!this.#unflushed.has(file)) return;
      // After a failed flush, the operating system may discard the data, and a later flush would succeed without it.
      for (const each of this.#unflushed) each.isBroken = true;
      throw error;
    }
    if (!file.isFlushed) return;
    this.#unflushed.delete(file);
    if (file !== this.#open) file.close();
  }

  #count(own: OwnBatch, bytes: number): void {
    own.waitingBytes += bytes;
    this.#waitingBytes += bytes;
  }
}
