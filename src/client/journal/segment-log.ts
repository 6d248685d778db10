import { constants } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { eraseInSegment, removeUnread } from './erase.js';
import { type FileSystem, systemCodeOf, writeAll } from './file-system.js';
import { type MessageRun, recordBytes, writeRecord } from './record.js';
import { encodeHead, HEAD_BYTES, segmentName } from './segment-file.js';
import type { SequenceSet } from './sequence-set.js';

const MOST_SPARE = 2;

/** The log begins its last segment anew when all messages in it have ended and it is filled beyond this part. */
const RESTART_PART = 1 / 8;

export interface SegmentLogOptions {
  /** The lowest folder that was there before: the client has made those from there down. */
  readonly root: string;
  /** How large a segment grows. */
  readonly segmentBytes: number;
  /** Whether `flush` is called. If not, a full segment needs no handle. */
  readonly isFlushed: boolean;
}

interface Segment {
  readonly number: number;
  readonly path: string;
  /** Undefined once it is full and flushed: it is only read from then on. */
  handle: number | undefined;
  /** The sequence number of its first message, and that after its last. */
  first: number;
  next: number;
  /** Where the next record is written. */
  end: number;
  /** As much of it as is on the disk for certain, and the sequence number after that of its last message there. */
  flushed: { readonly end: number; readonly next: number };
  /** A write or a flush of it has failed: nothing is written to it any more. */
  isSealed: boolean;
  /** A flush of it has failed: what was not flushed before has to be written elsewhere. */
  isBroken: boolean;
  /** Where its unflushed records are now, and by how many bytes they were moved. */
  moved: { readonly to: Segment; readonly by: number } | undefined;
}

/** Where a record lies. */
export class RecordPlace {
  readonly #segment: Segment;
  readonly #from: number;
  readonly #bytes: number;

  constructor(segment: Segment, from: number, bytes: number) {
    this.#segment = segment;
    this.#from = from;
    this.#bytes = bytes;
  }

  /** Where it is now: a failed flush moves records. */
  get now(): { readonly path: string; readonly from: number; readonly to: number } {
    let [segment, from] = [this.#segment, this.#from];
    while (segment.moved !== undefined && from >= segment.flushed.end) {
      from += segment.moved.by;
      segment = segment.moved.to;
    }
    return { path: segment.path, from, to: from + this.#bytes };
  }
}

/**
 * Files to which a client appends messages. It uses a file anew when every message in it has ended.
 *
 * A write that fails seals its segment, as a part of the record may be in there: the head of the next one says where it ended. A
 * flush that fails seals it too, and what was not flushed before is written to another, as the system may have forgotten it: a later
 * flush would succeed without it.
 */
export class SegmentLog {
  readonly #fs: FileSystem;
  readonly #folder: string;
  readonly #options: SegmentLogOptions;
  readonly #segments: Segment[] = [];
  readonly #spare: string[] = [];
  #opened = 0;
  #isFolderDirty = true;
  #staging = Buffer.alloc(0);

  constructor(fs: FileSystem, folder: string, options: SegmentLogOptions) {
    this.#fs = fs;
    this.#folder = folder;
    this.#options = options;
  }

  /** How many segments there were so far. */
  get opened(): number {
    return this.#opened;
  }

  /** Hands a record to the operating system. @throws the system's error; then nothing was appended */
  append(sequence: number, run: MessageRun): RecordPlace {
    this.#mend();
    const bytes = recordBytes(run.lengths.length, run.bytes.length);
    const last = this.#segments.at(-1);
    const isFree = last !== undefined && !last.isSealed && last.end + bytes <= this.#options.segmentBytes;
    const segment = isFree ? last : this.#begin(sequence);
    if (this.#staging.length < bytes) this.#staging = Buffer.allocUnsafeSlow(bytes * 2);
    writeRecord(this.#staging, sequence, run);
    this.#write(segment, this.#staging, bytes);
    const place = new RecordPlace(segment, segment.end, bytes);
    segment.end += bytes;
    segment.next = sequence + run.lengths.length;
    return place;
  }

  /** Resolves when all that was appended before is on the disk. @throws the system's error */
  async flush(): Promise<void> {
    this.#mend();
    // One after the other: of the segments after one that fails, nothing is flushed yet.
    for (const segment of this.#segments.filter(isDirty)) await this.#flushSegment(segment);
    // A new file is on the disk only once its folder is.
    if (this.#isFolderDirty) await this.#flushFolders();
  }

  /** These messages have ended: the log uses segments without any other anew. */
  release(ended: SequenceSet): void {
    for (const segment of this.#segments.slice(0, -1)) {
      if (ended.covers(segment.first, segment.next)) this.#retire(segment);
      else if (ended.ranges.length === 0) return;
    }
    const last = this.#segments.at(-1);
    if (last === undefined || last.isSealed || !ended.covers(last.first, last.next)) return;
    if (last.end > this.#options.segmentBytes * RESTART_PART) this.#restart(last);
  }

  /**
   * Writes over all messages but those that stay, a segment in each turn of the event loop. Others may be written meanwhile.
   *
   * @throws the system's error
   */
  async erase(stays: (sequence: number) => boolean): Promise<void> {
    this.#mend();
    const done = new Set<Segment>();
    const next = (): Segment | undefined => this.#segments.find((segment) => !done.has(segment));
    for (let segment = next(); segment !== undefined; segment = next()) {
      eraseInSegment(this.#fs, segment, { stays, erasesDamage: true });
      done.add(segment);
      await nextTurn();
    }
    removeUnread(this.#fs, this.#folder, this.#segments);
    this.#spare.length = 0;
  }

  close(): void {
    for (const segment of this.#segments.splice(0)) this.#closeFile(segment);
  }

  #write(segment: Segment, bytes: Buffer, length: number): void {
    try {
      writeAll(this.#fs, handleOf(segment), bytes, length, segment.end);
    } catch (error) {
      segment.isSealed = true;
      this.#cutBack(segment);
      throw error;
    }
  }

  /** Removes the part of a record. Not relied upon: a disk that copies what it changes needs room for this too. */
  #cutBack(segment: Segment): void {
    try {
      this.#fs.ftruncateSync(handleOf(segment), segment.end);
    } catch {
      // The head of the next segment says where this one ended.
    }
  }

  #begin(sequence: number): Segment {
    const last = this.#segments.at(-1);
    const segment = this.#open(sequence, last?.number ?? 0, last?.end ?? 0);
    if (last !== undefined && !this.#options.isFlushed) this.#closeFile(last);
    this.#segments.push(segment);
    return segment;
  }

  #open(sequence: number, previous: number, previousEnd: number): Segment {
    const number = this.#opened + 1;
    const path = join(this.#folder, segmentName(number));
    const spare = this.#spare.at(-1);
    if (spare !== undefined) this.#fs.renameSync(spare, path);
    this.#spare.pop();
    const handle = this.#fs.openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      writeAll(this.#fs, handle, encodeHead({ sequence, previous, previousEnd }), HEAD_BYTES, 0);
    } catch (error) {
      // Its number is used again: a disk that stays full would gather empty files.
      this.#fs.closeSync(handle);
      this.#fs.rmSync(path, { force: true });
      throw error;
    }
    this.#opened = number;
    this.#isFolderDirty = true;
    const flushed = { end: HEAD_BYTES, next: sequence };
    const state = { end: HEAD_BYTES, first: sequence, next: sequence, isSealed: false, isBroken: false };
    return { number, path, handle, flushed, moved: undefined, ...state };
  }

  async #flushSegment(segment: Segment): Promise<void> {
    const { end, first, next, handle } = segment;
    if (handle === undefined) return;
    try {
      await promisify(this.#fs.fdatasync)(handle);
    } catch (error) {
      // Every message of it may have ended meanwhile.
      if (!this.#segments.includes(segment)) return;
      segment.isSealed = true;
      segment.isBroken = true;
      throw error;
    }
    if (segment.first !== first) return;
    segment.flushed = { end, next };
    if (segment !== this.#segments.at(-1) && segment.end === end) this.#closeFile(segment);
  }

  /** Writes what a failed flush has left in doubt to a new segment. @throws the system's error; the next call tries again */
  #mend(): void {
    const at = this.#segments.findIndex(({ isBroken }) => isBroken);
    // Nothing of the later ones was flushed: a flush goes through all in order.
    const [broken, ...later] = at === -1 ? [] : this.#segments.slice(at);
    if (broken === undefined) return;
    const { flushed } = broken;
    const target = this.#open(flushed.next, broken.number, flushed.end);
    try {
      for (const segment of [broken, ...later]) this.#move(segment, target);
    } catch (error) {
      for (const segment of [broken, ...later]) segment.moved = undefined;
      this.#remove(target);
      throw error;
    }
    this.#segments.splice(at, later.length + 1, broken, target);
    Object.assign(broken, { ...flushed, isBroken: false });
    this.#closeFile(broken);
    for (const segment of later) this.#remove(segment);
  }

  /** Copies its unflushed records behind those of another. */
  #move(segment: Segment, target: Segment): void {
    const from = segment.flushed.end;
    const records = Buffer.allocUnsafeSlow(segment.end - from);
    for (let done = 0; done < records.length; ) {
      const read = this.#fs.readSync(handleOf(segment), records, done, records.length - done, from + done);
      if (read === 0) throw new Error(`${segment.path} ends at ${from + done}, expected ${segment.end} bytes`);
      done += read;
    }
    this.#write(target, records, records.length);
    segment.moved = { to: target, by: target.end - from };
    target.end += records.length;
    target.next = segment.next;
  }

  /** A new folder is on the disk only once the folder above it is. */
  async #flushFolders(): Promise<void> {
    const { root } = this.#options;
    for (let path = this.#folder; ; path = dirname(path)) {
      await flushFolder(this.#fs, path);
      if (path === root || path === dirname(path)) break;
    }
    this.#isFolderDirty = false;
  }

  #restart(segment: Segment): void {
    const last = this.#segments.at(-2);
    const head = { sequence: segment.next, previous: last?.number ?? 0, previousEnd: last?.end ?? 0 };
    writeAll(this.#fs, handleOf(segment), encodeHead(head), HEAD_BYTES, 0);
    segment.first = segment.next;
    segment.end = HEAD_BYTES;
    segment.flushed = { end: HEAD_BYTES, next: segment.next };
  }

  #retire(segment: Segment): void {
    this.#segments.splice(this.#segments.indexOf(segment), 1);
    const spare = `${segment.path}.spare`;
    try {
      if (this.#spare.length >= MOST_SPARE || segment.isSealed) {
        this.#remove(segment);
        return;
      }
      this.#closeFile(segment);
      this.#fs.renameSync(segment.path, spare);
      this.#spare.push(spare);
    } catch {
      // It holds nothing that waits, and goes with its folder.
    }
  }

  #remove(segment: Segment): void {
    this.#closeFile(segment);
    this.#fs.rmSync(segment.path, { force: true });
  }

  #closeFile(segment: Segment): void {
    if (segment.handle !== undefined) this.#fs.closeSync(segment.handle);
    segment.handle = undefined;
  }
}

const isDirty = ({ end, flushed }: Segment): boolean => end !== flushed.end;

function handleOf({ handle, path }: Segment): number {
  if (handle === undefined) throw new Error(`${path} is closed`);
  return handle;
}

/** @throws the system's error */
async function flushFolder(fs: FileSystem, path: string): Promise<void> {
  const folder = await fs.promises.open(path);
  try {
    await folder.sync();
  } catch (error) {
    // Windows cannot flush a folder, and need not.
    if (!CANNOT_FLUSH.includes(systemCodeOf(error))) throw error;
  } finally {
    await folder.close();
  }
}

const CANNOT_FLUSH: readonly string[] = ['EPERM', 'EISDIR', 'EINVAL', 'ENOTSUP'];
