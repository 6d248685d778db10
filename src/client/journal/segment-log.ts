import { closeSync, constants, fdatasync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type MessageRun, recordBytes, writeRecord } from './record.js';
import { HEAD_BYTES, SEGMENT_HEAD, SEQUENCE_AT, segmentName } from './segment-file.js';

const flushData = promisify(fdatasync);

const MOST_SPARE = 2;

/** The log begins its last segment anew when all messages in it have ended and it is filled beyond this part. */
const RESTART_PART = 1 / 8;

export interface SegmentLogOptions {
  /** The folder of the journal: its client may have made all folders from there down. */
  readonly root: string;
  /** How large a segment grows. */
  readonly segmentBytes: number;
}

interface Segment {
  readonly path: string;
  readonly handle: number;
  /** Where the next record is written. */
  end: number;
  /** The sequence number after that of its last message. */
  next: number;
  isDirty: boolean;
}

/** Where a record lies. */
export interface RecordPlace {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

/** Files to which a client appends messages. It uses a file anew when every message in it has ended. */
export class SegmentLog {
  readonly #folder: string;
  readonly #options: SegmentLogOptions;
  readonly #segments: Segment[] = [];
  readonly #spare: string[] = [];
  #bytes = 0;
  #opened = 0;
  #isFolderDirty = false;
  #staging = Buffer.alloc(0);

  constructor(folder: string, options: SegmentLogOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** Of the segments in use. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Hands a record to the operating system. @throws the system's error; then nothing was appended */
  append(sequence: number, run: MessageRun): RecordPlace {
    const bytes = recordBytes(run.lengths.length, run.bytes.length);
    let segment = this.#segments.at(-1);
    if (segment === undefined || segment.end + bytes > this.#options.segmentBytes) segment = this.#begin(sequence);
    if (this.#staging.length < bytes) this.#staging = Buffer.allocUnsafeSlow(bytes * 2);
    writeRecord(this.#staging, sequence, run);
    writeAll(segment.handle, this.#staging, bytes, segment.end);
    const place = { path: segment.path, from: segment.end, to: segment.end + bytes };
    segment.end = place.to;
    this.#bytes += bytes;
    segment.next = sequence + run.lengths.length;
    segment.isDirty = true;
    return place;
  }

  /** Resolves when all that was appended before is on the disk. */
  async flush(): Promise<void> {
    const dirty = this.#segments.filter(({ isDirty }) => isDirty);
    for (const segment of dirty) segment.isDirty = false;
    await Promise.all(dirty.map(({ handle }) => flushData(handle)));
    // A new file is on the disk only once its folder is.
    if (this.#isFolderDirty) await this.#flushFolders();
  }

  /** Every message below `sequence` has ended: the log uses segments without any other anew. */
  release(sequence: number): void {
    for (let first = this.#segments[0]; first !== undefined; first = this.#segments[0]) {
      if (first.next > sequence) return;
      if (this.#segments.length === 1) {
        if (first.end > this.#options.segmentBytes * RESTART_PART) this.#restart(first);
        return;
      }
      this.#retire(first);
    }
  }

  close(): void {
    for (const { handle } of this.#segments.splice(0)) closeSync(handle);
  }

  #begin(sequence: number): Segment {
    const path = join(this.#folder, segmentName(++this.#opened));
    const spare = this.#spare.pop();
    if (spare !== undefined) renameSync(spare, path);
    const handle = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    const segment: Segment = { path, handle, end: HEAD_BYTES, next: sequence, isDirty: true };
    try {
      writeHead(handle, sequence);
    } catch (error) {
      closeSync(handle);
      throw error;
    }
    this.#isFolderDirty = true;
    this.#bytes += HEAD_BYTES;
    this.#segments.push(segment);
    return segment;
  }

  /** A new folder is on the disk only once the folder above it is. */
  async #flushFolders(): Promise<void> {
    const { root } = this.#options;
    this.#isFolderDirty = false;
    for (let path = this.#folder; path.startsWith(root); path = dirname(path)) {
      const folder = await open(path);
      // Windows cannot flush a folder, and need not.
      await folder.sync().catch(() => {});
      await folder.close();
      if (path === root) return;
    }
  }

  #restart(segment: Segment): void {
    writeHead(segment.handle, segment.next);
    this.#bytes -= segment.end - HEAD_BYTES;
    segment.end = HEAD_BYTES;
  }

  #retire(segment: Segment): void {
    this.#segments.shift();
    this.#bytes -= segment.end;
    closeSync(segment.handle);
    if (this.#spare.length >= MOST_SPARE) {
      rmSync(segment.path, { force: true });
      return;
    }
    const spare = `${segment.path}.spare`;
    renameSync(segment.path, spare);
    this.#spare.push(spare);
  }
}

function writeHead(handle: number, sequence: number): void {
  const head = Buffer.alloc(HEAD_BYTES);
  head.write(SEGMENT_HEAD, 'latin1');
  head.writeDoubleLE(sequence, SEQUENCE_AT);
  writeAll(handle, head, HEAD_BYTES, 0);
}

function writeAll(handle: number, bytes: Buffer, length: number, position: number): void {
  for (let done = 0; done < length; ) done += writeSync(handle, bytes, done, length - done, position + done);
}
