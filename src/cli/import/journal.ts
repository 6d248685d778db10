import { type FileHandle, open } from 'node:fs/promises';
import { type CliError, reasonOf, unusable } from '../cli-error.js';
import { type Checkpoint, checkWritable, removeCheckpoint, writeCheckpoint } from './checkpoint.js';

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
export type Progress = Pick<Checkpoint, 'file' | 'last' | 'delivered' | 'rejected'>;

const NOTHING = { file: 0, delivered: 0, rejected: 0, rejectsBytes: 0 };

export interface JournalOptions {
  readonly rejects: string | undefined;
  readonly checkpoint: string | undefined;
  readonly base: Pick<Checkpoint, 'version' | 'endpoint' | 'files' | 'settings'>;
  /** The checkpoint of an earlier import: what stands behind it in the file of rejected rows belongs to rows that are read again. */
  readonly from: Checkpoint | undefined;
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
    this.#rejectsBytes = options.from?.rejectsBytes ?? 0;
  }

  /** @throws CliError when the file of rejected rows or the checkpoint cannot be written */
  static async open(options: JournalOptions): Promise<Journal> {
    const { checkpoint, base, from, rejects } = options;
    if (checkpoint !== undefined) {
      await checkWritable(checkpoint);
      // Before the first request: whoever resumes after a kill must send the same rows under the same ids.
      if (from === undefined) await writeCheckpoint(checkpoint, { ...base, ...NOTHING });
    }
    if (rejects === undefined) return new Journal(options, undefined);
    const rejectsBytes = from?.rejectsBytes ?? 0;
    try {
      const file = await open(rejects, rejectsBytes === 0 ? 'w' : 'r+');
      await file.truncate(rejectsBytes);
      return new Journal(options, file);
    } catch (error) {
      throw unusable(`--rejects: ${reasonOf(error)}`);
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

  /** Writes what is left. The checkpoint of an import that is done is of no more use, and goes. */
  async close({ isDone }: { isDone: boolean }): Promise<void> {
    clearTimeout(this.#timer);
    try {
      await this.write();
      if (isDone && this.#options.checkpoint !== undefined) await removeCheckpoint(this.#options.checkpoint);
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
      this.#error = unusable(`cannot write the progress of the import: ${reasonOf(error)}`);
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
