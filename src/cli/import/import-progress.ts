import { Fifo } from '../../base/structures/fifo.js';
import type { Reject } from './rejects-file.js';
import type { Row } from './row.js';

/** A row of one of the files, and the bytes of all files read when it was. */
export interface Place {
  readonly file: number;
  /** The name of the file as it was given. */
  readonly name: string;
  readonly row: Row;
  readonly bytes: number;
}

const FIRST_REJECTS = 5;
/** The most memory that rows may take until they are on disk, in bytes, and what a row takes besides its text. */
const MAX_HELD_BYTES = 32 * 1024 * 1024;
const ROW_BYTES = 640;

/** Holds the rows that were read until they and every row before them have ended, and counts them. */
export class ImportProgress {
  /** The first rejected rows. */
  readonly firstRejects: Omit<Reject, 'row'>[] = [];
  delivered = 0;
  rejected = 0;
  read = 0;
  /** The last row that has ended. */
  last: Place | undefined;
  readonly #open = new Fifo<Place>();
  /** The reasons why rows are rejected, by their index in this run. */
  readonly #reasons = new Map<number, string>();
  #rejects: Reject[] = [];
  #heldBytes = 0;

  /** No more rows should be read until some have ended and are on disk. */
  get isFull(): boolean {
    return this.#heldBytes >= MAX_HELD_BYTES;
  }

  /** Adds the next row. */
  add(place: Place): void {
    this.read++;
    this.#open.push(place);
    this.#heldBytes += bytesOf(place.row.text);
  }

  /** Notes why a row is rejected. It may come before rows that have not ended. */
  reject(index: number, reason: string): void {
    this.#reasons.set(index, reason);
  }

  /** Counts the rows before this index, which have ended. Returns whether there are any. */
  passTo(index: number): boolean {
    const before = this.last;
    while (this.delivered + this.rejected < index) {
      const place = this.#open.shift();
      if (place === undefined) break;
      this.#pass(place);
    }
    return this.last !== before;
  }

  /** Returns the rejected rows since the last call, which the caller brings to disk. */
  takeRejects(): readonly Reject[] {
    const rejects = this.#rejects;
    this.#rejects = [];
    for (const { row } of rejects) this.#heldBytes -= bytesOf(row);
    return rejects;
  }

  #pass(place: Place): void {
    const { name, row } = place;
    const index = this.delivered + this.rejected;
    const reason = this.#reasons.get(index);
    this.last = place;
    if (reason === undefined) {
      this.delivered++;
      this.#heldBytes -= bytesOf(row.text);
      return;
    }
    this.#reasons.delete(index);
    this.rejected++;
    const reject = { file: name, line: row.line, reason };
    if (this.firstRejects.length < FIRST_REJECTS) this.firstRejects.push(reject);
    this.#rejects.push({ ...reject, row: row.text });
  }
}

const bytesOf = (text: string): number => text.length + ROW_BYTES;
