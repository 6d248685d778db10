import type { Change, KeyValueStore } from '../../store/key-value-store.js';
import { SyncEntryError } from './audience-errors.js';
import { entryText, memberKeyOf } from './keys.js';
import { runPrefix } from './merged-runs.js';
import type { Kind } from './named.js';
import { describeProblem, userIdProblem } from './user-id-problem.js';

/** The most concurrent writes. */
const MAX_WRITES = 8;

/** A user of a list, and the value that the list gives: canonical JSON, or undefined for none. */
export interface Listed {
  readonly userId: string;
  readonly json: string | undefined;
}

export interface StagingOptions {
  readonly keyValues: KeyValueStore;
  readonly kind: Kind;
  readonly prefix: string;
  /** The number of users that are written at once. */
  readonly batchSize: number;
  /** The number of users that are sorted before they are written. */
  readonly runSize: number;
  /** Called now and then with the number of users so far. Throws to stop the staging. */
  progress(received: number): void;
}

/**
 * Writes a list to the key-value store before any of it is applied, in runs: each is sorted and has each user once, as the list
 * said last. An unsorted list, written as it comes, would change every page of a tree again and again.
 */
export class Staging {
  readonly #options: StagingOptions;
  readonly #writes: Promise<void>[] = [];
  #run = new Map<string, string>();
  #runs = 0;
  #received = 0;

  constructor(options: StagingOptions) {
    this.#options = options;
  }

  /** Stages users who have the same value, or none. @throws SyncEntryError at the first wrong id */
  async addAll(userIds: AsyncIterable<string> | Iterable<string>, json: string | undefined): Promise<void> {
    for await (const userId of userIds) {
      this.#add(userId, json);
      // A promise for each user would cost more than the user.
      if (this.#isDue) await this.#due();
    }
  }

  /** Stages users who have a value each. @throws SyncEntryError at the first wrong id */
  async addEach(listed: AsyncIterable<Listed> | Iterable<Listed>): Promise<void> {
    for await (const { userId, json } of listed) {
      this.#add(userId, json);
      if (this.#isDue) await this.#due();
    }
  }

  /** Resolves when all of it is on the key-value store. */
  async end(): Promise<void> {
    await this.#writeRun();
    await Promise.all(this.#writes);
  }

  /** Resolves when every write has succeeded or failed. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#writes);
  }

  get #isDue(): boolean {
    return this.#received % this.#options.batchSize === 0 || this.#run.size >= this.#options.runSize;
  }

  async #due(): Promise<void> {
    this.#options.progress(this.#received);
    if (this.#run.size >= this.#options.runSize) await this.#writeRun();
  }

  #add(userId: string, json: string | undefined): void {
    this.#received++;
    const problem = userIdProblem(userId);
    if (problem !== undefined) {
      throw new SyncEntryError(this.#options.kind, `member ${this.#received}`, describeProblem(problem));
    }
    const { place, rest } = memberKeyOf(userId);
    this.#run.set(place, entryText({ json, rest }));
  }

  async #writeRun(): Promise<void> {
    const { prefix, batchSize, progress } = this.#options;
    const run = this.#run;
    this.#run = new Map();
    const places = [...run.keys()].sort();
    const ofRun = runPrefix(prefix, this.#runs++);
    for (let from = 0; from < places.length; from += batchSize) {
      progress(this.#received);
      const batch = places.slice(from, from + batchSize);
      await this.#write(batch.map((place) => ({ key: ofRun + place, value: run.get(place) })));
    }
    progress(this.#received);
  }

  async #write(changes: readonly Change[]): Promise<void> {
    const write = this.#options.keyValues.write(changes);
    // Its failure is thrown where it is awaited.
    write.catch(() => undefined);
    this.#writes.push(write);
    while (this.#writes.length > MAX_WRITES) await this.#writes.shift();
  }
}
