import { Fifo } from '../../base/structures/fifo.js';
import type { Reject } from './rejects-file.js';
import type { Row } from './row.js';

/** A row of one of the files, and the number of bytes of all files that were read by then. */
export interface Place {
  readonly file: number;
  /** The name of the file as it was given. */
  readonly name: string;
  readonly row: Row;
  readonly bytes: number;
}

const FIRST_REJECTS = 5;
/** The most memory that rows may take before their outcome is on disk, and the memory of a row besides its text, in bytes. */
const MAX_HELD_BYTES = 32 * 1024 * 1024;
const ROW_BYTES = 640;

/** Holds rows from when they are read until they have ended, and counts them. */
export class ImportProgress {
  /** The first rejected rows. */
  readonly firstRejects: Omit<Reject, 'row'>[] = [];
  delivered = 0;
  rejected = 0;
  read = 0;
  /** The last row that has ended. */
  last: Place | undefined;
  readonly #open = new Fifo<Place>();
  #rejects: Reject[] = [];
  #heldBytes = 0;

  /** True if no more rows should be read until the outcome of some is on disk. */
  get isFull(): boolean {
    return this.#heldBytes >= MAX_HELD_BYTES;
  }

  /** Adds the next row. */
  add(place: Place): void {
    this.read++;
    this.#open.push(place);
    this.#heldBytes += bytesOf(place.row.text);
  }

  /** Counts the next row as ended: as rejected if there is a reason, and otherwise as delivered. */
  end(reason: string | undefined): void {
    const place = this.#open.shift();
    if (place === undefined) return;
    const { name, row } = place;
    this.last = place;
    if (reason === undefined) {
      this.delivered++;
      this.#heldBytes -= bytesOf(row.text);
      return;
    }
    this.rejected++;
    const reject = { file: name, line: row.line, reason };
    if (this.firstRejects.length < FIRST_REJECTS) this.firstRejects.push(reject);
    this.#rejects.push({ ...reject, row: row.text });
  }

  /** Returns the rows rejected since the last call. The caller writes them to disk. */
  takeRejects(): readonly Reject[] {
    const rejects = this.#rejects;
    this.#rejects = [];
    for (const { row } of rejects) this.#heldBytes -= bytesOf(row);
    return rejects;
  }
}

const bytesOf = (text: string): number => text.length + ROW_BYTES;
