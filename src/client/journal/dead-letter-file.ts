import { basename, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { makeFolder } from '../../base/process/make-folder.js';
import { bytesIn, type FileSystem, listed, removeFile, writeAll } from './file-system.js';
import type { ResolvedJournalOptions } from './journal-options.js';

/** A message that was not delivered, and that no client sends again by itself. */
export interface DeadLetter {
  /** The time at which the client gave the message up, in ISO 8601. */
  readonly at: string;
  /** The `code` and the text of the error with which the message was lost. */
  readonly code: string;
  readonly error: string;
  /** The message as it was sent. */
  readonly message: unknown;
}

export type DeadLetterLimits = Pick<ResolvedJournalOptions, 'maxDeadLetters' | 'maxDeadLetterAge'>;

const NAME = /^(.+)-(\d{6,})\.ndjson$/;
const LF = 0x0a;
const MOST_PER_FILE = 1_000;

/** The dead letters of a journal, in files of one letter per line. One client writes each file. */
export class DeadLetterFiles {
  readonly #fs: FileSystem;
  readonly #folder: string;
  readonly #owner: string;
  readonly #limits: DeadLetterLimits;
  readonly #perFile: number;
  #file: string | undefined;
  #files = 0;
  readonly #counts = new Map<string, { readonly bytes: number; readonly lines: number }>();
  #lines = 0;

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
      if (this.#file === undefined || this.#lines >= this.#perFile) dropped += this.#begin(now);
      const part = letters.slice(done, done + this.#perFile - this.#lines);
      this.#appendLines(this.#file ?? '', part);
      this.#lines += part.length;
      done += part.length;
    }
    return dropped;
  }

  #begin(now: number): number {
    makeFolder(this.#fs, this.#folder);
    const dropped = this.#prune(now);
    this.#file = join(this.#folder, `${this.#owner}-${String(++this.#files).padStart(6, '0')}.ndjson`);
    this.#lines = 0;
    return dropped;
  }

  /** Appends all of the lines or none. @throws the system's error */
  #appendLines(file: string, lines: readonly string[]): void {
    const before = sizeOf(this.#fs, file)?.bytes ?? 0;
    try {
      this.#fs.appendFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
    } catch (error) {
      // A reader would join a line that was cut off to the next one. If it cannot be removed, the next line goes to a new file.
      this.#file = undefined;
      if (sizeOf(this.#fs, file) !== undefined) this.#fs.truncateSync(file, before);
      this.#file = file;
      throw error;
    }
  }

  /** Makes room for one more file. */
  #prune(now: number): number {
    const { maxDeadLetters, maxDeadLetterAge } = this.#limits;
    let room = maxDeadLetters - this.#perFile;
    let dropped = 0;
    for (const { file, at, bytes } of newestLast(this.#fs, this.#folder).reverse()) {
      room -= this.#countIn(file, bytes);
      if (room >= 0 && now - at <= maxDeadLetterAge) continue;
      dropped += linesIn(bytesIn(this.#fs, file)).length;
      removeFile(this.#fs, file);
      this.#counts.delete(file);
    }
    return dropped;
  }

  /** Counts the lines of a file. Most files are full and no longer change, so it counts each once. */
  #countIn(file: string, bytes: number): number {
    const known = this.#counts.get(file);
    if (known?.bytes === bytes) return known.lines;
    const lines = bytesIn(this.#fs, file).toString().split('\n').length - 1;
    this.#counts.set(file, { bytes, lines });
    return lines;
  }
}

/** The folder for bytes from which no message can be read. */
export const damagedOf = (journal: string): string => join(journal, 'damaged');

export const deadLettersOf = (journal: string): string => join(journal, 'dead-letters');

/** Lists the files of dead letters, oldest first. */
export const deadLetterFilesIn = (fs: FileSystem, folder: string): string[] =>
  newestLast(fs, folder).map(({ file }) => file);

function newestLast(fs: FileSystem, folder: string): { file: string; at: number; bytes: number; number: number }[] {
  return listed(fs, folder)
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
  return stats?.isFile() ? { at: stats.mtimeMs, bytes: stats.size } : undefined;
}

/** Returns the client that wrote a file, as the name of the client's folder. */
export const writerOf = (file: string): string | undefined => NAME.exec(basename(file))?.[1];

/** A dead letter and the number of its line in the file, from 0. */
export interface DeadLetterLine {
  readonly line: number;
  readonly letter: DeadLetter;
}

/**
 * Returns the letters that were neither replayed nor dropped. It ignores lines that were cut off or erased.
 *
 * @param onDamage gets the position of the first byte of each damaged line
 */
export function lettersIn(fs: FileSystem, file: string, onDamage = (_at: number): void => {}): DeadLetterLine[] {
  return linesIn(bytesIn(fs, file)).flatMap(({ line, from, letter, isWhole, isBeginning }) => {
    if (letter !== undefined) return [{ line, letter }];
    if (isWhole || !isBeginning) onDamage(from);
    return [];
  });
}

/**
 * Overwrites the chosen lines with spaces. This needs no room on the disk, and it does not move the other lines, because a client
 * may append to the file at the same time.
 *
 * @param isMeant gets `undefined` as the letter of a line that cannot be read
 * @param mayRemove whether to remove the file when no line is left, because no client writes to it any more
 * @throws the system's error
 */
export function eraseLines(
  fs: FileSystem,
  file: string,
  isMeant: (letter: DeadLetter | undefined, line: number, bytes: number) => boolean,
  mayRemove = false,
): void {
  const lines = linesIn(fs.readFileSync(file));
  const meant = lines.filter(({ letter, line, from, to }) => isMeant(letter, line, to - from));
  if (mayRemove && meant.length === lines.length) removeFile(fs, file);
  if (meant.length === 0 || !fs.existsSync(file)) return;
  const handle = fs.openSync(file, 'r+');
  const { atimeMs, mtimeMs } = fs.fstatSync(handle);
  try {
    for (const { from, to } of meant) writeAll(fs, handle, Buffer.alloc(to - from, ' '), to - from, from);
    // Keeps the file's time, which is the age of its letters. Half a millisecond is added because seconds are rounded.
    fs.futimesSync(handle, atimeMs / 1_000, (Math.floor(mtimeMs) + 0.5) / 1_000);
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

interface Line {
  readonly line: number;
  readonly from: number;
  readonly to: number;
  /** True when the line ends with a line feed. */
  readonly isWhole: boolean;
  /** True when the line begins as a letter does. A letter that a kill cut off does, and zeros do not. */
  readonly isBeginning: boolean;
  /** Undefined when the line cannot be read. */
  readonly letter: DeadLetter | undefined;
}

/** Returns the lines that are not blank. */
function linesIn(bytes: Buffer): Line[] {
  const lines: Line[] = [];
  for (let line = 0, from = 0; from < bytes.length; line++) {
    const found = bytes.indexOf(LF, from);
    const isWhole = found !== -1;
    const to = isWhole ? found : bytes.length;
    const text = bytes.toString('utf8', from, to);
    const isBeginning = text.startsWith(BEGINNING) || BEGINNING.startsWith(text);
    if (text.trim() !== '') lines.push({ line, from, to, isWhole, isBeginning, letter: parsed(text) });
    from = to + 1;
  }
  return lines;
}

/** Returns a letter as a line: a JSON object whose last field is the CRC-32 of the text before it. @param json the message */
export function lineOf({ at, code, error }: Omit<DeadLetter, 'message'>, json: string): string {
  const fields = JSON.stringify({ at, code, error }).slice(0, -1);
  const text = `${fields},"message":${json}`;
  return text + sumOf(text);
}

const BEGINNING = '{"at":"';

const sumOf = (text: string): string => `,"crc32":"${crc32(text).toString(16).padStart(8, '0')}"}`;
const SUM_CHARACTERS = sumOf('').length;

/** Parses a line. Returns undefined if its checksum does not match. */
function parsed(line: string): DeadLetter | undefined {
  const text = line.slice(0, -SUM_CHARACTERS);
  return line === text + sumOf(text) ? JSON.parse(line) : undefined;
}
