import type { Readable } from 'node:stream';
import type { Analytics } from '../../client/analytics.js';
import type { Pacer } from '../../client/import/pacer.js';
import { Stop } from '../../client/import/stop.js';
import type { Receipt } from '../../client/queue/receipt.js';
import { reasonOf } from '../cli-error.js';
import type { CsvOptions } from './csv.js';
import type { Input } from './input.js';
import type { Journal } from './journal.js';
import type { Measure } from './meter.js';
import {
  ImportProgress,
  type ImportProgressOptions,
  type ImportSummary,
  type Place,
  type Stopped,
  sizeOfAll,
} from './progress.js';
import { type Outcome, ReorderBuffer } from './reorder-buffer.js';
import { openSource } from './source.js';
import { outcomeOf, refusalOf, type TrackRowOptions, trackRow } from './track-row.js';

export interface ImportRunOptions extends TrackRowOptions, ImportProgressOptions {
  readonly analytics: Analytics;
  readonly journal: Journal;
  readonly csv: CsvOptions;
  readonly stdin: Readable;
  /** Whether rows are only checked, not sent. */
  readonly isDryRun: boolean;
  /** Limits the rate; undefined to send as fast as the collector accepts. */
  readonly pacer: Pacer | undefined;
  /** Shows the progress until you call the returned function. */
  show(skippedBytes: number, measure: () => Measure): () => void;
}

/** The most rows without an outcome. Each costs some memory besides its message. */
const MAX_OPEN_ROWS = 50_000;
/** Reading pauses when the client's queue holds more than this, in bytes. */
const ENOUGH_BYTES = 4 * 1024 * 1024;
/** The most characters of rows without an outcome, and of rejected rows that are not on disk yet. */
const MAX_OPEN_CHARACTERS = 32 * 1024 * 1024;
const MAX_WAITING_REJECTS = 4 * 1024 * 1024;
/** How long an interrupted import waits for requests in flight, in milliseconds. */
const GRACE_MS = 5_000;

/** Runs one import from the first row to the summary. */
export class ImportRun {
  readonly #options: ImportRunOptions;
  readonly #open = new ReorderBuffer<Place>((place, outcome) => this.#pass(place, outcome));
  readonly #progress: ImportProgress;
  readonly #stop = new Stop<Stopped>();
  #openCharacters = 0;
  #waiting: string | undefined;
  #closeSource: () => void = () => {};

  constructor(options: ImportRunOptions) {
    this.#options = options;
    this.#progress = new ImportProgress(options);
  }

  /** Stops reading, gives requests in flight a moment, and writes the progress. */
  interrupt(): void {
    this.#stop.because({ by: 'signal', reason: 'interrupted' });
    this.#waiting = 'stopping; press Ctrl-C again to stop at once';
    this.#closeSource();
  }

  /** @throws CliError if the disk refuses a write */
  async run(): Promise<ImportSummary> {
    const { analytics, journal } = this.#options;
    const { skippedBytes } = this.#progress;
    const stopShowing = this.#options.show(skippedBytes, () => this.#progress.measure(this.#waiting));
    analytics.on('retry', ({ attempt, error }) => {
      this.#waiting = `attempt ${attempt} failed (${error.message}), waiting`;
      if (error.code === 'EVENTFERRY_REFUSES_ALL') this.#stop.because({ by: 'collector', reason: error.message });
    });
    let isDone = false;
    try {
      await this.#readAll();
      await this.#finish();
      isDone = this.#stop.reason === undefined || !this.#hasBegun;
    } finally {
      stopShowing();
      await journal.close({ isDone }).catch((error) => this.#stop.because({ by: 'file', reason: reasonOf(error) }));
    }
    return this.#progress.summary(this.#stop.reason?.cause);
  }

  /** An import that read no row, for example because the header is wrong, has nothing to continue. Its options may change. */
  get #hasBegun(): boolean {
    const { analytics, from } = this.#options;
    return from !== undefined || analytics.stats().accepted + this.#progress.measure(undefined).rows > 0;
  }

  async #readAll(): Promise<void> {
    try {
      for (const [index, input] of this.#options.inputs.entries()) {
        if (index < (this.#options.from?.file ?? 0)) continue;
        await this.#read(input, index);
        if (this.#stop.reason !== undefined) return;
      }
    } catch (error) {
      this.#stop.because({ by: 'file', reason: reasonOf(error) });
    }
  }

  async #read(input: Input, file: number): Promise<void> {
    const { from, csv, stdin } = this.#options;
    const before = sizeOfAll(this.#options.inputs.slice(0, file)) ?? 0;
    const source = openSource(input, from?.file === file ? from.last : undefined, csv, stdin);
    this.#closeSource = source.close;
    for await (const rows of source.rows) {
      const bytes = before + source.bytesRead();
      for (const row of rows) {
        const paced = this.#options.pacer?.next();
        if (paced !== undefined) await this.#stop.unless(paced);
        if (this.#isFull()) await this.#room();
        if (this.#stop.reason !== undefined) return;
        this.#take({ file, row, bytes });
      }
    }
  }

  #take(place: Place): void {
    this.#progress.read();
    this.#openCharacters += place.row.text.length;
    const { problem } = place.row;
    if (problem !== undefined) {
      this.#open.pass(place, { kind: 'rejected', reason: problem });
      return;
    }
    try {
      const receipt = trackRow(this.#options.analytics, place.row, this.#options);
      if (this.#options.isDryRun) this.#open.pass(place, { kind: 'delivered' });
      else this.#await(receipt, this.#open.enter(place));
    } catch (error) {
      this.#open.pass(place, refusalOf(error));
    }
  }

  #await({ delivered }: Receipt, end: (outcome: Outcome) => void): void {
    delivered.then(
      () => end({ kind: 'delivered' }),
      (error) => this.#lose(error, end),
    );
  }

  /** A row whose loss is not its own fault stays open, so that the checkpoint does not pass it. */
  #lose(error: unknown, end: (outcome: Outcome) => void): void {
    const outcome = outcomeOf(error);
    if (outcome === undefined) this.#stop.because({ by: 'collector', reason: reasonOf(error) });
    else end(outcome);
  }

  #pass(place: Place, outcome: Outcome): void {
    const { journal } = this.#options;
    this.#openCharacters -= place.row.text.length;
    const reject = this.#progress.enter(place, outcome);
    if (reject !== undefined) journal.reject(reject);
    journal.note(() => this.#progress.progress());
    this.#waiting = undefined;
  }

  #isFull(): boolean {
    const { analytics, journal } = this.#options;
    return (
      this.#hasManyOpen() ||
      analytics.pending.bytes > ENOUGH_BYTES ||
      journal.waiting >= MAX_WAITING_REJECTS ||
      journal.error !== undefined
    );
  }

  #hasManyOpen(): boolean {
    return this.#open.size >= MAX_OPEN_ROWS || this.#openCharacters >= MAX_OPEN_CHARACTERS;
  }

  async #room(): Promise<void> {
    const { analytics, journal } = this.#options;
    if (journal.error !== undefined) throw journal.error;
    if (journal.waiting >= MAX_WAITING_REJECTS) await journal.write();
    if (this.#hasManyOpen()) await this.#stop.unless(analytics.flush());
    else if (analytics.pending.bytes > ENOUGH_BYTES) await this.#stop.unless(analytics.ready());
  }

  async #finish(): Promise<void> {
    const { analytics, journal } = this.#options;
    await this.#stop.unless(analytics.flush());
    // Receipts settle one turn later than the client counts.
    if (this.#stop.reason === undefined) await this.#settled();
    await analytics.close({ timeout: this.#stop.reason?.cause.by === 'collector' ? 0 : GRACE_MS });
    await this.#settled();
    if (this.#progress.hasMoved) journal.note(() => this.#progress.progress());
  }

  #settled(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }
}
