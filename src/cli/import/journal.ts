import { type FileHandle, open } from 'node:fs/promises';
import { type CliError, reasonOf, unusable } from '../cli-error.js';
import { type Checkpoint, checkWritable, removeCheckpoint, writeCheckpoint } from './checkpoint.js';

/** The pause between two writes, in ms. */
const WRITE_EVERY_MS = 200;

export interface Reject {
  readonly file: string;
  readonly line: number;
  readonly reason: string;
  /** The text of the row in the file. */
  readonly row: string;
}

/** The part of a checkpoint that changes with each row. */
export type Progress = Pick<Checkpoint, 'file' | 'last' | 'delivered' | 'rejected'>;

const NOTHING = { file: 0, delivered: 0, rejected: 0, rejectsBytes: 0 };

export interface JournalOptions {
  readonly rejects: string | undefined;
  readonly checkpoint: string | undefined;
  readonly base: Pick<Checkpoint, 'version' | 'endpoint' | 'files' | 'settings'>;
  /** The checkpoint of an earlier run. Everything after it in the file of rejected rows is cut off, because those rows are read again. */
  readonly from: Checkpoint | undefined;
}

/**
 * Writes the outcomes of the rows to disk: first the rejected rows, then the checkpoint that counts them. So a resumed
 * import neither misses a rejected row nor has it twice.
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
      // Written before the first request: after a kill, the resumed import must send the same rows under the same ids.
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

  /** The rejected rows that are not on disk yet, in characters. */
  get waiting(): number {
    return this.#waitingCharacters;
  }

  /** The error after which nothing more is written, if there was one. */
  get error(): CliError | undefined {
    return this.#error;
  }

  /** Whether a checkpoint of this import is on disk. */
  get hasCheckpoint(): boolean {
    return this.#hasCheckpoint;
  }

  reject(reject: Reject): void {
    if (this.#file === undefined) return;
    const line = `${JSON.stringify(reject)}\n`;
    this.#waiting.push(line);
    this.#waitingCharacters += line.length;
  }

  /** Notes that rows have ended. `progress` is called when the checkpoint is written. */
  note(progress: () => Progress): void {
    this.#progress = progress;
    this.#schedule();
  }

  /**
   * Resolves when everything noted before the call is on disk.
   *
   * @throws CliError if the disk refuses a write
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

  /** Writes the rest. The checkpoint of a finished import is removed, because it has no more use. */
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
    // Take both before the first `await`, so that the progress counts exactly these rejected rows.
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

  /** A nearly full disk may write only a part, and refuse the rest with the next call. */
  async #append(file: FileHandle, bytes: Uint8Array): Promise<void> {
    for (let from = 0; from < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, from, null, this.#rejectsBytes);
      from += bytesWritten;
      this.#rejectsBytes += bytesWritten;
    }
  }
}
