import type { Change, KeyValueStore } from '../../store/key-value-store.js';
import { AudienceMemberError } from './errors.js';
import { memberKeyOf, userIdOf } from './keys.js';
import { runPrefix } from './merged-runs.js';
import { describeProblem, userIdProblem } from './user-id.js';

/** The most concurrent writes. */
const MAX_WRITES = 8;

const [JOIN, LEAVE] = ['+', '-'] as const;

/** Reads a staged value: whether the user joins, and what `memberKeyOf` calls the rest. */
export function readStaged(place: string, value: string): { userId: string; rest: string; joins: boolean } {
  const rest = value.slice(1);
  return { userId: userIdOf({ place, rest }), rest, joins: value.startsWith(JOIN) };
}

export interface StagingOptions {
  readonly keyValues: KeyValueStore;
  readonly prefix: string;
  /** How many ids are written at once. */
  readonly batchSize: number;
  /** How many ids are sorted before they are written. */
  readonly runSize: number;
  /** Called now and then with the number of ids so far. Throws to stop the staging. */
  progress(received: number): void;
}

/**
 * Writes ids to the key-value store before any of them is applied, in runs: each is sorted and has each id once. An unsorted
 * list, written as it comes, would change every page of a tree again and again; a run is written after all others.
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

  /** @throws AudienceMemberError at the first wrong id */
  async addAll(userIds: AsyncIterable<string> | Iterable<string>, joins = true): Promise<void> {
    const { batchSize, runSize, progress } = this.#options;
    for await (const userId of userIds) {
      this.#add(userId, joins ? JOIN : LEAVE);
      if (this.#received % batchSize === 0) progress(this.#received);
      if (this.#run.size >= runSize) await this.#writeRun();
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

  #add(userId: string, mark: typeof JOIN | typeof LEAVE): void {
    this.#received++;
    const problem = userIdProblem(userId);
    if (problem !== undefined) throw new AudienceMemberError(`member ${this.#received}`, describeProblem(problem));
    const { place, rest } = memberKeyOf(userId);
    this.#run.set(place, mark + rest);
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
