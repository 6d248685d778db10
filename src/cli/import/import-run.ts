import { rm } from 'node:fs/promises';
import { EventferryError } from '../../base/errors/errors.js';
import type { Analytics } from '../../client/analytics.js';
import { Import } from '../../client/import/importer.js';
import { ImportError } from '../../client/import/report.js';
import { CliError, EXIT, reasonOf } from '../cli-error.js';
import type { ConnectionOptions, ServiceConnection } from '../options/connection.js';
import { type Checkpoint, digestOf, writeCheckpoint } from './checkpoint.js';
import { rowsAfter, rowsIn } from './import-source.js';
import { type InputFile, type InputOptions, open, sizeOfAll } from './input.js';
import type { CsvOptions } from './mapping.js';
import type { Measure } from './meter.js';
import type { TimestampUnit } from './read-timestamp.js';
import { appendRejects, openRejects, type Reject } from './rejects-file.js';
import type { Row } from './row.js';
import { rowMessage } from './row-message.js';
import type { Zone } from './zone.js';

export interface ImportRunOptions extends ConnectionOptions, InputOptions, CsvOptions {
  readonly timezone?: string | undefined;
  readonly timestampUnit?: TimestampUnit | undefined;
  readonly allowNow?: boolean | undefined;
  readonly salt?: string | undefined;
  readonly dryRun?: boolean | undefined;
  /** The file for rejected rows. */
  readonly rejects?: string | undefined;
  readonly checkpoint?: string | undefined;
  /** Send everything, even if an earlier import has a checkpoint. @default false */
  readonly restart?: boolean | undefined;
  readonly gzip?: boolean | undefined;
}

/** What an import reads, where it sends it, and where it begins. */
export interface ImportJob {
  readonly inputs: readonly InputFile[];
  readonly options: ImportRunOptions;
  readonly connection: ServiceConnection;
  readonly zone: Zone | undefined;
  /** The path of the checkpoint; undefined to keep none. */
  readonly checkpoint: string | undefined;
  readonly from: Checkpoint;
  /** Aborted with the first reason to stop the import, a CliError. */
  readonly stopping: AbortController;
}

/** The result of a run. */
export type ImportSummary = Awaited<ReturnType<ImportRun['run']>>;

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
  readonly #startedAt = performance.now();
  readonly #import: Import<RowPlace>;
  readonly #firstRejects: Omit<Reject, 'row'>[] = [];
  #delivered = 0;
  #rejected = 0;
  /** The bytes before the first row of this run; undefined before it is read. */
  #skippedBytes: number | undefined;
  #heldBytes = 0;
  /** The rejected rows that are not in their file yet. */
  #unwritten: Reject[] = [];
  #rejectsBytes: number;
  /** The last row that has ended, and the last one in the checkpoint on disk. */
  #last: RowPlace | undefined;
  #lastWritten: RowPlace | undefined;
  /** Settles with the last write of the checkpoint. */
  #written = Promise.resolve();
  #waiting: string | undefined;

  constructor(job: ImportJob, analytics: Analytics) {
    this.#job = job;
    this.#analytics = analytics;
    this.#rejectsBytes = job.from.rejectsBytes;
    const { zone, stopping } = job;
    const { salt = '', timestampUnit: unit, allowNow } = job.options;
    // The summary reports rejected rows, so the client does not report them.
    const importer = { ...analytics.importer(), lose: () => {} };
    const onEnd = (place: RowPlace, error?: EventferryError) => this.#end(place, error?.message);
    const messageOf = ({ row }: RowPlace): object => rowMessage(row, { salt, zone, unit });
    this.#import = new Import(importer, messageOf, { allowNow, signal: stopping.signal, onEnd });
  }

  /** Resolves when every row has ended, or the import has stopped and written its progress. */
  async run() {
    const { checkpoint, from, options } = this.#job;
    if (options.rejects !== undefined) await openRejects(options.rejects, from.rejectsBytes);
    this.#analytics.on('retry', ({ attempt, error }) => {
      this.#waiting = `attempt ${attempt} failed (${error.message}), waiting`;
    });
    const writing = setInterval(() => this.#write(), WRITE_EVERY_MS);
    await this.#import.run(this.#rows()).catch((error) => this.#stopBecause(error));
    await this.#analytics.close({ timeout: this.#stopped?.exitCode === EXIT.refused ? 0 : GRACE_MS });
    clearInterval(writing);
    await this.#write();
    // An import that has ended and delivered nothing leaves no checkpoint, so that its options may change.
    const isVain = this.#stopped === undefined && this.#delivered === 0 && from.last === undefined;
    if (checkpoint !== undefined && isVain) await rm(checkpoint, { force: true });
    return {
      /** Rows that ended in this run. */
      delivered: this.#delivered,
      rejected: this.#rejected,
      firstRejects: this.#firstRejects,
      elapsedMs: performance.now() - this.#startedAt,
      /** The reason why the import stopped early, if it did. */
      stopped: this.#stopped,
      /** True if there is a checkpoint at which an import can continue. */
      canResume: checkpoint !== undefined && (this.#lastWritten ?? from.last) !== undefined,
    };
  }

  /** Returns the progress at this moment. */
  measure(): Measure {
    const skippedBytes = this.#skippedBytes ?? 0;
    return {
      rows: this.#delivered + this.#rejected,
      rejected: this.#rejected,
      skippedBytes,
      bytes: this.#last?.bytes ?? skippedBytes,
      totalBytes: sizeOfAll(this.#job.inputs),
      elapsedMs: performance.now() - this.#startedAt,
      waiting: this.#stopped === undefined ? this.#waiting : 'stopping; press Ctrl-C again to stop at once',
    };
  }

  get #stopped(): CliError | undefined {
    return this.#job.stopping.signal.reason;
  }

  /**
   * Stops the import with the error that ended it. An error of the client is about the collector, and any other is about a file.
   */
  #stopBecause(error: unknown): void {
    const cause = error instanceof ImportError ? error.cause : error;
    const exitCode = cause instanceof EventferryError ? EXIT.refused : EXIT.unusable;
    this.#job.stopping.abort(cause instanceof CliError ? cause : new CliError(reasonOf(cause), { exitCode }));
  }

  /** Yields the rows of the files. An error of a file stops the import at once, even during an outage of the collector. */
  async *#rows(): AsyncGenerator<RowPlace[]> {
    const { inputs, from } = this.#job;
    try {
      for (const [file, input] of inputs.entries()) {
        if (file >= (from.last?.file ?? 0)) yield* this.#rowsOf(input, file);
      }
    } catch (error) {
      this.#stopBecause(error);
    }
  }

  async *#rowsOf(input: InputFile, file: number): AsyncGenerator<RowPlace[]> {
    const { inputs, from, options, stopping, checkpoint } = this.#job;
    const bytesBefore = sizeOfAll(inputs.slice(0, file)) ?? 0;
    const opened = open(input);
    stopping.signal.addEventListener('abort', opened.close);
    const all = rowsIn(opened, input, options);
    for await (const rows of from.last?.file === file ? rowsAfter(from.last, all, input.name) : all) {
      if (rows.length === 0) continue;
      const bytes = bytesBefore + opened.bytesRead();
      if (this.#skippedBytes === undefined) {
        this.#skippedBytes = bytes;
        // After a kill before the first answer, the import must send the same rows with the same ids. An import that reads no row,
        // for example because of a wrong header, leaves no checkpoint, so that its options may change.
        if (checkpoint !== undefined) await writeCheckpoint(checkpoint, from);
      }
      await this.#makeRoom();
      for (const { text } of rows) this.#heldBytes += text.length + ROW_BYTES;
      yield rows.map((row) => ({ file, row, bytes }));
    }
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
      this.#heldBytes -= row.text.length + ROW_BYTES;
      return;
    }
    this.#rejected++;
    const reject = { file: this.#job.inputs[file]?.name ?? '', line: row.line, reason };
    if (this.#firstRejects.length < FIRST_REJECTS) this.#firstRejects.push(reject);
    this.#unwritten.push({ ...reject, row: row.text });
  }

  /** Writes the progress to disk after all earlier writes. A failure stops the import and all later writes. */
  #write(): Promise<void> {
    this.#written = this.#written.then(() => this.#writeNow());
    return this.#written.catch((error) => this.#stopBecause(error));
  }

  /**
   * Writes first the rejected rows, then the checkpoint that counts them, so that a resumed import neither loses a rejected row
   * nor writes it twice.
   */
  async #writeNow(): Promise<void> {
    this.#import.settle();
    const last = this.#last;
    if (last === undefined || last === this.#lastWritten) return;
    const { checkpoint, connection, from, options } = this.#job;
    const rejects = this.#unwritten.splice(0);
    if (options.rejects !== undefined && rejects.length > 0) {
      this.#rejectsBytes = await appendRejects(options.rejects, this.#rejectsBytes, rejects);
    }
    for (const { row } of rejects) this.#heldBytes -= row.length + ROW_BYTES;
    const position = { file: last.file, line: last.row.line, digest: digestOf(last.row.text) };
    const writeKey = digestOf(connection.writeKey);
    const progress = { ...from, writeKey, last: position, rejectsBytes: this.#rejectsBytes };
    if (checkpoint !== undefined) await writeCheckpoint(checkpoint, progress);
    this.#lastWritten = last;
  }
}
