import { basename, join } from 'node:path';
import { type FileSystem, makeFolder } from './file-system.js';
import type { Remains } from './recovery.js';

/** How many bytes wait while they cannot be written. More would cost too much memory, and are not kept. */
const MOST_UNWRITTEN_BYTES = 16 * 2 ** 20;

export const damagedOf = (journal: string): string => join(journal, 'damaged');

/** Bytes of a journal that cannot be read, on their way to files of their own: whoever can read them has all that is left. */
export class DamagedFiles {
  readonly #fs: FileSystem;
  readonly #folder: string;
  readonly #unwritten: { readonly file: string; readonly bytes: Buffer }[] = [];
  #unwrittenBytes = 0;

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
    const bytes = Buffer.concat(found.map((each) => each.bytes));
    const place = `byte ${first.at} of ${first.path}`;
    if (this.#unwrittenBytes + bytes.length > MOST_UNWRITTEN_BYTES) return place;
    this.#unwrittenBytes += bytes.length;
    const file = join(this.#folder, `${basename(owner)}-${basename(first.path)}-${first.at}`);
    this.#unwritten.push({ file, bytes });
    return `${place}; what is left of it is in ${file}`;
  }

  /** Hands all to the operating system. @throws the system's error; the next call writes the rest */
  write(): void {
    for (let next = this.#unwritten[0]; next !== undefined; next = this.#unwritten[0]) {
      makeFolder(this.#fs, this.#folder);
      this.#fs.writeFileSync(next.file, next.bytes, { mode: 0o600 });
      this.#unwritten.shift();
      this.#unwrittenBytes -= next.bytes.length;
    }
  }
}
