import type { Change, KeyValueStore } from '../../store/key-value-store.js';
import { AudienceMemberError } from './errors.js';
import { memberKeyOf, userIdOf } from './keys.js';
import { runPrefix } from './merged-runs.js';
import { describeProblem, userIdProblem } from './user-id.js';

/** How many writes may be under way. */
const MAX_WRITES = 8;

const [JOIN, LEAVE] = ['+', '-'] as const;

/** What stands behind a staged place: whether the user joins, and what `memberKeyOf` calls the rest. */
export function readStaged(place: string, value: string): { userId: string; rest: string; joins: boolean } {
  const rest = value.slice(1);
  return { userId: userIdOf({ place, rest }), rest, joins: value.startsWith(JOIN) };
}

export interface StagingOptions {
  readonly keyValues: KeyValueStore;
  readonly prefix: string;
  /** How many ids are written at once. */
  readonly batchSize: number;
  /** How many ids are put in order before they are written. */
  readonly runSize: number;
  /** Told how many ids came so far, now and then. Throws when there is no use in going on. */
  progress(received: number): void;
}

/**
 * Puts ids on the key-value store before anything is done about them: in runs, each of which is in order and has each id once. A list in no order
 * written as it comes would change every page of a tree again and again; runs are only ever written behind what is there.
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

  /** @throws AudienceMemberError at the first id that is none */
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

  /** Resolves when no write is under way any more, whatever became of them. */
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
    // Heard where it is waited for.
    write.catch(() => undefined);
    this.#writes.push(write);
    while (this.#writes.length > MAX_WRITES) await this.#writes.shift();
  }
}
