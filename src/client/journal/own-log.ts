import type { Batch } from '../queue/batch.js';
import { EndedFile } from './ended-file.js';
import type { FileSystem } from './file-system.js';
import { type MessageRun, messagesOf, recordsIn } from './message-record.js';
import type { Region } from './segment.js';
import { SegmentLog, type SegmentLogOptions } from './segment-log.js';
import { type EndLater, SequenceSet } from './sequence-set.js';
import { isPassing } from './system-errors.js';

/** The size that a segment grows to. Pages that were written before are written again for a fifth of the price of new ones. */
const MOST_SEGMENT_BYTES = 8 * 2 ** 20;
const LEAST_SEGMENT_BYTES = 64 * 2 ** 10;

const NOTHING = Buffer.alloc(0);

/** Segments are so small that the bytes in use follow the bytes that wait. */
const segmentBytesFor = (maxBytes: number): number =>
  Math.min(MOST_SEGMENT_BYTES, Math.max(LEAST_SEGMENT_BYTES, Math.floor(maxBytes / 8)));

/** A batch of this client, and how much of it is in the journal. */
interface Logged {
  readonly batch: Batch;
  /** The sequence number of its first message; the others follow without a gap. */
  readonly first: number;
  /** The number of its messages, from the first, that were handed to the operating system. */
  written: number;
  /** The size of its messages that have not ended, in bytes. */
  waitingBytes: number;
}

export interface OwnLogOptions extends Pick<SegmentLogOptions, 'root' | 'isFlushed'> {
  /** The most bytes that may wait. */
  readonly maxBytes: number;
}

/** The messages that this client accepts, in the client's folder. */
export class OwnLog {
  readonly #fs: FileSystem;
  readonly #segments: SegmentLog;
  readonly #endedFile: EndedFile;
  readonly #ended = new SequenceSet();
  readonly #logged = new Map<Batch, Logged>();
  /** Batches that grew since the last write. */
  readonly #grown = new Set<Logged>();
  #newest: Logged | undefined;
  /** The sequence number of the next message, that after the last that was written, and up to which all is where it has to be. */
  #next = 0;
  #written = 0;
  #reached = 0;
  #waitingBytes = 0;
  /** The number of segments, and the last message, when the log last noted which messages have ended. */
  #noted = 0;
  #notedReached = 0;
  #isEndedDirty = false;
  readonly #isFlushed: boolean;

  /** @throws the system's error */
  constructor(fs: FileSystem, folder: string, { maxBytes, root, isFlushed }: OwnLogOptions) {
    this.#fs = fs;
    this.#isFlushed = isFlushed;
    this.#segments = new SegmentLog(fs, folder, { root, isFlushed, segmentBytes: segmentBytesFor(maxBytes) });
    this.#endedFile = new EndedFile(fs, folder);
    // Both files get their room on the disk at once: on a full one, what ends can still be noted.
    for (let file = 0; file < 2; file++) this.#endedFile.write({ sequences: this.#ended, reached: 0 });
  }

  /** The size of the messages that have not ended. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** True when nothing that was written to it is for the next process. */
  get isEmpty(): boolean {
    return [...this.#logged.values()].every(({ written }) => written === 0);
  }

  /** True once its files are gone for good, and not only out of sight. */
  get isDeleted(): boolean {
    return this.#endedFile.isDeleted || this.#segments.isDeleted;
  }

  /** A message came to the end of this batch. */
  noteAdded(batch: Batch): void {
    if (this.#newest?.batch !== batch) {
      this.#newest = { batch, first: this.#next, written: 0, waitingBytes: 0 };
      this.#logged.set(batch, this.#newest);
    }
    this.#grown.add(this.#newest);
    this.#next++;
    this.#count(this.#newest, batch.bytesOf(batch.count - 1, batch.count));
  }

  /** Returns how many messages of a batch, from the first, were handed to the operating system. */
  writtenOf(batch: Batch): number {
    return this.#logged.get(batch)?.written ?? 0;
  }

  /**
   * The messages of a batch from `from` up to, and without, `to` have ended: they are not sent again.
   *
   * @param endLater ends those that get dead letters, which have to be written first
   */
  noteEnded(batch: Batch, from: number, to: number, endLater?: EndLater): void {
    const logged = this.#logged.get(batch);
    if (logged === undefined) return;
    // A message that was never written is in its dead letter alone.
    const heldTo = endLater === undefined ? from : Math.max(from, Math.min(to, logged.written));
    if (from < heldTo) endLater?.(() => this.#end(logged.first + from, logged.first + heldTo));
    this.#end(logged.first + heldTo, logged.first + to);
    // A message that could not be read back is counted with the bytes that it had.
    this.#count(logged, batch.isOver ? -logged.waitingBytes : -batch.bytesOf(from, to));
    if (batch.isOver) this.#logged.delete(batch);
  }

  /** One message of a batch is not sent any more. */
  noteDropped(batch: Batch, index: number, bytes: number): void {
    const logged = this.#logged.get(batch);
    if (logged === undefined) return;
    this.#end(logged.first + index, logged.first + index + 1);
    this.#count(logged, -bytes);
  }

  /** Writes over all messages that have ended. @throws the system's error */
  erase(): Promise<void> {
    return this.#segments.erase((sequence) => !this.#ended.has(sequence));
  }

  /** Writes which messages ended, and which came, since the last time. @throws the system's error; the next call writes the rest */
  write(): void {
    // The ended ones first: on a full disk they make room, and the log then lacks no message that still waits.
    if (this.#isEndedDirty) {
      this.#noteReached();
      this.#segments.release(this.#ended);
      this.#isEndedDirty = false;
    }
    for (const logged of this.#grown) {
      this.#append(logged);
      this.#grown.delete(logged);
    }
    // By this note a reader knows that the last segment is missing.
    if (this.#segments.opened !== this.#noted) this.#noteReached();
  }

  /** Resolves when all that was written before is on the disk. @throws the system's error */
  async flush(): Promise<void> {
    const written = this.#written;
    await this.#segments.flush();
    this.#reached = written;
    this.#noteReached();
  }

  /** The next write notes what was reached: a reader takes what is missing behind that for a write that was cut off. */
  markReached(): boolean {
    const isNews = this.#reached !== this.#notedReached;
    this.#isEndedDirty ||= isNews;
    return isNews;
  }

  /** Says whether a batch can be read back, because every message of it is written. */
  holds(batch: Batch): boolean {
    return this.#logged.get(batch)?.written === batch.count;
  }

  /** All messages of a batch that it holds; undefined for one that cannot be read. @throws the system's error when that may pass */
  async read(batch: Batch): Promise<(Buffer | undefined)[]> {
    const found = Array<Buffer | undefined>(batch.count).fill(undefined);
    const logged = this.#logged.get(batch);
    if (logged === undefined) return found;
    const regions = this.#segments.regionsOf(logged.first, logged.first + batch.count);
    for (const region of await Promise.all(regions.map((each) => readRegion(this.#fs, each)))) {
      for (const record of recordsIn(region, 0, logged.first)) {
        for (const { sequence, json } of record.isReadable ? messagesOf(region, record) : []) {
          if (sequence - logged.first < found.length) found[sequence - logged.first] = json;
        }
      }
    }
    return found;
  }

  close(): void {
    this.#segments.close();
    this.#endedFile.close();
  }

  #end(from: number, to: number): void {
    this.#ended.add(from, to);
    this.#isEndedDirty = true;
  }

  #append(logged: Logged): void {
    const { batch, first, written } = logged;
    // Messages that have ended meanwhile need not be kept.
    const from = Math.max(written, batch.results.ended);
    if (from >= batch.count) return;
    this.#segments.append(first + from, runOf(batch, from));
    logged.written = batch.count;
    this.#written = first + batch.count;
    // With flushes, a loss of power may still take them.
    if (this.#isFlushed) return;
    batch.results.stored = batch.count;
    this.#reached = this.#written;
  }

  #noteReached(): void {
    this.#endedFile.write({ sequences: this.#ended, reached: this.#reached });
    this.#noted = this.#segments.opened;
    this.#notedReached = this.#reached;
  }

  #count(logged: Logged, bytes: number): void {
    logged.waitingBytes += bytes;
    this.#waitingBytes += bytes;
  }
}

/** The bytes of a region; none when they cannot be read. @throws the system's error when that may pass */
async function readRegion(fs: FileSystem, { path, from, to }: Region): Promise<Buffer> {
  let handle: number | undefined;
  try {
    // At once: what it holds may be written elsewhere before the next turn.
    const opened = fs.openSync(path, 'r');
    handle = opened;
    return await new Promise((resolve, reject) => {
      fs.read(opened, Buffer.allocUnsafeSlow(to - from), 0, to - from, from, (error, bytesRead, bytes) =>
        error ? reject(error) : resolve(bytes.subarray(0, bytesRead)),
      );
    });
  } catch (error) {
    if (isPassing(error)) throw error;
    return NOTHING;
  } finally {
    if (handle !== undefined) fs.closeSync(handle);
  }
}

function runOf(batch: Batch, from: number): MessageRun {
  const lengths: number[] = [];
  const hasDropped = batch.dropped.size > 0;
  for (let index = from; index < batch.count; index++) {
    // One that was dropped counts no bytes, and is written as the spaces that stand in its place.
    lengths.push(hasDropped ? batch.messages(index, index + 1).length : batch.bytesOf(index, index + 1));
  }
  return { bytes: batch.messages(from, batch.count), lengths };
}
