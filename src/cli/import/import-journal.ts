import { type FileHandle, open } from 'node:fs/promises';
import { reasonOf, unusable } from '../cli-error.js';
import { type Checkpoint, refuseUnwritable, removeCheckpoint, writeCheckpoint } from './checkpoint.js';

export interface Reject {
  readonly file: string;
  readonly line: number;
  readonly reason: string;
  /** The text of the row in the file. */
  readonly row: string;
}

/** The part of a checkpoint that changes with each row. */
export type Progress = Pick<Checkpoint, 'file' | 'last' | 'delivered' | 'rejected'>;

/** These go to disk together. */
export interface Entry {
  /** The rows that were rejected since the last entry. */
  readonly rejects: readonly Reject[];
  readonly progress: Progress;
}

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
  #rejectsBytes: number;
  #written = Promise.resolve();
  #hasCheckpoint = false;

  private constructor(options: JournalOptions, file: FileHandle | undefined) {
    this.#options = options;
    this.#file = file;
    this.#rejectsBytes = options.from?.rejectsBytes ?? 0;
  }

  /** @throws CliError when the file of rejected rows or the checkpoint cannot be written */
  static async open(options: JournalOptions): Promise<Journal> {
    const { checkpoint, base, from, rejects } = options;
    // This is written before the first request: after a kill, the resumed import must send the same rows under the same ids.
    if (checkpoint !== undefined)
      await writeCheckpoint(checkpoint, from ?? { ...base, ...NOTHING }).catch(refuseUnwritable);
    if (rejects === undefined) return new Journal(options, undefined);
    const rejectsBytes = from?.rejectsBytes ?? 0;
    try {
      const file = await open(rejects, rejectsBytes === 0 ? 'w' : 'r+');
      if ((await file.stat()).size < rejectsBytes) {
        await file.close();
        throw new Error(`${rejects} has lost rows of the interrupted import; bring them back, or give --restart`);
      }
      await file.truncate(rejectsBytes);
      return new Journal(options, file);
    } catch (error) {
      throw unusable(`--rejects: ${reasonOf(error)}`, error);
    }
  }

  /** A checkpoint of this import is on disk. */
  get hasCheckpoint(): boolean {
    return this.#hasCheckpoint;
  }

  /**
   * Writes what `take` returns when every earlier write is done. After an error nothing more is written.
   *
   * @throws CliError if the disk refuses
   */
  write(take: () => Entry | undefined): Promise<void> {
    this.#written = this.#written.then(() => this.#writeEntry(take()));
    return this.#written;
  }

  /** The checkpoint of a finished import is removed, because it has no more use. */
  async close({ isDone }: { isDone: boolean }): Promise<void> {
    try {
      await this.#written;
      if (isDone && this.#options.checkpoint !== undefined) await removeCheckpoint(this.#options.checkpoint);
    } finally {
      await this.#file?.close();
    }
  }

  async #writeEntry(entry: Entry | undefined): Promise<void> {
    if (entry === undefined) return;
    const { checkpoint, base } = this.#options;
    try {
      await this.#append(entry.rejects);
      if (checkpoint === undefined) return;
      await writeCheckpoint(checkpoint, { ...base, ...entry.progress, rejectsBytes: this.#rejectsBytes });
      this.#hasCheckpoint = true;
    } catch (error) {
      throw unusable(`cannot write the progress of the import: ${reasonOf(error)}`, error);
    }
  }

  /** A nearly full disk may write only a part, and refuse the rest with the next call. */
  async #append(rejects: readonly Reject[]): Promise<void> {
    if (this.#file === undefined || rejects.length === 0) return;
    const bytes = Buffer.from(rejects.map((reject) => `${JSON.stringify(reject)}\n`).join(''));
    for (let from = 0; from < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, from, null, this.#rejectsBytes);
      from += bytesWritten;
      this.#rejectsBytes += bytesWritten;
    }
    await this.#file.sync();
  }
}
