import { systemClock } from '../../base/time/clock.js';
import type { KeyValueStore } from '../../store/key-value-store.js';
import type { AudienceReport, SyncResult, TraitReport, TraitResult } from '../api/audience-answers.js';
import { SyncError } from './audience-errors.js';
import { type AudienceRecord, reportOf, resultOf, traitReportOf, traitResultOf } from './audience-record.js';
import { allLists } from './audience-store.js';
import { membersPrefix, placeOf } from './keys.js';
import { SyncedLists } from './synced-lists.js';
import { Syncs, type SyncsOptions } from './syncs.js';

/** By default, the machine's clock is used, a step changes up to 500 users, and 50,000 users are sorted together. */
export type AudiencesOptions = Pick<SyncsOptions, 'keyValues' | 'accept' | 'onError'> &
  Partial<Pick<SyncsOptions, 'clock' | 'stepSize' | 'runSize'>>;

/** Stores which users belong to which audience, and which users have which value of a computed trait. */
export class Audiences {
  readonly #keyValues: KeyValueStore;
  readonly #syncs: Syncs;
  /** The audiences. When a user joins or leaves, an `identify` sets the audience's trait to `true` or `false`. */
  readonly members: SyncedLists<AudienceReport, SyncResult>;
  /**
   * The values that your own programs compute for users. When a user's value changes, an `identify` sends the new value, or
   * `null` if there is none any more.
   */
  readonly traits: SyncedLists<TraitReport, TraitResult>;

  constructor({ clock = systemClock(), stepSize = 500, runSize = 50_000, ...options }: AudiencesOptions) {
    const { keyValues } = options;
    this.#keyValues = keyValues;
    const syncs = new Syncs({ ...options, clock, stepSize, runSize });
    this.#syncs = syncs;
    this.members = new SyncedLists({ kind: 'audience', keyValues, syncs, reportOf, resultOf });
    this.traits = new SyncedLists({
      kind: 'trait',
      keyValues,
      syncs,
      reportOf: traitReportOf,
      resultOf: traitResultOf,
    });
  }

  /**
   * Removes the users from every audience and their values from every computed trait. In one that is being changed they are
   * removed after the change, so that its list does not bring them back.
   *
   * @param at the time that the messages about it have, in ms since 1970
   * @returns true if the users are in none of them now; otherwise call it again, which does not repeat what was done
   */
  async withdraw(userIds: readonly string[], at: number): Promise<boolean> {
    let isOut = true;
    for await (const { record } of allLists(this.#keyValues)) {
      // An unfinished change may still add the users.
      const isIn = record.sync !== undefined || (await this.#count(record.trait, userIds)) > 0;
      if (isIn) isOut = (await this.#withdrawFrom(record, userIds, at)) && isOut;
    }
    return isOut;
  }

  /** Counts the audiences that the users are in and the computed traits that they have a value of. */
  async memberships(userIds: readonly string[]): Promise<number> {
    let count = 0;
    for await (const { record } of allLists(this.#keyValues)) count += await this.#count(record.trait, userIds);
    return count;
  }

  /**
   * Finishes changes that a crash interrupted, in this process or another, and gives up lists that were not received completely.
   * It looks for more of them every 5 s. Call it once at the start. Never throws: errors go to `onError`.
   */
  resume(): Promise<void> {
    return this.#syncs.resume();
  }

  /**
   * Refuses new changes. It gives up lists that are still being received. A change that is being applied stops after its current
   * step, and any process may continue it.
   */
  close(): Promise<void> {
    return this.#syncs.close();
  }

  /** Returns false if it has to be done later. */
  async #withdrawFrom(audience: AudienceRecord, users: readonly string[], at: number): Promise<boolean> {
    try {
      const leaving = users.map((userId) => ({ userId, json: undefined }));
      await this.#syncs.run(audience, 'change', leaving, at);
      return true;
    } catch (error) {
      const problem = error instanceof SyncError ? error.problem : undefined;
      // Its first list was not received completely, or it was removed in the meantime.
      if (problem === 'missing') return true;
      if (problem === 'busy' || problem === 'unfinished' || problem === 'closed') return false;
      throw error;
    }
  }

  async #count(trait: string, userIds: readonly string[]): Promise<number> {
    const found = await this.#keyValues.get(userIds.map((userId) => membersPrefix(trait) + placeOf(userId)));
    return found.filter((value) => value !== undefined).length;
  }
}
