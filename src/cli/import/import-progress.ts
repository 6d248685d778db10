import { Fifo } from '../../base/structures/fifo.js';
import type { Checkpoint } from './checkpoint.js';
import type { Entry, Reject } from './import-journal.js';
import type { Input } from './input.js';
import type { Measure } from './meter.js';
import { fingerprintOf, type Row } from './row.js';

/** A row of one of the files, and the bytes of all files read when it was. */
export interface Place {
  readonly file: number;
  readonly row: Row;
  readonly bytes: number;
}

export interface Stopped {
  /** A signal, a collector that refuses everything, a problem with a file, or a disk that did not take the progress. */
  readonly by: 'signal' | 'collector' | 'file' | 'disk';
  readonly reason: string;
}

export interface ImportSummary {
  /** Rows that ended in this run: `delivered + rejected`. */
  readonly rows: number;
  readonly delivered: number;
  readonly rejected: number;
  /** The line after which this run resumed, if it did. */
  readonly resumedAfterLine: number | undefined;
  readonly elapsedMs: number;
  /** The reason why it stopped early, if it did. */
  readonly stopped: Stopped | undefined;
  /** The first rejected rows. */
  readonly firstRejects: readonly Omit<Reject, 'row'>[];
}

export interface ImportProgressOptions {
  readonly inputs: readonly Input[];
  /** The checkpoint at which this run continues. */
  readonly from: Checkpoint | undefined;
  /** A monotonic clock, in ms. */
  readonly clock: { now(): number };
}

const FIRST_REJECTS = 5;
/** The most memory that rows may take until they are on disk, in bytes, and what a row takes besides its text. */
const MAX_HELD_BYTES = 32 * 1024 * 1024;
const ROW_BYTES = 640;

/**
 * Holds the rows that were read until they and every row before them have ended, and counts them for the meter, the checkpoint
 * and the summary.
 */
export class ImportProgress {
  /** The bytes that an earlier run finished. */
  readonly skippedBytes: number;
  readonly #options: ImportProgressOptions;
  readonly #startedAt: number;
  readonly #open = new Fifo<Place>();
  /** The reasons why rows are rejected, by their index in this run. */
  readonly #reasons = new Map<number, string>();
  readonly #firstRejects: Omit<Reject, 'row'>[] = [];
  #rejects: Reject[] = [];
  #heldBytes = 0;
  #delivered = 0;
  #rejected = 0;
  #read = 0;
  /** The last row that has ended, and the one that was the last when the progress was taken. */
  #last: Place | undefined;
  #taken: Place | undefined;

  constructor(options: ImportProgressOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
    this.skippedBytes = skippedBytesOf(options);
  }

  /** No more rows should be read until some have ended and are on disk. */
  get isFull(): boolean {
    return this.#heldBytes >= MAX_HELD_BYTES;
  }

  /** Adds the next row. */
  read(place: Place): void {
    this.#read++;
    this.#open.push(place);
    this.#heldBytes += bytesOf(place.row.text);
  }

  /** Notes why a row is rejected. It may come before rows that have not ended. */
  reject(index: number, reason: string): void {
    this.#reasons.set(index, reason);
  }

  /** Counts the rows before this index, which have ended. Returns whether there are any. */
  passTo(index: number): boolean {
    const before = this.#ended;
    while (this.#ended < index) {
      const place = this.#open.shift();
      if (place === undefined) break;
      this.#pass(place);
    }
    return this.#ended > before;
  }

  /** Returns what has to go to disk; undefined if no row has ended since the last call. */
  take(): Entry | undefined {
    const { from } = this.#options;
    const [last, rejects] = [this.#last, this.#rejects];
    if (last === undefined || last === this.#taken) return undefined;
    this.#taken = last;
    this.#rejects = [];
    for (const { row } of rejects) this.#heldBytes -= bytesOf(row);
    const { line, start, text } = last.row;
    return {
      rejects,
      progress: {
        file: last.file,
        last: { line, start, fingerprint: fingerprintOf(text) },
        delivered: (from?.delivered ?? 0) + this.#delivered,
        rejected: (from?.rejected ?? 0) + this.#rejected,
      },
    };
  }

  measure(waiting: string | undefined): Measure {
    return {
      rows: this.#ended,
      rejected: this.#rejected,
      read: this.#read,
      bytes: this.#last?.bytes ?? this.skippedBytes,
      totalBytes: sizeOfAll(this.#options.inputs),
      elapsedMs: this.#options.clock.now() - this.#startedAt,
      waiting,
    };
  }

  summary(stopped: ImportSummary['stopped']): ImportSummary {
    const { rows, elapsedMs } = this.measure(undefined);
    const resumedAfterLine = this.#options.from?.last?.line;
    const [delivered, rejected, firstRejects] = [this.#delivered, this.#rejected, this.#firstRejects];
    return { rows, delivered, rejected, resumedAfterLine, elapsedMs, stopped, firstRejects };
  }

  get #ended(): number {
    return this.#delivered + this.#rejected;
  }

  #pass(place: Place): void {
    const index = this.#ended;
    const reason = this.#reasons.get(index);
    this.#last = place;
    if (reason === undefined) {
      this.#delivered++;
      this.#heldBytes -= bytesOf(place.row.text);
      return;
    }
    this.#reasons.delete(index);
    this.#rejected++;
    const { name = '' } = this.#options.inputs[place.file] ?? {};
    const reject = { file: name, line: place.row.line, reason };
    if (this.#firstRejects.length < FIRST_REJECTS) this.#firstRejects.push(reject);
    this.#rejects.push({ ...reject, row: place.row.text });
  }
}

const bytesOf = (text: string): number => text.length + ROW_BYTES;

/** Returns undefined if one of them has no size. */
export function sizeOfAll(inputs: readonly Input[]): number | undefined {
  let bytes = 0;
  for (const { size } of inputs) {
    if (size === undefined) return undefined;
    bytes += size;
  }
  return bytes;
}

function skippedBytesOf({ inputs, from }: ImportProgressOptions): number {
  if (from === undefined) return 0;
  const input = inputs[from.file];
  const within = input?.format === 'ndjson' && !input.isGzip ? (from.last?.start ?? 0) : 0;
  return (sizeOfAll(inputs.slice(0, from.file)) ?? 0) + within;
}
