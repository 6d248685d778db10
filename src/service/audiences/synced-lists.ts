import type { AudienceRecord } from './audience-record.js';
import type { AudienceStore } from './audience-store.js';
import { checkedChange, type GivenChange } from './checked-change.js';
import { assertNotStandard, named } from './name.js';
import type { Kind } from './named.js';
import type { Lists } from './staging.js';
import type { Syncs } from './syncs.js';

export interface SyncedListsOptions<Report, Result> {
  readonly kind: Kind;
  readonly store: AudienceStore;
  readonly syncs: Syncs;
  reportOf(record: AudienceRecord): Report;
  resultOf(record: AudienceRecord): Result;
}

export interface ReplaceOptions {
  /** True lets a new audience have a standard trait of a user, such as `email`. @default false */
  readonly isStandardAllowed?: boolean | undefined;
}

/** All audiences, or all computed traits. Each has a list of users. */
export class SyncedLists<Report, Result> {
  readonly #options: SyncedListsOptions<Report, Result>;

  constructor(options: SyncedListsOptions<Report, Result>) {
    this.#options = options;
  }

  /**
   * Makes the list that of the name, and an audience or a trait if there is none: users who are not on the list leave. The list
   * may be of any length, in any order; of a user it names twice the last value counts. Resolves when all of it is done.
   *
   * @throws SyncNameError, SyncEntryError, TraitTakenError, SyncBusyError, SyncsClosedError, and
   *   what the list throws: nothing was changed.
   * @throws SyncUnfinishedError: all of it was taken, and will be done.
   */
  async replace(name: string, listed: Lists, { isStandardAllowed = false }: ReplaceOptions = {}): Promise<Result> {
    const { kind, store, syncs, resultOf } = this.#options;
    const owner = named(kind, name);
    // An audience that exists was allowed when it was made.
    if (kind === 'audience' && !isStandardAllowed && (await store.get(owner)) === undefined) assertNotStandard(owner);
    return resultOf(await syncs.run(owner, 'replace', listed));
  }

  /**
   * Changes what some users have, 5,000 together at most.
   *
   * @throws SyncNotFoundError, SyncChangeError and what `replace` throws.
   */
  async change(name: string, change: GivenChange): Promise<Result> {
    const { kind, syncs, resultOf } = this.#options;
    return resultOf(await syncs.run(named(kind, name), 'change', checkedChange(kind, change)));
  }

  /**
   * Lets every user leave, and forgets the name.
   *
   * @throws SyncNotFoundError and what `replace` throws.
   */
  async remove(name: string): Promise<Result> {
    const { kind, syncs, resultOf } = this.#options;
    return resultOf(await syncs.run(named(kind, name), 'remove', []));
  }

  /** Undefined when there is none of that name. @throws SyncNameError */
  async get(name: string): Promise<Report | undefined> {
    const { kind, store, reportOf } = this.#options;
    const record = await store.get(named(kind, name));
    return record && reportOf(record);
  }

  /** All of them, in the order of their traits. */
  async list(): Promise<Report[]> {
    const { kind, store, reportOf } = this.#options;
    const reports: Report[] = [];
    for await (const { record } of store.all()) if (record?.kind === kind) reports.push(reportOf(record));
    return reports;
  }
}
