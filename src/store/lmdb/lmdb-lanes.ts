import type { GroupCommit } from './group-commit.js';
import type { QueueIndex } from './lmdb-index.js';
import { LaneIndex, LmdbLane } from './lmdb-lane.js';

export interface LmdbLanesOptions {
  readonly commits: GroupCommit;
  readonly index: QueueIndex;
  /** Puts all that waits into the index. */
  fill(index: LaneIndex): void;
}

/** How many are in memory at a time. */
const MOST_LANES = 8_192;

/** In the index as long as lanes are in memory. Comes before the keys of all lanes. */
const OPEN = Buffer.of(0);

/**
 * The lanes of one folder. Those in use are in memory, where a delivery that waits for none costs no write, and go into the index when there
 * are too many, and at the end. After a process that did not come to its end, the index is filled from what waits.
 */
export class LmdbLanes {
  readonly #options: LmdbLanesOptions;
  readonly #index: LaneIndex;
  readonly #known = new Map<string, LmdbLane>();
  /** How lanes were before the transaction that runs. */
  readonly #before = new Map<string, LmdbLane | undefined>();
  #transaction: number | undefined;
  #isOpen = false;

  constructor(options: LmdbLanesOptions) {
    this.#options = options;
    this.#index = new LaneIndex(options.index);
  }

  /** Called inside a transaction, as is whatever is done to the lane. Names are ASCII, of one length. */
  lane(name: string): LmdbLane {
    this.#begin();
    const known = this.#known.get(name);
    if (!this.#before.has(name)) this.#before.set(name, known?.copy());
    if (known !== undefined) return known;
    const lane = LmdbLane.load(this.#index, Buffer.from(name, 'latin1'));
    this.#known.set(name, lane);
    if (this.#known.size > MOST_LANES) this.#storeOldest();
    return lane;
  }

  /** Called for a lane in which nothing is left. */
  drop(name: string): void {
    this.#known.delete(name);
  }

  /** Moves all into the index. */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    await this.#options.commits.run(() => {
      this.#begin();
      for (const [name, lane] of this.#known) this.#store(name, lane);
      this.#options.index.remove(OPEN);
      this.#isOpen = false;
    }, true);
  }

  #begin(): void {
    const { commits } = this.#options;
    if (this.#transaction === commits.transaction) return;
    this.#transaction = commits.transaction;
    this.#before.clear();
    const wasOpen = this.#isOpen;
    commits.atFailure(() => {
      this.#isOpen = wasOpen;
      this.#restore();
    });
    if (!wasOpen) this.#open();
  }

  #open(): void {
    const { index, fill } = this.#options;
    this.#isOpen = true;
    this.#index.isUsed = index.getKeysCount({ limit: 1 }) > 0;
    if (index.doesExist(OPEN)) fill(this.#index);
    else index.put(OPEN, Buffer.alloc(0));
  }

  #restore(): void {
    for (const [name, lane] of this.#before) {
      if (lane === undefined) this.#known.delete(name);
      else this.#known.set(name, lane);
    }
  }

  #storeOldest(): void {
    for (const [name, lane] of this.#known) {
      this.#store(name, lane);
      return;
    }
  }

  #store(name: string, lane: LmdbLane): void {
    if (!this.#before.has(name)) this.#before.set(name, lane);
    this.#known.delete(name);
    lane.store();
  }
}
