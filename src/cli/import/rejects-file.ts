import { type FileHandle, open } from 'node:fs/promises';
import { reasonOf, unusable } from '../cli-error.js';

export interface Reject {
  readonly file: string;
  readonly line: number;
  readonly reason: string;
  /** The text of the row in the file. */
  readonly row: string;
}

/** The file of rejected rows. */
export class RejectsFile {
  readonly #file: FileHandle;
  #bytes: number;

  private constructor(file: FileHandle, bytes: number) {
    this.#file = file;
    this.#bytes = bytes;
  }

  /**
   * @param bytes the length of the file at the checkpoint; what follows is cut off, because the import reads those rows again
   * @throws CliError if the file cannot be written or is shorter
   */
  static async open(path: string, bytes: number): Promise<RejectsFile> {
    try {
      const file = await open(path, bytes === 0 ? 'w' : 'r+');
      if ((await file.stat()).size < bytes) {
        await file.close();
        throw new Error(`${path} has lost rows of the interrupted import; bring them back, or give --restart`);
      }
      await file.truncate(bytes);
      return new RejectsFile(file, bytes);
    } catch (error) {
      throw unusable(`--rejects: ${reasonOf(error)}`, error);
    }
  }

  /** The length of the file in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Appends rows, and resolves when they are on disk. */
  async append(rejects: readonly Reject[]): Promise<void> {
    if (rejects.length === 0) return;
    const bytes = Buffer.from(rejects.map((reject) => `${JSON.stringify(reject)}\n`).join(''));
    // On a nearly full disk, a call may write only a part, and the next call fails.
    for (let from = 0; from < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, from, null, this.#bytes);
      from += bytesWritten;
      this.#bytes += bytesWritten;
    }
    await this.#file.sync();
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
