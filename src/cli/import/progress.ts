import type { Checkpoint } from './checkpoint.js';
import type { Input } from './input.js';
import type { Progress, Reject } from './journal.js';
import type { Measure } from './meter.js';
import type { Outcome } from './reorder-buffer.js';
import { fingerprintOf, type Row } from './row.js';

/** A row without an outcome, and the bytes of all files read when it was. */
export interface Place {
  readonly file: number;
  readonly row: Row;
  readonly bytes: number;
}

export interface Stopped {
  /** A signal, a collector that refuses everything, or a problem with the file or the disk. */
  readonly by: 'signal' | 'collector' | 'file';
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

/** Counts the outcomes of rows for the meter, the checkpoint and the summary. */
export class ImportProgress {
  /** The bytes that an earlier run finished. */
  readonly skippedBytes: number;
  readonly #options: ImportProgressOptions;
  readonly #startedAt: number;
  readonly #firstRejects: Omit<Reject, 'row'>[] = [];
  #delivered = 0;
  #rejected = 0;
  #last: Place | undefined;
  #read = 0;

  constructor(options: ImportProgressOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
    this.skippedBytes = skippedBytesOf(options);
  }

  /** Whether any row has ended in this run. */
  get hasMoved(): boolean {
    return this.#last !== undefined;
  }

  /** Counts a row that was read. */
  read(): void {
    this.#read++;
  }

  /** Counts an outcome. Returns the record of a rejected row. */
  enter(place: Place, outcome: Outcome): Reject | undefined {
    this.#last = place;
    if (outcome.kind === 'delivered') {
      this.#delivered++;
      return undefined;
    }
    this.#rejected++;
    const { name = '' } = this.#options.inputs[place.file] ?? {};
    const reject = { file: name, line: place.row.line, reason: outcome.reason };
    if (this.#firstRejects.length < FIRST_REJECTS) this.#firstRejects.push(reject);
    return { ...reject, row: place.row.text };
  }

  /** Returns the progress for the checkpoint, including earlier runs. */
  progress(): Progress {
    const { from } = this.#options;
    const row = this.#last?.row;
    return {
      file: this.#last?.file ?? from?.file ?? 0,
      last: row === undefined ? from?.last : { line: row.line, start: row.start, fingerprint: fingerprintOf(row.text) },
      delivered: (from?.delivered ?? 0) + this.#delivered,
      rejected: (from?.rejected ?? 0) + this.#rejected,
    };
  }

  measure(waiting: string | undefined): Measure {
    return {
      rows: this.#delivered + this.#rejected,
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
}

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
