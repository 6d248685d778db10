import { type FileHandle, open } from 'node:fs/promises';
import { CliError, reasonOf } from '../cli-error.js';
import { type Checkpoint, checkWritable, writeCheckpoint } from './checkpoint.js';

/** How long the journal waits between two writings, in milliseconds. */
const WRITE_EVERY_MS = 200;

export interface Reject {
  readonly file: string;
  readonly line: number;
  readonly reason: string;
  /** The text in the file. */
  readonly row: string;
}

/** What changes from row to row. */
export type Progress = Pick<Checkpoint, 'file' | 'last' | 'delivered' | 'rejected' | 'isDone'>;

export interface JournalOptions {
  readonly rejects: string | undefined;
  readonly checkpoint: string | undefined;
  readonly base: Pick<Checkpoint, 'version' | 'endpoint' | 'files' | 'settings'>;
  /** How long the file of rejected rows was at the checkpoint: what is behind it belongs to rows that are read again. */
  readonly rejectsBytes: number;
}

/**
 * Keeps on the disk what has become of the rows: first the rejected ones, then the checkpoint that counts them, so that a
 * resumed import neither misses a rejected row nor has it twice.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #file: FileHandle | undefined;
  #waiting: string[] = [];
  #waitingCharacters = 0;
  #rejectsBytes: number;
  #progress: (() => Progress) | undefined;
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #error: CliError | undefined;
  #hasCheckpoint = false;

  private constructor(options: JournalOptions, file: FileHandle | undefined) {
    this.#options = options;
    this.#file = file;
    this.#rejectsBytes = options.rejectsBytes;
  }

  /** @throws CliError when the file of rejected rows or the checkpoint cannot be written */
  static async open(options: JournalOptions): Promise<Journal> {
    if (options.checkpoint !== undefined) await checkWritable(options.checkpoint);
    if (options.rejects === undefined) return new Journal(options, undefined);
    try {
      const file = await open(options.rejects, options.rejectsBytes === 0 ? 'w' : 'r+');
      await file.truncate(options.rejectsBytes);
      return new Journal(options, file);
    } catch (error) {
      throw new CliError(`--rejects: ${reasonOf(error)}`);
    }
  }

  /** How much of the rejected rows is not on the disk yet, in characters. */
  get waiting(): number {
    return this.#waitingCharacters;
  }

  /** Why nothing is written any more, if so. */
  get error(): CliError | undefined {
    return this.#error;
  }

  /** Whether a checkpoint of this import is on the disk. */
  get hasCheckpoint(): boolean {
    return this.#hasCheckpoint;
  }

  reject(reject: Reject): void {
    if (this.#file === undefined) return;
    const line = `${JSON.stringify(reject)}\n`;
    this.#waiting.push(line);
    this.#waitingCharacters += line.length;
  }

  /** Notes that rows have ended; `progress` is asked when it is written. */
  note(progress: () => Progress): void {
    this.#progress = progress;
    this.#schedule();
  }

  /**
   * Resolves when all that was noted before the call is on the disk.
   *
   * @throws CliError when the disk refuses
   */
  async write(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    this.#writing = this.#writeNow().finally(() => {
      this.#writing = undefined;
      // Rows may have ended meanwhile.
      this.#schedule();
    });
    await this.#writing;
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      await this.write();
    } finally {
      await this.#file?.close();
    }
  }

  #schedule(): void {
    if (this.#progress === undefined || this.#timer !== undefined || this.#writing !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.write().catch(() => {});
    }, WRITE_EVERY_MS);
  }

  async #writeNow(): Promise<void> {
    if (this.#error !== undefined) throw this.#error;
    try {
      await this.#writeRejects();
    } catch (error) {
      this.#error = new CliError(`cannot write the progress of the import: ${reasonOf(error)}`);
      throw this.#error;
    }
  }

  async #writeRejects(): Promise<void> {
    const { checkpoint, base } = this.#options;
    // Taken together, before anything is awaited: the rows rejected so far are those that the progress counts.
    const [text, progress] = [this.#waiting.join(''), this.#progress?.()];
    this.#waiting = [];
    this.#waitingCharacters = 0;
    this.#progress = undefined;
    if (this.#file !== undefined) await this.#append(this.#file, Buffer.from(text));
    if (checkpoint === undefined || progress === undefined) return;
    if (this.#file !== undefined && text !== '') await this.#file.sync();
    await writeCheckpoint(checkpoint, { ...base, ...progress, rejectsBytes: this.#rejectsBytes });
    this.#hasCheckpoint = true;
  }

  /** A disk that is nearly full takes a part of what it is given, and refuses only what comes after. */
  async #append(file: FileHandle, bytes: Uint8Array): Promise<void> {
    for (let from = 0; from < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, from, null, this.#rejectsBytes);
      from += bytesWritten;
      this.#rejectsBytes += bytesWritten;
    }
  }
}
