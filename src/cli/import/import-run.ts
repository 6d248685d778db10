import { rm } from 'node:fs/promises';
import { EventferryError } from '../../base/errors/errors.js';
import type { Analytics } from '../../client/analytics.js';
import { Import } from '../../client/import/importer.js';
import { ImportError } from '../../client/import/report.js';
import { reasonOf } from '../cli-error.js';
import { type Checkpoint, refuseUnwritable, writeCheckpoint } from './checkpoint.js';
import { ImportProgress, type Place } from './import-progress.js';
import { openSource, type Reading, type Source } from './import-source.js';
import { type Input, sizeOfAll, stampsOf } from './input.js';
import type { Measure } from './meter.js';
import { type Reject, RejectsFile } from './rejects-file.js';
import { positionOf } from './row.js';
import { type RowMessageOptions, rowMessage } from './row-message.js';
import type { Settings } from './settings.js';

export interface ImportRunOptions extends RowMessageOptions, Reading {
  readonly inputs: readonly Input[];
  readonly analytics: Analytics;
  readonly settings: Settings;
  /** The path of the checkpoint; undefined to keep none. */
  readonly checkpoint: string | undefined;
  /** The checkpoint at which this run continues. */
  readonly from: Checkpoint | undefined;
  /** The path of the file for rejected rows. */
  readonly rejects: string | undefined;
  /** Aborted to stop the import: it stops reading, waits a moment for requests in flight, and writes its progress. */
  readonly interrupted: AbortSignal;
  /** In rows per second; undefined to send as fast as the collector accepts. */
  readonly rate: number | undefined;
  /** Shows the progress until you call the returned function. */
  show(measure: () => Measure): () => void;
}

export interface Stopped {
  /** A signal, a collector that refuses everything, a problem with a file, or a disk on which the progress cannot be written. */
  readonly by: 'signal' | 'collector' | 'file' | 'disk';
  readonly reason: string;
}

export interface ImportSummary {
  /** Rows that ended in this run. */
  readonly delivered: number;
  readonly rejected: number;
  readonly firstRejects: readonly Omit<Reject, 'row'>[];
  readonly elapsedMs: number;
  /** The reason why the import stopped early, if it did. */
  readonly stopped: Stopped | undefined;
  /** True if there is a checkpoint at which an import can continue. */
  readonly canResume: boolean;
}

/** The time between two writes of the progress, in ms. */
const WRITE_EVERY_MS = 200;
/** How long an interrupted import waits for requests in flight, in ms. */
const GRACE_MS = 5_000;

const NOTHING = { file: 0, bytes: 0, delivered: 0, rejected: 0, rejectsBytes: 0 };

/** Sends the rows of files through the importer of a client, and keeps the progress on disk. */
export class ImportRun {
  readonly #options: ImportRunOptions;
  readonly #startedAt = performance.now();
  readonly #progress = new ImportProgress();
  readonly #import: Import<Place>;
  readonly #rejects: RejectsFile | undefined;
  readonly #stopping = new AbortController();
  /** The progress on disk, the last row in it if this run wrote it, and a promise for the last write. */
  #checkpoint: Checkpoint;
  #writtenTo: Place | undefined;
  #written = Promise.resolve();
  #waiting: string | undefined;
  #closeSource: () => void = () => {};

  private constructor(options: ImportRunOptions, checkpoint: Checkpoint, rejects: RejectsFile | undefined) {
    const { analytics, rate } = options;
    this.#options = options;
    this.#checkpoint = checkpoint;
    this.#rejects = rejects;
    // The summary reports rejected rows, so the client does not report them.
    const importer = { ...analytics.importer(), lose: () => {} };
    const take = ({ row }: Place) => {
      const { type, fields } = rowMessage(row, options);
      return importer.take(type, fields);
    };
    this.#import = new Import(importer, take, {
      rate,
      signal: this.#stopping.signal,
      onEnd: (error) => {
        this.#progress.end(error?.message);
        this.#waiting = undefined;
      },
    });
  }

  /**
   * Opens the files that the import writes.
   *
   * @throws CliError if one cannot be written
   */
  static async open(options: ImportRunOptions): Promise<ImportRun> {
    const { settings, from, rejects } = options;
    const checkpoint = from ?? { version: 1, settings, ...NOTHING };
    // The checkpoint is written before the first request, so that after a kill the import sends the same rows with the same ids.
    if (options.checkpoint !== undefined) await writeCheckpoint(options.checkpoint, checkpoint).catch(refuseUnwritable);
    const file = rejects === undefined ? undefined : await RejectsFile.open(rejects, checkpoint.rejectsBytes);
    return new ImportRun(options, checkpoint, file);
  }

  async run(): Promise<ImportSummary> {
    const { analytics, interrupted, show } = this.#options;
    const interrupt = (): void => this.#interrupt();
    if (interrupted.aborted) interrupt();
    interrupted.addEventListener('abort', interrupt, { once: true });
    const stopShowing = show(() => this.#measure());
    analytics.on('retry', ({ attempt, error }) => {
      this.#waiting = `attempt ${attempt} failed (${error.message}), waiting`;
    });
    const writing = setInterval(() => this.#write(), WRITE_EVERY_MS);
    try {
      await this.#import.run(this.#rows()).catch((error) => this.#noteEnd(error));
      await analytics.close({ timeout: this.#stopped?.by === 'collector' ? 0 : GRACE_MS });
      await this.#write(this.#stopped === undefined);
    } finally {
      clearInterval(writing);
      stopShowing();
      this.#closeSource();
      await this.#closeFiles().catch((error) => this.#stop('file', reasonOf(error)));
    }
    const { delivered, rejected, firstRejects } = this.#progress;
    const canResume = this.#options.checkpoint !== undefined && this.#checkpoint.last !== undefined;
    return { delivered, rejected, firstRejects, elapsedMs: this.#elapsedMs, stopped: this.#stopped, canResume };
  }

  get #elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  #measure(): Measure {
    const { delivered, rejected, read, last } = this.#progress;
    const skippedBytes = this.#options.from?.bytes ?? 0;
    return {
      rows: delivered + rejected,
      rejected,
      read,
      skippedBytes,
      bytes: last?.bytes ?? skippedBytes,
      totalBytes: sizeOfAll(this.#options.inputs),
      elapsedMs: this.#elapsedMs,
      waiting: this.#waiting,
    };
  }

  /** The first reason to stop the import, if there is one. */
  get #stopped(): Stopped | undefined {
    return this.#stopping.signal.reason;
  }

  #stop(by: Stopped['by'], reason: string): void {
    this.#stopping.abort({ by, reason } satisfies Stopped);
  }

  #interrupt(): void {
    this.#stop('signal', 'interrupted');
    this.#waiting = 'stopping; press Ctrl-C again to stop at once';
    this.#closeSource();
  }

  /** Stops the import with the error that ended it. Only errors of the client are about the collector. */
  #noteEnd(error: unknown): void {
    const cause = error instanceof ImportError ? error.cause : error;
    this.#stop(cause instanceof EventferryError ? 'collector' : 'file', reasonOf(cause));
  }

  /** Yields the rows of the files. An error of a file stops the import at once, even during an outage of the collector. */
  async *#rows(): AsyncGenerator<Place[]> {
    const { inputs, from } = this.#options;
    try {
      for (const [file, input] of inputs.entries()) {
        if (file < (from?.file ?? 0)) continue;
        if (this.#stopped !== undefined) return;
        const source = this.#open(input, file);
        for await (const rows of source.rows) {
          if (this.#progress.isFull) await this.#makeRoom();
          const bytes = source.bytesRead();
          const places = rows.map((row) => ({ file, name: input.name, row, bytes }));
          for (const place of places) this.#progress.add(place);
          yield places;
        }
      }
    } catch (error) {
      this.#stop('file', reasonOf(error));
    }
  }

  #open(input: Input, file: number): Source {
    const { inputs, from } = this.#options;
    const bytesBefore = sizeOfAll(inputs.slice(0, file)) ?? 0;
    const source = openSource(input, from?.file === file ? from.last : undefined, this.#options);
    this.#closeSource = source.close;
    return { ...source, bytesRead: () => bytesBefore + source.bytesRead() };
  }

  async #makeRoom(): Promise<void> {
    while (this.#progress.isFull && this.#stopped === undefined) {
      await this.#options.analytics.flush();
      await this.#write();
    }
  }

  /** Writes the progress to disk after all earlier writes. A failure stops the import and all later writes. */
  #write(isFinished = false): Promise<void> {
    this.#written = this.#written.then(() => this.#writeNow(isFinished));
    return this.#written.catch((error) =>
      this.#stop('disk', `cannot write the progress of the import: ${reasonOf(error)}`),
    );
  }

  /**
   * Writes first the rejected rows, then the checkpoint that counts them, so that a resumed import neither loses a rejected row
   * nor writes it twice.
   */
  async #writeNow(isFinished: boolean): Promise<void> {
    const { checkpoint: path, inputs, from } = this.#options;
    this.#import.settle();
    const { last, delivered, rejected } = this.#progress;
    if (last === this.#writtenTo && !isFinished) return;
    this.#writtenTo = last;
    const rejects = this.#progress.takeRejects();
    await this.#rejects?.append(rejects);
    const checkpoint = {
      ...this.#checkpoint,
      ...(last && { file: last.file, last: positionOf(last.row), bytes: last.bytes }),
      delivered: (from?.delivered ?? 0) + delivered,
      rejected: (from?.rejected ?? 0) + rejected,
      rejectsBytes: this.#rejects?.bytes ?? 0,
      ...(isFinished && { finished: { at: new Date().toISOString(), stamps: stampsOf(inputs) } }),
    };
    if (path !== undefined) await writeCheckpoint(path, checkpoint);
    this.#checkpoint = checkpoint;
  }

  async #closeFiles(): Promise<void> {
    await this.#written.catch(() => {});
    await this.#rejects?.close();
    const { checkpoint, from } = this.#options;
    // An import that read no row, for example because of a wrong header, leaves no checkpoint, so that its options may change.
    const hasBegun = from !== undefined || this.#import.progress().rows > 0;
    if (checkpoint !== undefined && this.#stopped !== undefined && !hasBegun) await rm(checkpoint, { force: true });
  }
}
