import type { KeyValueStore } from '../../store/key-value-store.js';
import type { AudienceRecord } from './audience-record.js';
import { allLists, listOf } from './audience-store.js';
import { checkedChange, type GivenChange } from './checked-change.js';
import { assertNotStandard, named } from './name.js';
import type { ListKind } from './named.js';
import type { Lists } from './staging.js';
import type { Syncs } from './syncs.js';

export interface SyncedListsOptions<Report, Result> {
  readonly kind: ListKind;
  readonly keyValues: KeyValueStore;
  readonly syncs: Syncs;
  reportOf(record: AudienceRecord): Report;
  resultOf(record: AudienceRecord): Result;
}

export interface ReplaceOptions {
  /** Set it to true to allow a new audience whose trait is a standard trait of a user, such as `email`. @default false */
  readonly isStandardAllowed?: boolean | undefined;
}

/** All audiences, or all computed traits. Each has a list of users. */
export class SyncedLists<Report, Result> {
  readonly #options: SyncedListsOptions<Report, Result>;

  constructor(options: SyncedListsOptions<Report, Result>) {
    this.#options = options;
  }

  /**
   * Replaces the list of the given name, and creates the audience or trait if there is none. Users who are not on the list leave.
   * The list may have any length and order; if it names a user twice, the last value counts. Resolves when it is done.
   *
   * @throws SyncError, and what the list throws. Nothing was changed, unless the problem is `unfinished`: then the whole list
   *   was received, and the change will be finished.
   */
  async replace(name: string, listed: Lists, { isStandardAllowed = false }: ReplaceOptions = {}): Promise<Result> {
    const { kind, keyValues, syncs, resultOf } = this.#options;
    const owner = named(kind, name);
    // An existing audience was checked when it was created.
    if (kind === 'audience' && !isStandardAllowed && (await listOf(keyValues, owner)) === undefined)
      assertNotStandard(owner);
    return resultOf(await syncs.run(owner, 'replace', listed));
  }

  /**
   * Changes the values of some users, at most 5,000 in one call.
   *
   * @throws what `replace` throws, and a SyncError if nothing has that name
   */
  async change(name: string, change: GivenChange): Promise<Result> {
    const { kind, syncs, resultOf } = this.#options;
    return resultOf(await syncs.run(named(kind, name), 'change', checkedChange(kind, change)));
  }

  /**
   * Removes every user, and then the name itself.
   *
   * @throws what `change` throws
   */
  async remove(name: string): Promise<Result> {
    const { kind, syncs, resultOf } = this.#options;
    return resultOf(await syncs.run(named(kind, name), 'remove', []));
  }

  /** Returns undefined if nothing has that name. @throws SyncError if nothing can have it */
  async get(name: string): Promise<Report | undefined> {
    const { kind, keyValues, reportOf } = this.#options;
    const record = await listOf(keyValues, named(kind, name));
    return record && reportOf(record);
  }

  /** Returns all of them, sorted by trait. */
  async list(): Promise<Report[]> {
    const { kind, keyValues, reportOf } = this.#options;
    const reports: Report[] = [];
    for await (const { record } of allLists(keyValues)) if (record.kind === kind) reports.push(reportOf(record));
    return reports;
  }
}
