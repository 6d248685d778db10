import { EventferryError } from '../../base/errors/errors.js';
import type { Analytics } from '../../client/analytics.js';
import { Import } from '../../client/import/importer.js';
import { ImportError } from '../../client/import/report.js';
import type { Receipt } from '../../client/queue/receipt.js';
import { reasonOf } from '../cli-error.js';
import type { Entry, Journal } from './import-journal.js';
import {
  ImportProgress,
  type ImportProgressOptions,
  type ImportSummary,
  type Place,
  type Stopped,
  sizeOfAll,
} from './import-progress.js';
import { openSource, type Reading, type Source } from './import-source.js';
import type { Input } from './input.js';
import type { Measure } from './meter.js';
import { type RowMessageOptions, rowMessage } from './row-message.js';

export interface ImportRunOptions extends RowMessageOptions, ImportProgressOptions, Reading {
  readonly analytics: Analytics;
  readonly journal: Journal;
  /** Stops reading, gives requests in flight a moment, and writes the progress. */
  readonly interrupted: AbortSignal;
  /** In rows per second; undefined to send as fast as the collector accepts. */
  readonly rate: number | undefined;
  /** Shows the progress until you call the returned function. */
  show(skippedBytes: number, measure: () => Measure): () => void;
}

/** The pause between two writes of the progress, in ms. */
const WRITE_EVERY_MS = 200;
/** An interrupted import waits so long for requests in flight, in ms. */
const GRACE_MS = 5_000;

/** Sends the rows of files with the importer of a client, and keeps their progress on disk. */
export class ImportRun {
  readonly #options: ImportRunOptions;
  readonly #progress: ImportProgress;
  readonly #import: Import<Place>;
  readonly #stopping = new AbortController();
  #waiting: string | undefined;
  #closeSource: () => void = () => {};

  constructor(options: ImportRunOptions) {
    const { analytics, rate } = options;
    const progress = new ImportProgress(options);
    this.#options = options;
    this.#progress = progress;
    // The summary tells of rejected rows, so the client need not.
    const importer = { ...analytics.importer(), lose: () => {} };
    const take = ({ row }: Place): Receipt => {
      const { type, fields } = rowMessage(row, options);
      return importer.take(type, fields);
    };
    this.#import = new Import(importer, take, {
      rate,
      signal: this.#stopping.signal,
      onInvalidRow: (_, error, index) => progress.reject(index, error.message),
      onRefused: (index, error) => progress.reject(index, error.message),
    });
  }

  #interrupt(): void {
    this.#stop('signal', 'interrupted');
    this.#waiting = 'stopping; press Ctrl-C again to stop at once';
    this.#closeSource();
  }

  async run(): Promise<ImportSummary> {
    const { analytics, journal, interrupted, show } = this.#options;
    const interrupt = (): void => this.#interrupt();
    if (interrupted.aborted) interrupt();
    interrupted.addEventListener('abort', interrupt, { once: true });
    const stopShowing = show(this.#progress.skippedBytes, () => this.#progress.measure(this.#waiting));
    analytics.on('retry', ({ attempt, error }) => {
      this.#waiting = `attempt ${attempt} failed (${error.message}), waiting`;
    });
    const writing = setInterval(() => this.#write(), WRITE_EVERY_MS);
    let isDone = false;
    try {
      await this.#import.run(this.#rows()).catch((error) => this.#noteEnd(error));
      await analytics.close({ timeout: this.#stopped?.by === 'collector' ? 0 : GRACE_MS });
      await this.#write();
      isDone = this.#stopped === undefined || !this.#hasBegun;
    } finally {
      clearInterval(writing);
      stopShowing();
      this.#closeSource();
      await journal.close({ isDone }).catch((error) => this.#stop('file', reasonOf(error)));
    }
    return this.#progress.summary(this.#stopped);
  }

  /** The first reason why the import stops. */
  get #stopped(): Stopped | undefined {
    return this.#stopping.signal.reason;
  }

  /** Only an error of the client is about the collector. */
  #noteEnd(error: unknown): void {
    const cause = error instanceof ImportError ? error.cause : error;
    this.#stop(cause instanceof EventferryError ? 'collector' : 'file', reasonOf(cause));
  }

  #stop(by: Stopped['by'], reason: string): void {
    this.#stopping.abort({ by, reason } satisfies Stopped);
  }

  /** An import that read no row, for example because the header is wrong, has nothing to continue. Its options may change. */
  get #hasBegun(): boolean {
    return this.#options.from !== undefined || this.#import.progress().rows > 0;
  }

  /** Yields the rows of the files. An error stops the import at once, so that an outage does not delay its report. */
  async *#rows(): AsyncGenerator<Place[]> {
    try {
      for (const [file, input] of this.#options.inputs.entries()) {
        if (file < (this.#options.from?.file ?? 0)) continue;
        if (this.#stopped !== undefined) return;
        const source = this.#open(input, file);
        for await (const rows of source.rows) {
          if (this.#progress.isFull) await this.#makeRoom();
          const bytes = source.bytesRead();
          const places = rows.map((row) => ({ file, row, bytes }));
          for (const place of places) this.#progress.read(place);
          yield places;
          this.#advance();
        }
      }
    } catch (error) {
      this.#stop('file', reasonOf(error));
    }
  }

  #open(input: Input, file: number): Source {
    const { from, inputs } = this.#options;
    const before = sizeOfAll(inputs.slice(0, file)) ?? 0;
    const source = openSource(input, from?.file === file ? from.last : undefined, this.#options);
    this.#closeSource = source.close;
    return { ...source, bytesRead: () => before + source.bytesRead() };
  }

  async #makeRoom(): Promise<void> {
    while (this.#progress.isFull && this.#stopped === undefined) {
      await this.#options.analytics.flush();
      await this.#write();
    }
  }

  /** Counts the rows that have ended. */
  #advance(): void {
    if (this.#progress.passTo(this.#import.progress().resumeAt)) this.#waiting = undefined;
  }

  /** Brings to disk which rows have ended. A disk that refuses stops the import. */
  #write(): Promise<void> {
    const take = (): Entry | undefined => {
      this.#advance();
      return this.#progress.take();
    };
    return this.#options.journal.write(take).catch((error) => this.#stop('disk', reasonOf(error)));
  }
}
