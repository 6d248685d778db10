import { type FileHandle, open, stat } from 'node:fs/promises';
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
  /** The length of the file in bytes. */
  bytes: number;

  private constructor(file: FileHandle, bytes: number) {
    this.#file = file;
    this.bytes = bytes;
  }

  /**
   * @param bytes the length of the file at the checkpoint; what follows is cut off, because the import reads those rows again
   * @throws CliError if the file cannot be written or is shorter
   */
  static async open(path: string, bytes: number): Promise<RejectsFile> {
    try {
      if (bytes > 0 && (await stat(path)).size < bytes) {
        throw new Error(`${path} has lost rows of the interrupted import; bring them back, or give --restart`);
      }
      const file = await open(path, bytes === 0 ? 'w' : 'a');
      await file.truncate(bytes);
      return new RejectsFile(file, bytes);
    } catch (error) {
      throw unusable(`--rejects: ${reasonOf(error)}`, error);
    }
  }

  /** Appends rows, and resolves when they are on disk. */
  async append(rejects: readonly Reject[]): Promise<void> {
    if (rejects.length === 0) return;
    const lines = Buffer.from(rejects.map((reject) => `${JSON.stringify(reject)}\n`).join(''));
    await this.#file.appendFile(lines);
    await this.#file.sync();
    this.bytes += lines.length;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
