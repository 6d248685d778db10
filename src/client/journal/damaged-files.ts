import { basename, join } from 'node:path';
import { type FileSystem, makeFolder } from './file-system.js';
import type { Remains } from './recovery.js';

export const damagedOf = (journal: string): string => join(journal, 'damaged');

/** Bytes of a journal that cannot be read, on their way to files of their own: whoever can read them has all that is left. */
export class DamagedFiles {
  readonly #fs: FileSystem;
  readonly #folder: string;
  readonly #unwritten: { readonly file: string; readonly bytes: Buffer }[] = [];

  constructor(fs: FileSystem, journal: string) {
    this.#fs = fs;
    this.#folder = damagedOf(journal);
  }

  /**
   * @param owner the folder in which they were found
   * @returns where they were, for a person; undefined when nothing is left
   */
  add(owner: string, remains: readonly Remains[]): string | undefined {
    const found = remains.filter(({ bytes }) => bytes.length > 0);
    const [first] = found;
    if (first === undefined) return undefined;
    const file = join(this.#folder, `${basename(owner)}-${basename(first.path)}-${first.at}`);
    this.#unwritten.push({ file, bytes: Buffer.concat(found.map(({ bytes }) => bytes)) });
    return `byte ${first.at} of ${first.path}; what is left of it is in ${file}`;
  }

  /** Hands all to the operating system. @throws the system's error; the next call writes the rest */
  write(): void {
    for (let next = this.#unwritten[0]; next !== undefined; next = this.#unwritten[0]) {
      makeFolder(this.#fs, this.#folder);
      this.#fs.writeFileSync(next.file, next.bytes, { mode: 0o600 });
      this.#unwritten.shift();
    }
  }
}
