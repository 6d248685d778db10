import type { Clock } from '../../base/time/clock.js';
import type { TraitReport, TraitResult } from '../api/audience-answers.js';
import type { TraitChange } from '../api/requests.js';
import { SyncChangeError, SyncEntryError } from './audience-errors.js';
import { traitReportOf, traitResultOf } from './audience-record.js';
import type { AudienceStore } from './audience-store.js';
import { listedOf, userValueProblem } from './listed-values.js';
import { named } from './name.js';
import type { Listed } from './staging.js';
import type { SyncRequest, Syncs } from './syncs.js';
import { describeProblem, userIdProblem } from './user-id-problem.js';

export interface TraitsOptions {
  readonly store: AudienceStore;
  readonly syncs: Syncs;
  readonly clock: Clock;
}

/**
 * Computed traits: a value for each of some users, that the caller computes. An `identify` with the trait tells of each user
 * whose value changes, and says `null` for a user who has none any more.
 */
export class Traits {
  readonly #options: TraitsOptions;

  constructor(options: TraitsOptions) {
    this.#options = options;
  }

  /**
   * Makes the list the trait's values, and the trait if there is none: users who are not on the list lose theirs. The list may
   * be of any length, in any order; of a user it names twice the last value counts. Resolves when all of it is done.
   *
   * @throws SyncNameError, SyncEntryError, TraitTakenError, SyncBusyError, SyncsClosedError, and what the list throws: nothing
   *   was changed.
   * @throws SyncUnfinishedError: all of it was taken, and will be done.
   */
  replace(name: string, values: AsyncIterable<Listed> | Iterable<Listed>): Promise<TraitResult> {
    return this.#run(name, 'replace', (staging) => staging.addEach(values));
  }

  /**
   * Sets the values of some users, and takes those of others, 5,000 together at most.
   *
   * @throws SyncNotFoundError, SyncChangeError and what `replace` throws.
   */
  async change(name: string, change: TraitChange): Promise<TraitResult> {
    const { set, remove } = checkTraitChange(change);
    return this.#run(name, 'change', async (staging) => {
      await staging.addEach(set);
      await staging.addAll(remove, undefined);
    });
  }

  /**
   * Takes the value of every user, and forgets the trait.
   *
   * @throws SyncNotFoundError and what `replace` throws.
   */
  remove(name: string): Promise<TraitResult> {
    return this.#run(name, 'remove', async () => {});
  }

  /** Undefined when there is none of that name. @throws SyncNameError */
  async get(name: string): Promise<TraitReport | undefined> {
    const record = await this.#options.store.seen(named('trait', name));
    return record === undefined ? undefined : traitReportOf(record);
  }

  /** All of them, in their order. */
  async list(): Promise<TraitReport[]> {
    return (await this.#options.store.allSeen('trait')).map(traitReportOf);
  }

  async #run(name: string, kind: SyncRequest['kind'], stage: SyncRequest['stage']): Promise<TraitResult> {
    const { syncs, clock } = this.#options;
    const { record, changed } = await syncs.run({ audience: named('trait', name), kind, at: clock.wall(), stage });
    return traitResultOf(record, changed);
  }
}

/** The most users in one change; a full list has no limit. */
const MAX_CHANGED = 5_000;

function checkTraitChange({ set = [], remove = [] }: TraitChange): { set: Listed[]; remove: readonly string[] } {
  const count = set.length + remove.length;
  if (count > MAX_CHANGED) {
    throw new SyncChangeError(
      'trait',
      `Expected at most ${MAX_CHANGED} users in one change, got ${count}; send the full list`,
    );
  }
  const users = new Set<string>();
  const check = (where: string, problem: string | undefined, userId: string): void => {
    if (problem !== undefined) throw new SyncEntryError('trait', where, problem);
    if (users.has(userId)) throw new SyncChangeError('trait', `${where} names a user for the second time`);
    users.add(userId);
  };
  for (const [index, entry] of set.entries()) check(`set[${index}]`, userValueProblem(entry), entry?.userId);
  for (const [index, userId] of remove.entries()) {
    const problem = userIdProblem(userId);
    check(`remove[${index}]`, problem && describeProblem(problem), userId);
  }
  return { set: set.map(listedOf), remove };
}
