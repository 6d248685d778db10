import { systemClock } from '../../base/time/clock.js';
import type { KeyValueStore } from '../../store/key-value-store.js';
import type { AudienceReport, SyncResult, TraitReport, TraitResult } from '../api/audience-answers.js';
import { SyncBusyError, SyncNotFoundError, SyncsClosedError, SyncUnfinishedError } from './audience-errors.js';
import { type AudienceRecord, reportOf, resultOf, traitReportOf, traitResultOf } from './audience-record.js';
import { AudienceStore } from './audience-store.js';
import { membersPrefix, placeOf } from './keys.js';
import { SyncedLists } from './synced-lists.js';
import { Syncs, type SyncsOptions } from './syncs.js';

/** Unless they are given, the clock is the machine's, a step changes up to 500 users, and 50,000 are sorted together. */
export type AudiencesOptions = Pick<SyncsOptions, 'keyValues' | 'accept' | 'onError'> &
  Partial<Pick<SyncsOptions, 'clock' | 'stepSize' | 'runSize'>>;

/** Keeps who belongs to which audience, and which users have which value of a computed trait. */
export class Audiences {
  readonly #keyValues: KeyValueStore;
  readonly #store: AudienceStore;
  readonly #syncs: Syncs;
  /** An `identify` with the audience's trait, `true` or `false`, tells of each user who joins or leaves. */
  readonly members: SyncedLists<AudienceReport, SyncResult>;
  /**
   * The values that your own programs compute for users. An `identify` with the trait tells of each user whose value changes, and
   * says `null` for a user who has none any more.
   */
  readonly traits: SyncedLists<TraitReport, TraitResult>;

  constructor({ clock = systemClock(), stepSize = 500, runSize = 50_000, ...options }: AudiencesOptions) {
    this.#keyValues = options.keyValues;
    const store = new AudienceStore(options.keyValues);
    const syncs = new Syncs({ ...options, audiences: store, clock, stepSize, runSize });
    this.#store = store;
    this.#syncs = syncs;
    this.members = new SyncedLists({ kind: 'audience', store, syncs, reportOf, resultOf });
    this.traits = new SyncedLists({ kind: 'trait', store, syncs, reportOf: traitReportOf, resultOf: traitResultOf });
  }

  /**
   * Lets the users leave every audience, and takes every computed trait from them. Of one that is being changed this is done
   * after the change, so that its list does not bring them back.
   *
   * @param at the time in the messages about it, in ms since 1970
   * @returns whether nothing is known of them now; otherwise call it again, which does not repeat what was done.
   */
  async withdraw(userIds: readonly string[], at: number): Promise<boolean> {
    let isOut = true;
    for await (const { record } of this.#store.all()) {
      if (record === undefined) continue;
      // A change that is being done may make members of those who are none.
      const isIn = record.sync !== undefined || (await this.#count(record.trait, userIds)) > 0;
      if (isIn) isOut = (await this.#withdrawFrom(record, userIds, at)) && isOut;
    }
    return isOut;
  }

  /** Counts the audiences that the users are in and the computed traits that they have. */
  async memberships(userIds: readonly string[]): Promise<number> {
    let count = 0;
    for await (const { record } of this.#store.all())
      if (record !== undefined) count += await this.#count(record.trait, userIds);
    return count;
  }

  /**
   * Call it once at the start. It finishes what a crash interrupted, here or in another process, gives up lists that broke
   * off, and looks for more of both every 5 s. Never throws: errors go to `onError`.
   */
  resume(): Promise<void> {
    return this.#syncs.resume();
  }

  /**
   * Refuses new changes. It gives up lists that it is receiving; a change that it is applying stops after its current step, and
   * any process may continue it.
   */
  close(): Promise<void> {
    return this.#syncs.close();
  }

  /** Returns false when it has to be done later. */
  async #withdrawFrom(audience: AudienceRecord, users: readonly string[], at: number): Promise<boolean> {
    try {
      const leaving = users.map((userId) => ({ userId, json: undefined }));
      await this.#syncs.run(audience, 'change', leaving, at);
      return true;
    } catch (error) {
      // Its first list broke off, or it was removed meanwhile.
      if (error instanceof SyncNotFoundError) return true;
      if ([SyncBusyError, SyncUnfinishedError, SyncsClosedError].some((kind) => error instanceof kind)) return false;
      throw error;
    }
  }

  async #count(trait: string, userIds: readonly string[]): Promise<number> {
    const found = await this.#keyValues.get(userIds.map((userId) => membersPrefix(trait) + placeOf(userId)));
    return found.filter((value) => value !== undefined).length;
  }
}
