import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { eraseInSegment, removeUnread } from './erase-messages.js';
import { type FileSystem, flushFolders, removeAll, renamed } from './file-system.js';
import { type MessageRun, recordBytes, writeRecord } from './message-record.js';
import { type RecordPlace, type Region, Segment } from './segment.js';
import { segmentName } from './segment-file.js';
import type { SequenceSet } from './sequence-set.js';

const MOST_SPARE = 2;

/** A segment that is filled up to this part takes so little room that nothing is done about it. */
const SMALL_PART = 1 / 8;

/** The log rewrites an old segment when all of a later one has ended, and no more than this part of the old one has not. */
const REST_PART = 1 / 4;

export interface SegmentLogOptions {
  /** The lowest folder that was there before: the client has made those from there down. */
  readonly root: string;
  /** The size that a segment grows to. */
  readonly segmentBytes: number;
  /** True when somebody calls `flush`. If nobody does, a full segment needs no handle. */
  readonly isFlushed: boolean;
}

/** Records of a segment that are written to another. */
interface Moved {
  readonly segment: Segment;
  readonly places: readonly RecordPlace[];
}

/**
 * Files to which a client appends messages. It uses a file anew when every message in it has ended, and rewrites one of which little
 * waits when later ones have ended: a batch that never ends holds no more of the disk than it needs.
 *
 * A write that fails seals its segment, as a part of the record may be in there: the head of the next one says from which message on
 * the records there count. A flush that fails seals it too, and what was not flushed before is written to another, as the system may
 * have forgotten it: a later flush would succeed without it.
 */
export class SegmentLog {
  readonly #fs: FileSystem;
  readonly #folder: string;
  readonly #options: SegmentLogOptions;
  #segments: Segment[] = [];
  readonly #spare: string[] = [];
  #opened = 0;
  #isFolderDirty = true;
  #staging = Buffer.alloc(0);

  constructor(fs: FileSystem, folder: string, options: SegmentLogOptions) {
    this.#fs = fs;
    this.#folder = folder;
    this.#options = options;
  }

  /** The number of segments so far. */
  get opened(): number {
    return this.#opened;
  }

  /** True once somebody has removed the file that it writes. */
  get isDeleted(): boolean {
    return this.#segments.at(-1)?.isDeleted ?? false;
  }

  /** Hands a record to the operating system. @throws the system's error; then nothing was appended */
  append(sequence: number, run: MessageRun): void {
    this.#mend();
    const bytes = recordBytes(run.lengths.length, run.bytes.length);
    const last = this.#segments.at(-1);
    const isFree = last !== undefined && !last.isSealed && last.end + bytes <= this.#options.segmentBytes;
    const segment = isFree ? last : this.#begin(sequence);
    if (this.#staging.length < bytes) this.#staging = Buffer.allocUnsafeSlow(bytes * 2);
    writeRecord(this.#staging, sequence, run);
    segment.append(this.#staging, bytes, sequence, sequence + run.lengths.length);
  }

  /** Finds the messages from `first` up to, and without, `next`. */
  regionsOf(first: number, next: number): Region[] {
    const holders = this.#segments.filter((segment) => segment.first < next && first < segment.next);
    return holders.map((segment) => segment.regionOf(first, next)).filter(({ from, to }) => from < to);
  }

  /** Resolves when all that was appended before is on the disk. @throws the system's error */
  async flush(): Promise<void> {
    this.#mend();
    // One after the other: of the segments after one that fails, nothing is flushed yet.
    for (const segment of this.#segments.filter(isDirty)) await this.#flushSegment(segment);
    // A new file is on the disk only once its folder is.
    if (!this.#isFolderDirty) return;
    await flushFolders(this.#fs, this.#folder, this.#options.root);
    this.#isFolderDirty = false;
  }

  /** These messages have ended, and that is noted: the log uses segments without any other anew. */
  release(ended: SequenceSet): void {
    const last = this.#segments.at(-1);
    const over = this.#segments.filter(({ first, next }) => ended.covers(first, next));
    let newest = 0;
    for (const segment of over) {
      if (segment !== last) this.#retire(segment);
      else if (segment.isSealed || segment.end <= this.#options.segmentBytes * SMALL_PART) continue;
      else segment.restart();
      newest = segment.number;
    }
    for (const segment of this.#segments.filter(({ number }) => number < newest)) this.#shrink(segment, ended);
  }

  /**
   * Writes over all messages but those that stay, a segment in each turn of the event loop. Others may be written meanwhile.
   *
   * @throws the system's error
   */
  async erase(stays: (sequence: number) => boolean): Promise<void> {
    this.#mend();
    const done = new Set<string>();
    const next = (): Segment | undefined => this.#segments.find(({ path }) => !done.has(path));
    for (let segment = next(); segment !== undefined; segment = next()) {
      eraseInSegment(this.#fs, segment, { stays });
      done.add(segment.path);
      await nextTurn();
    }
    removeUnread(this.#fs, this.#folder, this.#segments);
    this.#spare.length = 0;
  }

  close(): void {
    for (const segment of this.#segments.splice(0)) segment.close();
  }

  #begin(sequence: number): Segment {
    const segment = this.#newSegment(sequence);
    const spare = this.#spare.at(-1);
    if (spare !== undefined) this.#fs.renameSync(spare, segment.path);
    this.#spare.pop();
    try {
      segment.open();
    } catch (error) {
      // Its number is used again: a disk that stays full would gather empty files.
      removeAll(this.#fs, segment.path);
      throw error;
    }
    if (!this.#options.isFlushed) this.#segments.at(-1)?.close();
    this.#add(segment);
    return segment;
  }

  #newSegment(sequence: number): Segment {
    const number = this.#opened + 1;
    return new Segment(this.#fs, join(this.#folder, segmentName(number)), number, sequence);
  }

  #add(segment: Segment): void {
    this.#segments.push(segment);
    this.#opened = segment.number;
    this.#isFolderDirty = true;
  }

  async #flushSegment(segment: Segment): Promise<void> {
    const { first } = segment;
    if (!segment.isOpen) return;
    try {
      const end = await segment.flush();
      if (segment.first !== first) return;
      segment.flushedEnd = end;
      if (segment !== this.#segments.at(-1) && !isDirty(segment)) segment.close();
    } catch (error) {
      // Every message of it may have ended meanwhile.
      if (!this.#segments.includes(segment)) return;
      segment.isSealed = true;
      segment.isBroken = true;
      throw error;
    }
  }

  /** Writes what a failed flush has left in doubt to a new segment. @throws the system's error; the next call tries again */
  #mend(): void {
    const at = this.#segments.findIndex(({ isBroken }) => isBroken);
    // Nothing of the later ones was flushed: a flush goes through all in order.
    const [broken, ...later] = at === -1 ? [] : this.#segments.slice(at);
    if (broken === undefined) return;
    const moved = [broken, ...later].map((segment) => ({ segment, places: unflushedIn(segment) }));
    const target = this.#newSegment(moved.flatMap(({ places }) => places)[0]?.sequence ?? broken.next);
    this.#writeWhole(target, moved);
    this.#segments = this.#segments.slice(0, at + 1);
    this.#add(target);
    broken.forgetUnflushed();
    broken.isBroken = false;
    broken.close();
    for (const segment of later) this.#remove(segment);
  }

  /** Rewrites an old segment without what has ended, if little of it waits. */
  #shrink(segment: Segment, ended: SequenceSet): void {
    // One that is open has yet to be flushed.
    if (segment.isOpen || segment.end <= this.#options.segmentBytes * SMALL_PART) return;
    const places = segment.placesWithout(ended);
    const restBytes = places.reduce((sum, { from, to }) => sum + to - from, 0);
    if (restBytes > segment.end * REST_PART) return;
    const target = new Segment(this.#fs, segment.path, segment.number, segment.first);
    try {
      this.#writeWhole(target, [{ segment, places }], () => target.flushNow());
    } catch {
      // A full disk has no room for it. The segment stays as it is.
      return;
    }
    target.close();
    target.next = segment.next;
    this.#segments[this.#segments.indexOf(segment)] = target;
  }

  /** Writes a segment with records of others. It gets its name when it is whole: whoever reads the folder finds each message once. */
  #writeWhole(target: Segment, moved: readonly Moved[], flush = () => {}): void {
    const draft = `${target.path}.spare`;
    try {
      target.open(draft);
      for (const { segment, places } of moved) target.copy(segment, places);
      flush();
      this.#fs.renameSync(draft, target.path);
    } catch (error) {
      target.close();
      removeAll(this.#fs, draft);
      throw error;
    }
  }

  #retire(segment: Segment): void {
    this.#segments.splice(this.#segments.indexOf(segment), 1);
    const spare = `${segment.path}.spare`;
    if (this.#spare.length >= MOST_SPARE || segment.isSealed) this.#remove(segment);
    else {
      segment.close();
      // One that cannot be renamed holds nothing that waits, and goes with its folder.
      if (renamed(this.#fs, segment.path, spare)) this.#spare.push(spare);
    }
  }

  #remove(segment: Segment): void {
    segment.close();
    removeAll(this.#fs, segment.path);
  }
}

const isDirty = ({ end, flushedEnd }: Segment): boolean => end !== flushedEnd;

const unflushedIn = (segment: Segment): RecordPlace[] =>
  segment.places().filter(({ from }) => from >= segment.flushedEnd);
