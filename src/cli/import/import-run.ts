import { EventferryError } from '../../base/errors/errors.js';
import type { Analytics } from '../../client/analytics.js';
import { Import } from '../../client/import/importer.js';
import { ImportError } from '../../client/import/report.js';
import { CliError, EXIT, reasonOf, unusable } from '../cli-error.js';
import type { ServiceConnection } from '../options/connection.js';
import { type Checkpoint, refuseUnwritable, writeCheckpoint } from './checkpoint.js';
import { openSource, type ReadingOptions } from './import-source.js';
import { type InputFile, sizeOfAll, stampsOf } from './input.js';
import type { Measure } from './meter.js';
import { type Reject, RejectsFile } from './rejects-file.js';
import { positionOf, type Row } from './row.js';
import { type RowMessageOptions, rowMessage } from './row-message.js';
import type { Settings } from './settings.js';

/** What an import reads, where it sends it, and which files it writes. */
export interface ImportJob extends RowMessageOptions, ReadingOptions {
  readonly inputs: readonly InputFile[];
  readonly connection: ServiceConnection;
  readonly settings: Settings;
  /** True if rows are checked and nothing is sent. */
  readonly isDryRun: boolean;
  /** The path of the checkpoint; undefined to keep none. */
  readonly checkpoint: string | undefined;
  /** The path of the file for rejected rows. */
  readonly rejects: string | undefined;
  /** In rows per second; undefined to send as fast as the collector accepts. */
  readonly rate: number | undefined;
  readonly allowNow: boolean | undefined;
}

export interface ImportSummary {
  /** Rows that ended in this run. */
  readonly delivered: number;
  readonly rejected: number;
  readonly firstRejects: readonly Omit<Reject, 'row'>[];
  /** True if every rejected row is in the file for them. */
  readonly hasAllRejects: boolean;
  readonly elapsedMs: number;
  /** The reason why the import stopped early, if it did. */
  readonly stopped: CliError | undefined;
  /** True if there is a checkpoint at which an import can continue. */
  readonly canResume: boolean;
}

/** A row of one of the files, and the number of bytes of all files that were read by then. */
interface RowPlace {
  readonly file: number;
  readonly row: Row;
  readonly bytes: number;
}

/** The time between two writes of the progress, in ms. */
const WRITE_EVERY_MS = 200;
/** How long an interrupted import waits for requests in flight, in ms. */
const GRACE_MS = 5_000;
const FIRST_REJECTS = 5;
/** The most memory that rows may take before their outcome is on disk, and the memory of a row besides its text, in bytes. */
const MAX_HELD_BYTES = 32 * 1024 * 1024;
const ROW_BYTES = 640;

/** Sends the rows of files through the importer of a client, and keeps the progress on disk. */
export class ImportRun {
  readonly #job: ImportJob;
  readonly #analytics: Analytics;
  /** The checkpoint at which this run continues. */
  readonly #from: Checkpoint;
  readonly #rejectsFile: RejectsFile | undefined;
  readonly #startedAt = performance.now();
  readonly #import: Import<RowPlace>;
  readonly #stopping = new AbortController();
  readonly #firstRejects: Omit<Reject, 'row'>[] = [];
  #delivered = 0;
  #rejected = 0;
  #read = 0;
  #heldBytes = 0;
  /** The rejected rows that are not in their file yet. */
  #unwritten: Reject[] = [];
  /** The last row that has ended, and the last one in the checkpoint on disk. */
  #last: RowPlace | undefined;
  #lastWritten: RowPlace | undefined;
  /** Settles with the last write of the checkpoint. */
  #written = Promise.resolve();
  #waiting: string | undefined;
  #closeSource: () => void = () => {};

  private constructor(job: ImportJob, analytics: Analytics, from: Checkpoint, rejectsFile: RejectsFile | undefined) {
    this.#job = job;
    this.#analytics = analytics;
    this.#from = from;
    this.#rejectsFile = rejectsFile;
    const { rate, allowNow } = job;
    const { signal } = this.#stopping;
    // The summary reports rejected rows, so the client does not report them.
    const importer = { ...analytics.importer(), lose: () => {} };
    const onEnd = (place: RowPlace, error?: EventferryError) => this.#end(place, error?.message);
    this.#import = new Import(importer, ({ row }) => rowMessage(row, job), { rate, allowNow, signal, onEnd });
  }

  /** @throws CliError if the file of rejected rows cannot be written */
  static async open(job: ImportJob, analytics: Analytics, from: Checkpoint): Promise<ImportRun> {
    const rejectsFile = job.rejects === undefined ? undefined : await RejectsFile.open(job.rejects, from.rejectsBytes);
    return new ImportRun(job, analytics, from, rejectsFile);
  }

  /** @param interrupted aborted to stop reading, wait a moment for requests in flight, and write the progress */
  async run(interrupted: AbortSignal): Promise<ImportSummary> {
    const interrupt = (): void => this.#interrupt();
    if (interrupted.aborted) interrupt();
    interrupted.addEventListener('abort', interrupt, { once: true });
    this.#analytics.on('retry', ({ attempt, error }) => {
      this.#waiting = `attempt ${attempt} failed (${error.message}), waiting`;
    });
    const writing = setInterval(() => this.#write(), WRITE_EVERY_MS);
    try {
      await this.#import.run(this.#rows()).catch((error) => this.#stopBecause(error));
      await this.#analytics.close({ timeout: this.#stopped?.exitCode === EXIT.refused ? 0 : GRACE_MS });
      await this.#write(this.#stopped === undefined);
    } finally {
      clearInterval(writing);
      this.#closeSource();
      await this.#rejectsFile?.close().catch((error) => this.#stop(unusable(reasonOf(error))));
    }
    return {
      delivered: this.#delivered,
      rejected: this.#rejected,
      firstRejects: this.#firstRejects,
      hasAllRejects: this.#unwritten.length === 0,
      elapsedMs: this.#elapsedMs,
      stopped: this.#stopped,
      canResume: this.#job.checkpoint !== undefined && (this.#lastWritten ?? this.#from.last) !== undefined,
    };
  }

  /** Returns the progress at this moment. */
  measure(): Measure {
    return {
      rows: this.#delivered + this.#rejected,
      rejected: this.#rejected,
      read: this.#read,
      skippedBytes: this.#from.bytes,
      bytes: this.#last?.bytes ?? this.#from.bytes,
      totalBytes: sizeOfAll(this.#job.inputs),
      elapsedMs: this.#elapsedMs,
      waiting: this.#waiting,
    };
  }

  get #elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** The first reason to stop the import, if there is one. */
  get #stopped(): CliError | undefined {
    return this.#stopping.signal.reason;
  }

  #stop(reason: CliError): void {
    this.#stopping.abort(reason);
  }

  #interrupt(): void {
    this.#stop(new CliError('interrupted', { exitCode: EXIT.interrupted }));
    this.#waiting = 'stopping; press Ctrl-C again to stop at once';
    this.#closeSource();
  }

  /** Stops the import with the error that ended it. Only errors of the client are about the collector. */
  #stopBecause(error: unknown): void {
    const cause = error instanceof ImportError ? error.cause : error;
    const exitCode = cause instanceof EventferryError ? EXIT.refused : EXIT.unusable;
    this.#stop(new CliError(reasonOf(cause), { exitCode }));
  }

  /** Yields the rows of the files. An error of a file stops the import at once, even during an outage of the collector. */
  async *#rows(): AsyncGenerator<RowPlace[]> {
    try {
      for (const [file, input] of this.#job.inputs.entries()) {
        if (file >= this.#from.file && this.#stopped === undefined) yield* this.#rowsOf(input, file);
      }
    } catch (error) {
      this.#stop(unusable(reasonOf(error)));
    }
  }

  async *#rowsOf(input: InputFile, file: number): AsyncGenerator<RowPlace[]> {
    const bytesBefore = sizeOfAll(this.#job.inputs.slice(0, file)) ?? 0;
    const source = openSource(input, this.#from.file === file ? this.#from.last : undefined, this.#job);
    this.#closeSource = source.close;
    for await (const rows of source.rows) {
      if (rows.length === 0) continue;
      await (this.#read === 0 ? this.#begin() : this.#makeRoom());
      const bytes = bytesBefore + source.bytesRead();
      this.#read += rows.length;
      for (const row of rows) this.#heldBytes += bytesOf(row);
      yield rows.map((row) => ({ file, row, bytes }));
    }
  }

  /**
   * Writes the checkpoint before the first request, so that after a kill the import sends the same rows with the same ids. An
   * import that reads no row, for example because of a wrong header, leaves no checkpoint, so that its options may change.
   */
  async #begin(): Promise<void> {
    const { checkpoint } = this.#job;
    if (checkpoint !== undefined) await writeCheckpoint(checkpoint, this.#from).catch(refuseUnwritable);
  }

  /** Waits until the outcome of enough rows is on disk. */
  async #makeRoom(): Promise<void> {
    while (this.#heldBytes >= MAX_HELD_BYTES && this.#stopped === undefined) {
      await this.#analytics.flush();
      await this.#write();
    }
  }

  /** Counts the next row as ended: as rejected if there is a reason, and otherwise as delivered. */
  #end(place: RowPlace, reason: string | undefined): void {
    const { file, row } = place;
    this.#last = place;
    this.#waiting = undefined;
    if (reason === undefined) {
      this.#delivered++;
      this.#heldBytes -= bytesOf(row);
      return;
    }
    this.#rejected++;
    const reject = { file: this.#job.inputs[file]?.name ?? '', line: row.line, reason };
    if (this.#firstRejects.length < FIRST_REJECTS) this.#firstRejects.push(reject);
    this.#unwritten.push({ ...reject, row: row.text });
  }

  /** Writes the progress to disk after all earlier writes. A failure stops the import and all later writes. */
  #write(isFinished = false): Promise<void> {
    this.#written = this.#written.then(() => this.#writeNow(isFinished));
    return this.#written.catch((error) =>
      this.#stop(unusable(`cannot write the progress of the import: ${reasonOf(error)}`)),
    );
  }

  /**
   * Writes first the rejected rows, then the checkpoint that counts them, so that a resumed import neither loses a rejected row
   * nor writes it twice.
   */
  async #writeNow(isFinished: boolean): Promise<void> {
    this.#import.settle();
    const last = this.#last;
    if (last === this.#lastWritten && !isFinished) return;
    const { inputs, checkpoint } = this.#job;
    const ended = {
      ...(last && { file: last.file, last: positionOf(last.row), bytes: last.bytes }),
      delivered: this.#from.delivered + this.#delivered,
      rejected: this.#from.rejected + this.#rejected,
    };
    const rejects = [...this.#unwritten];
    await this.#rejectsFile?.append(rejects);
    this.#unwritten.splice(0, rejects.length);
    for (const { row } of rejects) this.#heldBytes -= bytesOf({ text: row });
    const finished = isFinished ? { at: new Date().toISOString(), stamps: stampsOf(inputs) } : undefined;
    const rejectsBytes = this.#rejectsFile?.bytes ?? 0;
    if (checkpoint !== undefined)
      await writeCheckpoint(checkpoint, { ...this.#from, ...ended, rejectsBytes, finished });
    this.#lastWritten = last;
  }
}

const bytesOf = ({ text }: Pick<Row, 'text'>): number => text.length + ROW_BYTES;
