import { basename, join } from 'node:path';
import { contentOf, recordsBytes, writeMessages } from './batch-file.js';
import { bytesIn, type FileSystem, isGone, listed, makePlainFolder, removeFile, writeFile } from './file-system.js';
import type { ResolvedJournalOptions } from './journal-options.js';
import type { JournaledMessage } from './message-filter.js';
import { overwrite, StoredFile } from './stored-file.js';

/** A message that was not delivered, and that no client sends again by itself. */
export interface JournalDeadLetter {
  /** The time at which the client gave the message up, in ISO 8601. */
  readonly at: string;
  /** The `code` and the text of the error with which the message was lost. */
  readonly code: string;
  readonly error: string;
  /** The message as it was sent. */
  readonly message: JournaledMessage;
}

/** A dead letter in a file. */
export interface DeadMessage extends JournalDeadLetter {
  readonly state: 'dead';
  readonly file: string;
  /** The index of the letter in the file. */
  readonly index: number;
}

export type DeadLetterLimits = Pick<ResolvedJournalOptions, 'maxDeadLetters' | 'maxDeadLetterAge'>;

const NAME = /^(.+)-(\d{6,})\.batch$/;
const MOST_PER_FILE = 1_000;

/** The dead letters of a journal, in files like those of batches. One client writes each file. */
export class DeadLetterFiles {
  readonly #fs: FileSystem;
  readonly #folder: string;
  readonly #owner: string;
  readonly #limits: DeadLetterLimits;
  readonly #perFile: number;
  #file: StoredFile | undefined;
  #files = 0;
  readonly #counts = new Map<string, { readonly bytes: number; readonly letters: number }>();

  constructor(fs: FileSystem, journal: string, owner: string, limits: DeadLetterLimits) {
    this.#fs = fs;
    this.#folder = deadLettersOf(journal);
    this.#owner = owner;
    this.#limits = limits;
    this.#perFile = Math.max(1, Math.min(MOST_PER_FILE, Math.floor(limits.maxDeadLetters / 10)));
  }

  /** Hands letters to the operating system. Returns the number of older letters that it removed. @throws the system's error */
  append(letters: readonly string[], now: number): number {
    let dropped = 0;
    for (let done = 0; done < letters.length; ) {
      // A drop, or a client with lower limits, may have removed the file.
      if (this.#file === undefined || this.#file.count >= this.#perFile || isGone(this.#fs, this.#file.path)) {
        dropped += this.#prune(now);
        this.#file = this.#begin();
      }
      const part = letters.slice(done, done + this.#perFile - this.#file.count);
      this.#file.append(recordsOf(this.#file.count, part), part.length);
      done += part.length;
    }
    return dropped;
  }

  #begin(): StoredFile {
    makePlainFolder(this.#fs, this.#folder);
    const path = join(this.#folder, `${this.#owner}-${String(++this.#files).padStart(6, '0')}.batch`);
    writeFile(this.#fs, path, Buffer.alloc(0));
    return new StoredFile(this.#fs, path);
  }

  /** Makes room for one more file. */
  #prune(now: number): number {
    const { maxDeadLetters, maxDeadLetterAge } = this.#limits;
    let room = maxDeadLetters - this.#perFile;
    let dropped = 0;
    for (const { file, at, bytes } of newestLast(this.#fs, this.#folder).reverse()) {
      room -= this.#countIn(file, bytes);
      if (room >= 0 && now - at <= maxDeadLetterAge) continue;
      dropped += contentOf(bytesIn(this.#fs, file)).messages.length;
      removeFile(this.#fs, file);
      this.#counts.delete(file);
    }
    return dropped;
  }

  /** Counts the letters of a file. Most files are full and no longer change, so it counts each once. */
  #countIn(file: string, bytes: number): number {
    const known = this.#counts.get(file);
    if (known?.bytes === bytes) return known.letters;
    const letters = contentOf(bytesIn(this.#fs, file)).count;
    this.#counts.set(file, { bytes, letters });
    return letters;
  }
}

/** The folder for bytes from which no message can be read. */
export const damagedOf = (journal: string): string => join(journal, 'damaged');

export const deadLettersOf = (journal: string): string => join(journal, 'dead-letters');

/** Lists the files of dead letters, oldest first. */
export const deadLetterFilesIn = (fs: FileSystem, folder: string): string[] =>
  newestLast(fs, folder).map(({ file }) => file);

function newestLast(fs: FileSystem, folder: string): { file: string; at: number; bytes: number; number: number }[] {
  return listed(fs, folder, 'files')
    .flatMap((name) => {
      const digits = NAME.exec(name)?.[2];
      const file = join(folder, name);
      // Another process may have removed the file.
      const size = digits === undefined ? undefined : sizeOf(fs, file);
      return size === undefined ? [] : [{ file, ...size, number: Number(digits) }];
    })
    .sort((a, b) => Math.floor(a.at) - Math.floor(b.at) || a.number - b.number);
}

/** Returns the time of the last write to a file, and its size in bytes. Returns undefined if there is no such file. */
function sizeOf(fs: FileSystem, file: string): { at: number; bytes: number } | undefined {
  const stats = fs.statSync(file, { throwIfNoEntry: false });
  return stats && { at: stats.mtimeMs, bytes: stats.size };
}

/** Returns the client that wrote a file, as the name of the client's folder. */
export const writerOf = (file: string): string | undefined => NAME.exec(basename(file))?.[1];

/**
 * Returns the letters that were neither replayed nor dropped. It ignores a letter that was cut off.
 *
 * @param onDamage gets the position of the first byte of each damaged letter
 */
export function lettersIn(fs: FileSystem, file: string, onDamage = (_at: number): void => {}): DeadMessage[] {
  return contentOf(bytesIn(fs, file)).messages.flatMap(({ index, json, at }) => {
    if (json !== undefined) return [{ ...parsed(json), state: 'dead', file, index }];
    onDamage(at);
    return [];
  });
}

/**
 * Overwrites the chosen letters with spaces, which needs no room on the disk. A file that is not there any more has no letters.
 *
 * @param isMeant gets `undefined` as the letter for bytes that cannot be read
 * @param mayRemove whether to remove the file when no letter is left, because no client writes to it any more
 * @throws the system's error
 */
export function eraseLetters(
  fs: FileSystem,
  file: string,
  isMeant: (letter: JournalDeadLetter | undefined, index: number, bytes: number) => boolean,
  mayRemove = false,
): void {
  const { messages, count, rest } = contentOf(bytesIn(fs, file));
  const pieces = [...messages, ...rest.map((piece) => ({ ...piece, index: count, json: undefined }))];
  const meant = pieces.filter(({ index, json, bytes }) => isMeant(json && parsed(json), index, bytes.length));
  if (mayRemove && meant.length === pieces.length) removeFile(fs, file);
  overwrite(fs, file, meant);
}

/** Returns a letter as JSON. @param message the message as JSON */
export const letterOf = ({ at, code, error }: Omit<JournalDeadLetter, 'message'>, message: string): string =>
  `${JSON.stringify({ at, code, error }).slice(0, -1)},"message":${message}}`;

const parsed = (json: Buffer): JournalDeadLetter => JSON.parse(json.toString());

/** Returns letters as records. The first one has this index. */
function recordsOf(first: number, letters: readonly string[]): Buffer {
  const bytes = Buffer.from(letters.join());
  const records = Buffer.alloc(recordsBytes(letters.length, bytes.length - letters.length + 1));
  writeMessages(
    records,
    first,
    bytes,
    letters.map((letter) => Buffer.byteLength(letter)),
  );
  return records;
}
