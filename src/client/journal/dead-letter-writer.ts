import { basename, join } from 'node:path';
import type { Batch } from '../queue/batch.js';
import type { ErrorOf } from '../queue/receipt.js';
import { DeadLetterFiles, type DeadLetterLimits, damagedOf, letterOf } from './dead-letter-file.js';
import { makePlainFolder, writeFile } from './file-system.js';
import type { JournalParts } from './journal-dependencies.js';
import { type IsMeant, letterFilter } from './message-filter.js';
import type { EndLater, Remains } from './recovery.js';

/** The most letters and damaged bytes that wait in memory while the disk fails. More would cost too much memory. */
const MOST_LETTERS = 10_000;
const MOST_DAMAGED_BYTES = 16 * 2 ** 20;

interface DeadLetterParts
  extends Pick<JournalParts, 'fs' | 'path' | 'problems' | 'clock' | 'onEvent' | 'onUnreadable'> {
  readonly owner: { readonly path: string };
}

/**
 * Writes what a journal keeps and does not send: dead letters, and bytes from which no message can be read. All of these messages
 * already count as lost, so a failure to write them does not keep the journal from storing new messages.
 */
export class DeadLetterWriter {
  readonly #parts: DeadLetterParts;
  readonly #files: DeadLetterFiles;
  #letters: string[] = [];
  /** Functions that mark messages as ended, to call once their letters are written. */
  readonly #ends: (() => void)[] = [];
  /** The number of old letters that were removed and not yet reported. */
  #dropped = 0;
  #damaged: { readonly file: string; readonly bytes: Buffer }[] = [];
  #damagedBytes = 0;
  /** True once an event has reported that letters or damaged bytes cannot be written. */
  #isUnkept = false;

  constructor(parts: DeadLetterParts, limits: DeadLetterLimits) {
    this.#parts = parts;
    this.#files = new DeadLetterFiles(parts.fs, parts.path, basename(parts.owner.path), limits);
  }

  /** Adds a dead letter for each lost message of a batch from `from` to before `to`, if its text can still be read. */
  bury(batch: Batch, from: number, to: number, errorOf: ErrorOf): void {
    const at = new Date(this.#parts.clock.wall()).toISOString();
    for (let index = from; index < to; index++) {
      const error = errorOf(index);
      if (error === undefined || error.code === 'EVENTFERRY_JOURNAL_DAMAGED' || batch.dropped.has(index)) continue;
      if (this.#letters.length >= MOST_LETTERS) {
        this.#letters.shift();
        this.#dropped++;
      }
      const json = batch.messages(index, index + 1).toString();
      this.#letters.push(letterOf({ at, code: error.code, error: error.message }, json));
    }
  }

  /**
   * Reports messages that cannot be read, and keeps what is left of them.
   *
   * @param owner the folder in which the messages were
   * @param bytes the number of bytes that were counted for the messages
   */
  setAside(owner: string, remains: readonly Remains[], bytes: number): void {
    const { problems, onEvent, onUnreadable } = this.#parts;
    const error = problems.damage(owner, this.#keep(owner, remains));
    onUnreadable(remains.length, bytes, error.code);
    if (remains.length > 0) onEvent({ kind: 'damaged', messages: remains.length, error });
  }

  readonly endLater: EndLater = (end) => void this.#ends.push(end);

  /** Marks the messages that wait for their letters as ended. */
  endAll(): void {
    for (const end of this.#ends.splice(0)) end();
  }

  /**
   * Drops the chosen letters that are not written yet. Returns their number.
   *
   * @param dropsDamage whether to drop also the damaged bytes that are not written yet
   */
  drop(isMeant: IsMeant, dropsDamage: boolean): number {
    if (dropsDamage) [this.#damaged, this.#damagedBytes] = [[], 0];
    const before = this.#letters.length;
    const isLetterMeant = letterFilter(isMeant);
    this.#letters = this.#letters.filter((letter) => !isLetterMeant(JSON.parse(letter)));
    return before - this.#letters.length;
  }

  /** Hands everything to the operating system. After a failure the next call tries again; one event reports the failure. */
  write(): void {
    const { problems, onEvent } = this.#parts;
    try {
      try {
        this.#writeDamaged();
      } finally {
        this.#writeLetters();
      }
      this.#isUnkept = false;
    } catch (error) {
      if (!this.#isUnkept) onEvent({ kind: 'unkept', error: problems.of(error) });
      this.#isUnkept = true;
    }
    if (this.#letters.length === 0) this.endAll();
  }

  /** Keeps damaged bytes in memory until they are written. Returns a text that says where they were, if there are any. */
  #keep(owner: string, remains: readonly Remains[]): string | undefined {
    const found = remains.filter(({ bytes }) => bytes.length > 0);
    const [first] = found;
    if (first === undefined) return undefined;
    const bytes = Buffer.concat(found.map((each) => each.bytes));
    const place = `byte ${first.at} of ${first.path}`;
    if (this.#damagedBytes + bytes.length > MOST_DAMAGED_BYTES) return place;
    this.#damagedBytes += bytes.length;
    const file = join(damagedOf(this.#parts.path), `${basename(owner)}-${basename(first.path)}-${first.at}`);
    this.#damaged.push({ file, bytes });
    return `${place}; what is left of it is in ${file}`;
  }

  #writeDamaged(): void {
    const { fs, path } = this.#parts;
    for (let next = this.#damaged[0]; next !== undefined; next = this.#damaged[0]) {
      makePlainFolder(fs, damagedOf(path));
      writeFile(fs, next.file, next.bytes);
      this.#damaged.shift();
      this.#damagedBytes -= next.bytes.length;
    }
  }

  #writeLetters(): void {
    const { clock, onEvent } = this.#parts;
    if (this.#letters.length > 0) {
      this.#dropped += this.#files.append(this.#letters, clock.wall());
      this.#letters = [];
    }
    const messages = this.#dropped;
    this.#dropped = 0;
    if (messages > 0) onEvent({ kind: 'dropped', messages });
  }
}
