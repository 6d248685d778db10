import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

/** A message that was not delivered, and that no client sends again by itself. */
export interface DeadLetter {
  /** When the client gave it up, in ISO 8601. */
  readonly at: string;
  /** The `code` and the text of the error by which it was lost. */
  readonly code: string;
  readonly error: string;
  /** The message as it was sent. */
  readonly message: unknown;
}

export interface DeadLetterLimits {
  readonly maxDeadLetters: number;
  /** In milliseconds. */
  readonly maxDeadLetterAge: number;
}

const NAME = /^(.+)-(\d{6,})\.ndjson$/;
const GONE_SUFFIX = '.gone';
const MOST_PER_FILE = 1_000;

/**
 * The dead letters of a journal: files of lines that one client each has written. Beside a file stands another with the numbers of
 * the lines that were replayed or dropped, to which any process may append.
 */
export class DeadLetterFiles {
  readonly #folder: string;
  readonly #owner: string;
  readonly #limits: DeadLetterLimits;
  readonly #perFile: number;
  #file: string | undefined;
  #files = 0;
  readonly #counts = new Map<string, { readonly bytes: number; readonly lines: number }>();
  #lines = 0;

  constructor(journal: string, owner: string, limits: DeadLetterLimits) {
    this.#folder = deadLettersOf(journal);
    this.#owner = owner;
    this.#limits = limits;
    this.#perFile = Math.max(1, Math.min(MOST_PER_FILE, Math.floor(limits.maxDeadLetters / 10)));
  }

  /** Hands letters to the operating system; returns how many older ones it removed. @throws the system's error */
  append(letters: readonly string[], now: number): number {
    let dropped = 0;
    for (let done = 0; done < letters.length; ) {
      if (this.#file === undefined || this.#lines >= this.#perFile) dropped += this.#begin(now);
      const part = letters.slice(done, done + this.#perFile - this.#lines);
      appendLines(this.#file ?? '', part);
      this.#lines += part.length;
      done += part.length;
    }
    return dropped;
  }

  #begin(now: number): number {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const dropped = this.#prune(now);
    this.#file = join(this.#folder, `${this.#owner}-${String(++this.#files).padStart(6, '0')}.ndjson`);
    this.#lines = 0;
    return dropped;
  }

  /** Makes room for one more file. */
  #prune(now: number): number {
    const { maxDeadLetters, maxDeadLetterAge } = this.#limits;
    let room = maxDeadLetters - this.#perFile;
    let dropped = 0;
    for (const { file, at, bytes } of newestLast(this.#folder).reverse()) {
      room -= this.#countIn(file, bytes);
      if (room >= 0 && now - at <= maxDeadLetterAge) continue;
      dropped += lettersIn(file).length;
      removeDeadLetterFile(file);
      this.#counts.delete(file);
    }
    return dropped;
  }

  /** Counts the lines of a file. Most files are full and no longer change, so it counts each once. */
  #countIn(file: string, bytes: number): number {
    const known = this.#counts.get(file);
    if (known?.bytes === bytes) return known.lines;
    const lines = textOf(file).split('\n').length - 1;
    this.#counts.set(file, { bytes, lines });
    return lines;
  }
}

export const deadLettersOf = (journal: string): string => join(journal, 'dead-letters');

/** Oldest first. */
export const deadLetterFilesIn = (folder: string): string[] => newestLast(folder).map(({ file }) => file);

function newestLast(folder: string): { file: string; at: number; bytes: number }[] {
  const names = namesIn(folder).filter((name) => NAME.test(name));
  return names
    .map((name) => join(folder, name))
    .flatMap((file) => {
      // Another process may have removed it.
      const size = sizeOf(file);
      return size === undefined ? [] : [{ file, ...size }];
    })
    .sort((a, b) => a.at - b.at || (a.file < b.file ? -1 : 1));
}

/** When a file was written last, and its bytes; undefined when there is none. */
function sizeOf(file: string): { at: number; bytes: number } | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats && { at: stats.mtimeMs, bytes: stats.size };
}

/** A line of a file, by its number from 0. */
export interface DeadLetterLine {
  readonly line: number;
  readonly letter: DeadLetter;
}

/** The letters that are neither replayed nor dropped. A line that was cut off is none. */
export function lettersIn(file: string): DeadLetterLine[] {
  // A kill may have cut off the last number, which would then be that of another line.
  const gone = new Set(textOf(`${file}${GONE_SUFFIX}`).split('\n').slice(0, -1).map(Number));
  return textOf(file)
    .split('\n')
    .flatMap((text, line) => {
      const letter = text === '' || gone.has(line) ? undefined : parsed(text);
      return letter === undefined ? [] : [{ line, letter }];
    });
}

/** Notes that these lines are done with. */
export function noteGone(file: string, lines: readonly number[]): void {
  if (lines.length > 0) appendLines(`${file}${GONE_SUFFIX}`, lines);
}

/** All or nothing: a reader would take the next line for the rest of one that was cut off. */
function appendLines(file: string, lines: readonly (string | number)[]): void {
  const before = sizeOf(file)?.bytes ?? 0;
  try {
    appendFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  } catch (error) {
    if (sizeOf(file) !== undefined) truncateSync(file, before);
    throw error;
  }
}

function removeDeadLetterFile(file: string): void {
  rmSync(file, { force: true });
  rmSync(`${file}${GONE_SUFFIX}`, { force: true });
}

function parsed(text: string): DeadLetter | undefined {
  try {
    return JSON.parse(text) as DeadLetter;
  } catch {
    return undefined;
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
