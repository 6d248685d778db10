import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Batch } from '../queue/batch.js';
import { batchPath, contentOf, recordsBytes, writeMessages } from './batch-file.js';
import { FileReader, type FileSystem, flushFolders } from './file-system.js';
import { OwnFile } from './own-file.js';
import type { OwnerFolder } from './owner-folder.js';
import type { EndLater } from './recovery.js';
import { isPassing } from './system-errors.js';

/** A batch of this client, and how much of it is in the journal. */
interface OwnBatch {
  readonly batch: Batch;
  /** Nearly always one: what comes after a note, or after messages that had ended before they were written, goes into another. */
  readonly files: OwnFile[];
  /** The number of its messages, from the first, that were handed to the operating system. */
  written: number;
  /** The number of its messages that have not ended. */
  waiting: number;
  waitingBytes: number;
}

export interface OwnBatchesOptions {
  /** True when somebody calls `flush`. If nobody does, the file of a whole batch needs no handle. */
  readonly isFlushed: boolean;
}

/**
 * The batches that this client accepts, a file each, in the client's folder. A message is appended to the file of its batch. When every
 * message of a batch has ended, its file is removed.
 */
export class OwnBatches {
  readonly #fs: FileSystem;
  readonly #folder: Pick<OwnerFolder, 'path' | 'root' | 'firstNumber' | 'isRemoved'>;
  readonly #isFlushed: boolean;
  readonly #batches = new Map<Batch, OwnBatch>();
  /** Batches that grew since the last write. */
  readonly #grown = new Set<OwnBatch>();
  /** The file that was made last, with its handle open. */
  #open: OwnFile | undefined;
  #files = 0;
  /** Files with something to be flushed, in the order in which they were made. */
  readonly #unflushed = new Set<OwnFile>();
  #isFolderUnflushed = true;
  /** Files whose messages have all ended, and those with a note to be written. */
  #over: OwnFile[] = [];
  readonly #noted = new Set<OwnFile>();
  #waitingBytes = 0;
  #staging = Buffer.alloc(0);

  constructor(
    fs: FileSystem,
    folder: Pick<OwnerFolder, 'path' | 'root' | 'firstNumber' | 'isRemoved'>,
    { isFlushed }: OwnBatchesOptions,
  ) {
    this.#fs = fs;
    this.#folder = folder;
    this.#isFlushed = isFlushed;
  }

  /** The size of the messages that have not ended. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** True once its files are gone for good, and not only out of sight. */
  get isDeleted(): boolean {
    return this.#folder.isRemoved || this.#open?.isUnlinked === true;
  }

  /** A message came to the end of this batch. */
  noteAdded(batch: Batch): void {
    let own = this.#batches.get(batch);
    if (own === undefined) {
      own = { batch, files: [], written: 0, waiting: 0, waitingBytes: 0 };
      this.#batches.set(batch, own);
    }
    this.#grown.add(own);
    own.waiting++;
    this.#count(own, batch.bytesOf(batch.count - 1, batch.count));
  }

  /** Returns how many messages of a batch, from the first, are there for the next process. */
  writtenOf(batch: Batch): number {
    const own = this.#batches.get(batch);
    if (own === undefined || this.isDeleted) return 0;
    const isMissing = own.files.some((file) => file.isMissing);
    // A folder that was moved has them.
    return isMissing && this.#fs.existsSync(this.#folder.path) ? 0 : own.written;
  }

  /**
   * The messages of a batch from `from` up to, and without, `to` have ended: they are not sent again.
   *
   * @param endLater ends those that get dead letters, which have to be written first
   */
  noteEnded(batch: Batch, from: number, to: number, endLater: EndLater = (end) => end()): void {
    const own = this.#batches.get(batch);
    if (own === undefined) return;
    // A message that could not be read back is counted with the bytes that it had.
    this.#count(own, batch.isOver ? -own.waitingBytes : -batch.bytesOf(from, to));
    if (batch.isOver) this.#batches.delete(batch);
    const kept = batch.keptOf(from, to).length;
    endLater(() => this.#end(own, from, to, kept));
  }

  /** One message of a batch is not sent any more. */
  noteDropped(batch: Batch, index: number, bytes: number): void {
    const own = this.#batches.get(batch);
    if (own === undefined) return;
    this.#end(own, index, index + 1, 1);
    this.#count(own, -bytes);
  }

  /** Writes which messages ended, and which came, since the last time. @throws the system's error; the next call writes the rest */
  write(): void {
    // First, as it makes room on a full disk.
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

  /** Resolves when all that was written before is on the disk. @throws the system's error */
  async flush(): Promise<void> {
    // One after the other: of the files after one that fails, nothing is flushed yet.
    for (const file of [...this.#unflushed]) await this.#flushFile(file);
    // A new file is on the disk only once its folder is.
    if (!this.#isFolderUnflushed) return;
    await flushFolders(this.#fs, this.#folder.path, this.#folder.root);
    this.#isFolderUnflushed = false;
  }

  /** Overwrites all messages that have ended, one batch in each turn of the event loop. @throws the system's error */
  async erase(): Promise<void> {
    this.#removeOver();
    for (const file of [...this.#batches.values()].flatMap(({ files }) => files)) {
      file.erase();
      this.#noted.delete(file);
      await nextTurn();
    }
  }

  /** Says whether a batch can be read back, because every message of it is written. */
  holds(batch: Batch): boolean {
    return this.#batches.get(batch)?.written === batch.count;
  }

  /** All messages of a batch that it holds; undefined for one that cannot be read. @throws the system's error when that may pass */
  async read(batch: Batch): Promise<(Buffer | undefined)[]> {
    const found = Array<Buffer | undefined>(batch.count).fill(undefined);
    for (const { path, first } of this.#batches.get(batch)?.files ?? []) {
      try {
        const bytes = await new FileReader(this.#fs).read(path);
        for (const { index, json } of contentOf(bytes).messages) {
          if (first + index < found.length) found[first + index] = json;
        }
      } catch (error) {
        if (isPassing(error)) throw error;
      }
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
      this.#over.push(...own.files);
      this.#grown.delete(own);
      return;
    }
    for (const file of own.files) this.#noteIn(file, from, to);
  }

  #noteIn(file: OwnFile, from: number, to: number): void {
    file.noteEnded(from, to);
    if (file.hasNews) this.#noted.add(file);
  }

  #removeOver(): void {
    this.#over = this.#over.filter((file) => {
      this.#unflushed.delete(file);
      this.#noted.delete(file);
      try {
        file.remove();
        return false;
      } catch {
        // The next write tries again.
        return true;
      }
    });
  }

  #append(own: OwnBatch): void {
    const { batch, written } = own;
    // Messages that have ended meanwhile need not be kept.
    const from = Math.max(written, batch.results.ended);
    if (from >= batch.count) return;
    const last = own.files.at(-1);
    const file = last?.takes(from) ? last : this.#begin(own, from);
    const records = this.#stage(batch, from, batch.count, from - file.first);
    this.#wrote(file, () => file.append(records, records.length, batch.count - from));
    own.written = batch.count;
    // With flushes, a loss of power may still take them.
    if (!this.#isFlushed) batch.results.stored = batch.count;
  }

  #begin(own: OwnBatch, first: number): OwnFile {
    const { path, firstNumber } = this.#folder;
    const file = new OwnFile(this.#fs, batchPath(path, firstNumber + this.#files), own.batch, first);
    if (this.#open !== undefined && !this.#unflushed.has(this.#open)) this.#open.close();
    this.#open = file;
    this.#files++;
    this.#isFolderUnflushed = true;
    own.files.push(file);
    return file;
  }

  /** The records of messages of a batch, good until the next call. @param place that of the first in its file */
  #stage(batch: Batch, from: number, to: number, place: number): Buffer {
    const lengths: number[] = [];
    const hasDropped = batch.dropped.size > 0;
    for (let index = from; index < to; index++) {
      // One that was dropped counts no bytes, and is written as the spaces that stand in its place.
      lengths.push(hasDropped ? batch.messages(index, index + 1).length : batch.bytesOf(index, index + 1));
    }
    const messages = batch.messages(from, to);
    const bytes = recordsBytes(lengths.length, messages.length);
    if (this.#staging.length < bytes) this.#staging = Buffer.allocUnsafeSlow(bytes * 2);
    return this.#staging.subarray(0, writeMessages(this.#staging, place, messages, lengths));
  }

  /** Whether it fails or not, something may be to flush. */
  #wrote(file: OwnFile, write: () => void): void {
    if (this.#isFlushed) this.#unflushed.add(file);
    write();
  }

  async #flushFile(file: OwnFile): Promise<void> {
    try {
      await file.flush(() => this.#recordsOf(file));
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

  /** The messages of a file as they were written to it; undefined when they are not in memory. */
  #recordsOf(file: OwnFile): Buffer | undefined {
    const { batch, first, count } = file;
    if (!batch.isLoaded || count === 0) return undefined;
    // An erasure may have overwritten those that had ended.
    this.#noteIn(file, first, batch.results.ended);
    return this.#stage(batch, first, first + count, 0);
  }

  #count(own: OwnBatch, bytes: number): void {
    own.waitingBytes += bytes;
    this.#waitingBytes += bytes;
  }
}
