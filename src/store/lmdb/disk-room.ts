import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { StoreFullError } from '../errors.js';

export interface DiskRoomOptions {
  /** The folder. */
  readonly path: string;
  /** How many bytes inside the store's file are free to be written again. */
  reusable(): number;
}

/** Less room than this, and nothing new is taken: so much, or on a small disk that part of it. */
const LEAST_BYTES = 256 * 2 ** 20;
const LEAST_PART = 1 / 20;

/** What is kept free for the deletes by which a full store makes room: so much, or on a small disk that part of it. */
const RESERVE_BYTES = 4 * 2 ** 20;
const RESERVE_PART = 1 / 10;
const RESERVE_FILE = 'reserve';

/** Once there was too little room, there has to be so much more of it. */
const MARGIN = 1.25;

/** How long what was measured holds, in ms. */
const MEASURE_MS = 100;

/** How long nothing new is taken after a write found no room, whatever is measured, in ms. */
const REFUSE_MS = 1_000;

/**
 * The room there is for a store on its disk. New events are refused before the disk is full, since every delete writes as well:
 * it puts new pages in the place of old ones. A file of nothing stands in for the room that deletes need at first, should others
 * have filled the disk; what they free inside the store's file is enough for those after them.
 */
export class DiskRoom {
  readonly #options: DiskRoomOptions;
  #measuredAt = Number.NEGATIVE_INFINITY;
  #refusesUntil = Number.NEGATIVE_INFINITY;
  /** What was free when it was measured, and what has been taken since. */
  #free = 0;
  #least = 0;
  #taken = 0;
  #isFull = false;
  #hasReserve = false;

  constructor(options: DiskRoomOptions) {
    this.#options = options;
  }

  /** @throws StoreFullError when so many bytes more are not to be taken now */
  take(bytes: number): void {
    if (performance.now() - this.#measuredAt > MEASURE_MS || this.#taken > this.#least / 4) this.#measure();
    if (this.#isFull) throw new StoreFullError(this.#options.path, this.#free);
    this.#taken += bytes;
  }

  /** A write found no room. */
  ranOut(): void {
    this.#refusesUntil = performance.now() + REFUSE_MS;
    this.#isFull = true;
    this.#hasReserve = false;
    rmSync(join(this.#options.path, RESERVE_FILE), { force: true });
  }

  #measure(): void {
    const { path, reusable } = this.#options;
    const { blocks, bsize, bavail } = statfsSync(path);
    const onDisk = bavail * bsize;
    this.#least = Math.min(LEAST_BYTES, blocks * bsize * LEAST_PART);
    this.#free = onDisk + reusable();
    this.#measuredAt = performance.now();
    this.#taken = 0;
    const isRefusing = this.#measuredAt < this.#refusesUntil;
    this.#isFull = isRefusing || this.#free < this.#least * (this.#isFull ? MARGIN : 1);
    const reserve = Math.floor(Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_PART));
    if (!this.#hasReserve && !isRefusing && onDisk > reserve + this.#least) this.#hasReserve = keep(path, reserve);
  }
}

/** Writes the file of nothing, unless it is there. Says whether it is. */
function keep(path: string, bytes: number): boolean {
  const file = join(path, RESERVE_FILE);
  try {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) >= bytes) return true;
    const handle = openSync(file, 'w');
    try {
      // Not left out as a hole, for which a disk keeps no room.
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
