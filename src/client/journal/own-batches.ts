import { constants } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Batch } from '../queue/batch.js';
import {
  batchPath,
  contentOf,
  draftOf,
  erasedCopy,
  noteOf,
  type Places,
  recordsBytes,
  writeMessages,
} from './batch-file.js';
import {
  FileReader,
  type FileSystem,
  flushFolders,
  isGone,
  isUnlinked,
  systemCodeOf,
  writeAll,
  writeOver,
} from './file-system.js';
import type { OwnerFolder } from './owner-folder.js';
import type { EndLater } from './recovery.js';
import { isPassing } from './system-errors.js';

/** A batch of this client, and how much of it is in the journal. */
interface OwnBatch {
  readonly batch: Batch;
  /** Nearly always one: a write that fails closes a file, and what comes then goes into another. */
  files: OwnFile[];
  /** The number of its messages, from the first, that were handed to the operating system. */
  written: number;
  /** The number of its messages that have not ended. */
  waiting: number;
  waitingBytes: number;
}

interface OwnFile {
  readonly of: OwnBatch;
  readonly path: string;
  /** The place in the batch of its first message. */
  readonly first: number;
  /** The number of its messages, and the end of the last record. */
  count: number;
  end: number;
  /** What is known to be on the disk. Less than `end` only matters where somebody flushes. */
  flushedEnd: number;
  handle: number | undefined;
  /** True after a write that failed: nothing is appended any more. */
  isClosed: boolean;
  /** True after a flush that failed: what it did not cover is written anew. */
  isBroken: boolean;
  /** Places of messages that have ended, which it does not note yet. */
  ended: Places[];
  hasErasable: boolean;
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
  readonly #folder: Pick<OwnerFolder, 'path' | 'root' | 'generation' | 'isRemoved'>;
  readonly #isFlushed: boolean;
  readonly #batches = new Map<Batch, OwnBatch>();
  /** Batches that grew since the last write. */
  readonly #grown = new Set<OwnBatch>();
  #newest: OwnBatch | undefined;
  /** The file that was made last, with its handle open. */
  #open: OwnFile | undefined;
  #files = 0;
  /** A file whose end a failed write has left in doubt, as it could not be cut off. */
  #tail: OwnFile | undefined;
  /** Files with something to be flushed, in the order in which they were made. */
  readonly #unflushed = new Set<OwnFile>();
  #flushing: OwnFile | undefined;
  #isFolderUnflushed = true;
  /** Files whose messages have all ended, and those with a note to be written. */
  #over: OwnFile[] = [];
  readonly #noted = new Set<OwnFile>();
  #waitingBytes = 0;
  #staging = Buffer.alloc(0);

  constructor(
    fs: FileSystem,
    folder: Pick<OwnerFolder, 'path' | 'root' | 'generation' | 'isRemoved'>,
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
    return this.#folder.isRemoved || (this.#open?.handle !== undefined && isUnlinked(this.#fs, this.#open.handle));
  }

  /** A message came to the end of this batch. */
  noteAdded(batch: Batch): void {
    if (this.#newest?.batch !== batch) {
      this.#newest = { batch, files: [], written: 0, waiting: 0, waitingBytes: 0 };
      this.#batches.set(batch, this.#newest);
    }
    this.#grown.add(this.#newest);
    this.#newest.waiting++;
    this.#count(this.#newest, batch.bytesOf(batch.count - 1, batch.count));
  }

  /** Returns how many messages of a batch, from the first, are there for the next process. */
  writtenOf(batch: Batch): number {
    const own = this.#batches.get(batch);
    if (own === undefined || this.isDeleted) return 0;
    const isMissing = own.files.some(({ path, handle }) => handle === undefined && isGone(this.#fs, path));
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
    this.#cutTail();
    // First, as it makes room on a full disk.
    this.#removeOver();
    this.#writeNotes();
    for (const own of this.#grown) {
      this.#append(own);
      this.#grown.delete(own);
    }
  }

  /** Resolves when all that was written before is on the disk. @throws the system's error */
  async flush(): Promise<void> {
    for (const file of this.#unflushed) if (file.isBroken) this.#writeAnew(file);
    // One after the other: of the files after one that fails, nothing is flushed yet.
    for (const file of [...this.#unflushed]) await this.#flushFile(file);
    // A new file is on the disk only once its folder is.
    if (!this.#isFolderUnflushed) return;
    await flushFolders(this.#fs, this.#folder.path, this.#folder.root);
    this.#isFolderUnflushed = false;
  }

  /**
   * Overwrites all messages that have ended, one batch in each turn of the event loop. This needs no room on the disk, and no note is written for these messages.
   *
   * @throws the system's error
   */
  async erase(): Promise<void> {
    this.#removeOver();
    for (const file of [...this.#batches.values()].flatMap(({ files }) => files)) {
      if (!file.hasErasable) continue;
      const bytes = this.#fs.readFileSync(file.path);
      const stays = (index: number): boolean => !file.ended.some(([from, to]) => from <= index && index < to);
      const after = erasedCopy({ bytes, isLast: true }, ({ index }) => stays(index), false);
      if (!after.equals(bytes)) writeOver(this.#fs, file.path, after, true);
      Object.assign(file, { hasErasable: false, ended: [] });
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
        for (const { index, json } of contentOf(bytes, true).messages) {
          if (first + index < found.length) found[first + index] = json;
        }
      } catch (error) {
        if (isPassing(error)) throw error;
      }
    }
    return found;
  }

  close(): void {
    for (const file of this.#unflushed) this.#close(file);
    if (this.#open !== undefined) this.#close(this.#open);
    this.#unflushed.clear();
  }

  #end(own: OwnBatch, from: number, to: number, kept: number): void {
    own.waiting -= kept;
    if (own.waiting === 0 && own.batch.isOver) {
      this.#over.push(...own.files);
      this.#grown.delete(own);
      return;
    }
    for (const file of own.files) {
      const places: Places = [Math.max(0, from - file.first), Math.min(file.count, to - file.first)];
      if (places[0] >= places[1]) continue;
      file.ended.push(places);
      file.hasErasable = true;
      this.#noted.add(file);
    }
  }

  #removeOver(): void {
    this.#over = this.#over.filter((file) => {
      this.#close(file);
      this.#unflushed.delete(file);
      this.#noted.delete(file);
      try {
        this.#fs.rmSync(file.path, { force: true });
        return false;
      } catch {
        // The next write tries again.
        return true;
      }
    });
  }

  #writeNotes(): void {
    for (const file of this.#noted) {
      const note = noteOf(file.count, file.ended);
      try {
        this.#writeAt(file, note, note.length);
      } catch (error) {
        // Somebody has removed it, and nothing of it would be sent again.
        if (systemCodeOf(error) !== 'ENOENT') throw error;
      }
      file.ended = [];
      this.#noted.delete(file);
    }
  }

  #append(own: OwnBatch): void {
    const { batch, written } = own;
    // Messages that have ended meanwhile need not be kept.
    const from = Math.max(written, batch.results.ended);
    if (from >= batch.count) return;
    const last = own.files.at(-1);
    const isFree = last !== undefined && !last.isClosed && !last.isBroken && last.first + last.count === from;
    const file = isFree ? last : this.#begin(own, from);
    const bytes = this.#stage(batch, from, batch.count, from - file.first);
    try {
      this.#writeAt(file, this.#staging, bytes);
    } catch (error) {
      file.isClosed = true;
      this.#tail = file;
      try {
        this.#cutTail();
      } catch {
        // The next write tries again, before anything else is written.
      }
      throw error;
    }
    file.count += batch.count - from;
    own.written = batch.count;
    // With flushes, a loss of power may still take them.
    if (!this.#isFlushed) batch.results.stored = batch.count;
  }

  #begin(own: OwnBatch, first: number): OwnFile {
    const path = batchPath(this.#folder.path, this.#folder.generation, this.#files + 1);
    const handle = this.#fs.openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC, 0o600);
    const before = this.#open;
    if (before !== undefined && !this.#unflushed.has(before)) this.#close(before);
    this.#open = {
      of: own,
      path,
      first,
      count: 0,
      end: 0,
      flushedEnd: 0,
      handle,
      isClosed: false,
      isBroken: false,
      ended: [],
      hasErasable: false,
    };
    this.#files++;
    this.#isFolderUnflushed = true;
    own.files.push(this.#open);
    return this.#open;
  }

  /** Writes the records of messages of a batch to the staging memory; returns their bytes. @param place that of the first in its file */
  #stage(batch: Batch, from: number, to: number, place: number): number {
    const lengths: number[] = [];
    const hasDropped = batch.dropped.size > 0;
    for (let index = from; index < to; index++) {
      // One that was dropped counts no bytes, and is written as the spaces that stand in its place.
      lengths.push(hasDropped ? batch.messages(index, index + 1).length : batch.bytesOf(index, index + 1));
    }
    const messages = batch.messages(from, to);
    const bytes = recordsBytes(lengths.length, messages.length);
    if (this.#staging.length < bytes) this.#staging = Buffer.allocUnsafeSlow(bytes * 2);
    return writeMessages(this.#staging, place, messages, lengths);
  }

  /** Writes behind the last record of a file. @throws the system's error */
  #writeAt(file: OwnFile, bytes: Buffer, length: number): void {
    const handle = file.handle ?? this.#fs.openSync(file.path, 'r+');
    try {
      writeAll(this.#fs, handle, bytes, length, file.end);
      file.end += length;
    } finally {
      if (file.handle === undefined) this.#fs.closeSync(handle);
      else if (this.#isFlushed) this.#unflushed.add(file);
    }
  }

  /** Cuts off what a failed write has left behind the last record, or removes a file without any. @throws the system's error */
  #cutTail(): void {
    const file = this.#tail;
    if (file === undefined) return;
    if (file.count === 0) {
      this.#fs.rmSync(file.path, { force: true });
      this.#close(file);
      this.#unflushed.delete(file);
      file.of.files = file.of.files.filter((each) => each !== file);
    } else if (file.handle !== undefined) this.#fs.ftruncateSync(file.handle, file.end);
    this.#tail = undefined;
  }

  async #flushFile(file: OwnFile): Promise<void> {
    const { end, handle } = file;
    if (handle === undefined) return;
    this.#flushing = file;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#fs.fdatasync(handle, (error) => (error ? reject(error) : resolve()));
      });
      file.flushedEnd = end;
    } catch (error) {
      // Every message of the file may have ended in the meantime.
      if (!this.#unflushed.has(file)) return;
      // After a failed flush, the operating system may discard the data, and a later flush would succeed without it.
      for (const each of this.#unflushed) each.isBroken = true;
      throw error;
    } finally {
      this.#flushing = undefined;
      const isDone = file.end === file.flushedEnd && !file.isBroken;
      if (isDone) this.#unflushed.delete(file);
      if (!this.#unflushed.has(file) && file !== this.#open) this.#close(file);
    }
  }

  /** Rewrites a file after its flush has failed, and replaces the old file with the new one. @throws the system's error; the next flush tries again */
  #writeAnew(file: OwnFile): void {
    const { batch } = file.of;
    const draft = draftOf(file.path);
    const length = batch.isLoaded ? this.#stage(batch, file.first, file.first + file.count, 0) : file.end;
    const bytes = batch.isLoaded ? this.#staging : this.#fs.readFileSync(file.path);
    const handle = this.#fs.openSync(draft, constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC, 0o600);
    try {
      writeAll(this.#fs, handle, bytes, length, 0);
      this.#fs.renameSync(draft, file.path);
    } catch (error) {
      this.#fs.closeSync(handle);
      this.#fs.rmSync(draft, { force: true });
      throw error;
    }
    this.#close(file);
    Object.assign(file, { handle, end: length, flushedEnd: 0, isBroken: false });
    this.#isFolderUnflushed = true;
    // The notes were in the old one.
    const ended = Math.min(file.count, batch.results.ended - file.first);
    if (!batch.isLoaded || ended <= 0) return;
    file.ended.push([0, ended]);
    this.#noted.add(file);
  }

  #close(file: OwnFile): void {
    if (file.handle === undefined || file === this.#flushing) return;
    this.#fs.closeSync(file.handle);
    file.handle = undefined;
  }

  #count(own: OwnBatch, bytes: number): void {
    own.waitingBytes += bytes;
    this.#waitingBytes += bytes;
  }
}
