import type { EventferryError } from '../../base/errors/errors.js';
import { type DeadLetter, DeadLetterFiles, type DeadLetterLimits, lineOf } from './dead-letter-file.js';
import type { FileSystem } from './file-system.js';

/** How many letters wait while the disk fails. More would cost too much memory. */
const MOST_UNWRITTEN = 10_000;

/** Messages that this client had to give up, on their way to the disk. */
export class DeadLetters {
  readonly #files: DeadLetterFiles;
  #unwritten: string[] = [];
  #dropped = 0;

  /** @param owner names the files of this client */
  constructor(fs: FileSystem, journal: string, owner: string, limits: DeadLetterLimits) {
    this.#files = new DeadLetterFiles(fs, journal, owner, limits);
  }

  /** @param at when the client gave it up, in ms since 1970 */
  add(at: number, { code, message }: EventferryError, json: string): void {
    if (this.#unwritten.length >= MOST_UNWRITTEN) {
      this.#unwritten.shift();
      this.#dropped++;
    }
    this.#unwritten.push(lineOf({ at: new Date(at).toISOString(), code, error: message }, json));
  }

  /** Forgets the letters that were not written yet and are meant; returns how many. */
  drop(isMeant: (letter: DeadLetter) => boolean): number {
    const before = this.#unwritten.length;
    this.#unwritten = this.#unwritten.filter((text) => !isMeant(JSON.parse(text)));
    return before - this.#unwritten.length;
  }

  /**
   * Hands all to the operating system.
   *
   * @returns how many of the oldest letters it removed
   * @throws the system's error; the next call writes the rest
   */
  write(now: number): number {
    if (this.#unwritten.length > 0) {
      this.#dropped += this.#files.append(this.#unwritten, now);
      this.#unwritten = [];
    }
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}
