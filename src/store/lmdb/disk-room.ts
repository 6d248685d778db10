import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Database, RootDatabase } from 'lmdb';
import { StoreFullError } from '../store-errors.js';

/** With less room than this nothing new is taken: so many bytes, or that part of a small disk. */
const LEAST_BYTES = 256 * 2 ** 20;
const LEAST_PART = 1 / 20;

/** The room that is kept free for the deletes by which a full store makes room: these bytes, or this part of a small disk. */
const RESERVE_BYTES = 4 * 2 ** 20;
const RESERVE_PART = 1 / 10;
const RESERVE_FILE = 'reserve';

/** Once there was too little room, this many times as much has to be free before anything new is taken. */
const MARGIN = 1.25;

/** A measurement holds this long, in ms. */
const MEASURE_MS = 100;

/** Nothing new is taken for this long after a write found no room, whatever is measured, in ms. */
const REFUSE_MS = 1_000;

/**
 * The room there is for a store on its disk. New events are refused before the disk is full, since every delete writes as well:
 * it puts new pages in the place of old ones. A file of nothing stands in for the room that deletes need at first, should others
 * have filled the disk; what they free inside the store's file is enough for those after them.
 */
export class DiskRoom {
  readonly #path: string;
  readonly #inFile: Pick<FreePages, 'bytes'>;
  #measuredAt = Number.NEGATIVE_INFINITY;
  #refusesUntil = Number.NEGATIVE_INFINITY;
  /** The bytes that were free when it was measured last; `#taken` counts what was taken since. */
  #free = 0;
  #least = 0;
  #taken = 0;
  #isFull = false;
  #hasReserve = false;

  constructor(path: string, inFile: Pick<FreePages, 'bytes'>) {
    this.#path = path;
    this.#inFile = inFile;
  }

  /** @throws StoreFullError when so many bytes more are not to be taken now */
  take(bytes: number): void {
    if (performance.now() - this.#measuredAt > MEASURE_MS || this.#taken > this.#least / 4) this.#measure();
    if (this.#isFull) throw new StoreFullError(this.#path, this.#free);
    this.#taken += bytes;
  }

  /** A write found no room. */
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

/** Writes the reserve unless it is there, and returns true when it is. */
function keep(path: string, bytes: number): boolean {
  const file = join(path, RESERVE_FILE);
  try {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) >= bytes) return true;
    const handle = openSync(file, 'w');
    try {
      // We write zeros, because a disk keeps no room for a hole.
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

/** The pages inside the store's file that are free to be written again: all up to the last, except those of its tables. */
export class FreePages {
  readonly #db: RootDatabase;
  #tables: readonly Database[] = [];

  constructor(db: RootDatabase) {
    this.#db = db;
  }

  bytes(): number {
    // The package's types say nothing of what is in it.
    const { lastPageNumber, pageSize, root, free } = this.#db.getStats() as Stats &
      Record<'root' | 'free', Stats> & { lastPageNumber: number };
    if (root.entryCount !== this.#tables.length) this.#open();
    let used = META_PAGES + pagesIn(root) + pagesIn(free);
    for (const table of this.#tables) used += pagesIn(table.getStats() as Stats);
    return Math.max(0, lastPageNumber + 1 - used) * pageSize;
  }

  /** A table is made once and stays, so that their number tells whether there is another one. */
  #open(): void {
    const names = [...this.#db.getKeys()];
    this.#tables = names.map((name) => this.#db.openDB(String(name), { encoding: 'binary', keyEncoding: 'binary' }));
  }
}

/** The statistics that lmdb gives of a table, and of the whole. */
interface Stats {
  readonly pageSize: number;
  readonly entryCount: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

const pagesIn = ({ treeBranchPageCount, treeLeafPageCount, overflowPages }: Stats): number =>
  treeBranchPageCount + treeLeafPageCount + overflowPages;
