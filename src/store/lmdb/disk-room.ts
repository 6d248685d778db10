import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Database, RootDatabase } from 'lmdb';
import { StoreFullError } from '../store-errors.js';

/** New events are refused when less room than this is free: this many bytes or, on a small disk, this part of it. */
const LEAST_BYTES = 256 * 2 ** 20;
const LEAST_PART = 1 / 20;

/**
 * The room reserved for the deletes with which a full store frees space: this many bytes or, on a small disk, this part of it.
 */
const RESERVE_BYTES = 4 * 2 ** 20;
const RESERVE_PART = 1 / 10;
const RESERVE_FILE = 'reserve';

/** Once there was too little room, this many times as much must be free before new events are accepted again. */
const MARGIN = 1.25;

/**
 * History is kept only while more than this is free: this many bytes or, on a small disk, this part of it. Events that arrive within
 * the second between two writes of history find room, too.
 */
const LEAST_BYTES_FOR_HISTORY = 2 * LEAST_BYTES;
const LEAST_PART_FOR_HISTORY = 1 / 5;

/** How long a measurement is valid, in ms. */
const MEASURE_MS = 100;

/** How long new events are refused after a write found no room, whatever is measured, in ms. */
const REFUSE_MS = 1_000;

/**
 * Watches the free room on the disk of a store. New events are refused before the disk is full, because deletes need room too:
 * lmdb writes new pages before it frees old ones. A file of zeros reserves the room for the first deletes in case other programs
 * fill the disk; the pages that these free inside the store's file are enough for the following ones.
 */
export class DiskRoom {
  readonly #path: string;
  readonly #inFile: Pick<FreePages, 'bytes'>;
  #measuredAt = Number.NEGATIVE_INFINITY;
  #refusesUntil = Number.NEGATIVE_INFINITY;
  /** The free bytes at the last measurement; `#taken` counts what was taken since. */
  #free = 0;
  #least = 0;
  #leastForHistory = 0;
  #taken = 0;
  #isFull = false;
  #hasReserve = false;

  constructor(path: string, inFile: Pick<FreePages, 'bytes'>) {
    this.#path = path;
    this.#inFile = inFile;
  }

  /** @throws StoreFullError if there is no room for that many more bytes */
  take(bytes: number): void {
    if (performance.now() - this.#measuredAt > MEASURE_MS || this.#taken > this.#least / 4) this.#measure();
    if (this.#isFull) throw new StoreFullError(this.#path, this.#free);
    this.#taken += bytes;
  }

  /** Returns how many more bytes history may take. It is measured each time, because history is written only once a second. */
  spare(): number {
    this.#measure();
    // When a write found no room, more was measured than there is.
    const free = this.#isFull ? Math.min(this.#free, this.#least) : this.#free;
    return free - this.#leastForHistory;
  }

  /** Called when a write found no room. */
  ranOut(): void {
    this.#refusesUntil = performance.now() + REFUSE_MS;
    this.#isFull = true;
    this.#hasReserve = false;
    rmSync(join(this.#path, RESERVE_FILE), { force: true });
  }

  #measure(): void {
    const { blocks, bsize, bavail } = statfsSync(this.#path);
    const onDisk = bavail * bsize;
    this.#least = Math.min(LEAST_BYTES, blocks * bsize * LEAST_PART);
    this.#leastForHistory = Math.min(LEAST_BYTES_FOR_HISTORY, blocks * bsize * LEAST_PART_FOR_HISTORY);
    this.#free = onDisk + this.#inFile.bytes();
    this.#measuredAt = performance.now();
    this.#taken = 0;
    const isRefusing = this.#measuredAt < this.#refusesUntil;
    this.#isFull = isRefusing || this.#free < this.#least * (this.#isFull ? MARGIN : 1);
    const reserve = Math.floor(Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_PART));
    if (!this.#hasReserve && !isRefusing && onDisk > reserve + this.#least)
      this.#hasReserve = keep(this.#path, reserve);
  }
}

/** Writes the reserve unless it exists, and returns true if it exists afterwards. */
function keep(path: string, bytes: number): boolean {
  const file = join(path, RESERVE_FILE);
  try {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) >= bytes) return true;
    const handle = openSync(file, 'w');
    try {
      // The file is filled with zeros, because a disk allocates no room for a sparse file.
      const zeros = new Uint8Array(Math.min(bytes, 2 ** 18));
      for (let left = bytes; left > 0; ) left -= writeSync(handle, zeros, 0, Math.min(left, zeros.length));
    } finally {
      closeSync(handle);
    }
    return true;
  } catch {
    rmSync(file, { force: true });
    return false;
  }
}

const META_PAGES = 2;

/** Counts the pages inside the store's file that can be reused: all up to the last, except those that its tables use. */
export class FreePages {
  readonly #db: RootDatabase;
  #tables: readonly Database[] = [];

  constructor(db: RootDatabase) {
    this.#db = db;
  }

  bytes(): number {
    // The package's types do not describe the statistics.
    const { lastPageNumber, pageSize, root, free } = this.#db.getStats() as Stats &
      Record<'root' | 'free', Stats> & { lastPageNumber: number };
    if (root.entryCount !== this.#tables.length) this.#open();
    let used = META_PAGES + pagesIn(root) + pagesIn(free);
    for (const table of this.#tables) used += pagesIn(table.getStats() as Stats);
    return Math.max(0, lastPageNumber + 1 - used) * pageSize;
  }

  /** Opens all tables. Tables are never removed, so their number shows whether there is a new one. */
  #open(): void {
    const names = [...this.#db.getKeys()];
    this.#tables = names.map((name) => this.#db.openDB(String(name), { encoding: 'binary', keyEncoding: 'binary' }));
  }
}

/** The statistics that lmdb returns for a table and for the whole file. */
interface Stats {
  readonly pageSize: number;
  readonly entryCount: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

const pagesIn = ({ treeBranchPageCount, treeLeafPageCount, overflowPages }: Stats): number =>
  treeBranchPageCount + treeLeafPageCount + overflowPages;
