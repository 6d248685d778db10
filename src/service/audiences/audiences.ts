import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../../base/time/clock.js';
import type { KeyValueStore } from '../../store/key-value-store.js';
import type { AudienceReport, SyncResult } from '../api/audience-answers.js';
import type { MembershipChange } from '../api/requests.js';
import type { Accept } from './apply.js';
import {
  SyncBusyError,
  SyncChangeError,
  SyncEntryError,
  SyncNotFoundError,
  SyncsClosedError,
  SyncUnfinishedError,
} from './audience-errors.js';
import { type AudienceRecord, reportOf, resultOf } from './audience-record.js';
import { AudienceStore } from './audience-store.js';
import { memberKeyOf, membersPrefix } from './keys.js';
import { assertNotStandard, named } from './name.js';
import type { Named } from './named.js';
import { type SyncRequest, Syncs } from './syncs.js';
import { Traits } from './traits.js';
import { describeProblem, userIdProblem } from './user-id-problem.js';

export interface AudiencesOptions {
  readonly keyValues: KeyValueStore;
  /** Given every `identify` that a change makes, up to 500 at a time. */
  readonly accept: Accept;
  /** @default the machine's */
  readonly clock?: Clock | undefined;
  /** Called with the reason why a change failed, which is tried again. @default emits a warning of the process */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Ids of changes, each once. @default random UUIDs */
  readonly newId?: (() => string) | undefined;
  /** The most users one step changes, up to 500, as twice as many are written at once. @default 500 */
  readonly stepSize?: number | undefined;
  /** The number of users of a list that are held and sorted before they are written. @default 20_000 */
  readonly runSize?: number | undefined;
}

export interface ReplaceOptions {
  /** True lets a new audience have a standard trait of a user, such as `email`. @default false */
  readonly isStandardAllowed?: boolean | undefined;
}

/** The value of a member. */
const MEMBER = 'true';

/** The number of members that are looked up at once. */
const LOOKUP = 1_000;

/**
 * Keeps who belongs to which audience, and which users have which value of a computed trait. An `identify` with the audience's trait,
 * `true` or `false`, tells of each user who joins or leaves; one with the computed trait tells of each user whose value changes.
 */
export class Audiences {
  readonly #keyValues: KeyValueStore;
  readonly #clock: Clock;
  readonly #audiences: AudienceStore;
  readonly #syncs: Syncs;
  /** The values that your own programs compute for users. */
  readonly traits: Traits;

  constructor({
    clock = systemClock(),
    onError = warn,
    newId = randomUUID,
    stepSize = 500,
    runSize = 20_000,
    keyValues,
    accept,
  }: AudiencesOptions) {
    this.#keyValues = keyValues;
    this.#clock = clock;
    this.#audiences = new AudienceStore({ keyValues, clock, newId, onError });
    this.#syncs = new Syncs({ audiences: this.#audiences, keyValues, accept, clock, stepSize, runSize, onError });
    this.traits = new Traits({ store: this.#audiences, syncs: this.#syncs, clock });
  }

  /**
   * Makes the list the audience's members, and the audience if there is none. The list may be of any length, in any order, and
   * name a user twice. Resolves when all of it is done.
   *
   * @throws SyncNameError, SyncEntryError, TraitTakenError, SyncBusyError, SyncsClosedError, and
   *   what the list throws: nothing was changed.
   * @throws SyncUnfinishedError: all of it was taken, and will be done.
   */
  async replace(
    name: string,
    members: AsyncIterable<string> | Iterable<string>,
    { isStandardAllowed = false }: ReplaceOptions = {},
  ): Promise<SyncResult> {
    if (!isStandardAllowed) await this.#assertNotStandard(named('audience', name));
    return this.#run(name, 'replace', (staging) => staging.addAll(members, MEMBER));
  }

  /**
   * Lets some users join and others leave, 5,000 together at most.
   *
   * @throws SyncNotFoundError, SyncChangeError and what `replace` throws.
   */
  async change(name: string, change: MembershipChange): Promise<SyncResult> {
    const { join, leave } = checkChange(change);
    return this.#run(name, 'change', async (staging) => {
      await staging.addAll(join, MEMBER);
      await staging.addAll(leave, undefined);
    });
  }

  /**
   * Lets every member leave, and forgets the audience.
   *
   * @throws SyncNotFoundError and what `replace` throws.
   */
  async remove(name: string): Promise<SyncResult> {
    return this.#run(name, 'remove', async () => {});
  }

  /**
   * Lets the users leave every audience, and takes every computed trait from them. Of one that is being changed this is done
   * after the change, so that its list does not bring them back.
   *
   * @param at the time in the messages about it, in ms since 1970
   * @returns whether nothing is known of them now; otherwise call it again, which does not repeat what was done.
   */
  async withdraw(userIds: readonly string[], at: number): Promise<boolean> {
    const leave = userIds.filter((userId) => userIdProblem(userId) === undefined);
    let isOut = true;
    for await (const { record } of this.#audiences.all()) {
      // A change that is being done may make members of those who are none.
      if (record === undefined || (record.sync === undefined && (await this.#count(record.trait, leave)) === 0))
        continue;
      isOut = (await this.#withdrawFrom(record, leave, at)) && isOut;
    }
    return isOut;
  }

  /** Counts the audiences that the users are in and the computed traits that they have. */
  async memberships(userIds: readonly string[]): Promise<number> {
    let count = 0;
    for await (const { record } of this.#audiences.all())
      if (record !== undefined) count += await this.#count(record.trait, userIds);
    return count;
  }

  /** Undefined when there is none of that name. @throws SyncNameError */
  async get(name: string): Promise<AudienceReport | undefined> {
    const record = await this.#audiences.seen(named('audience', name));
    return record === undefined ? undefined : reportOf(record);
  }

  /** All audiences, in the order of their traits. */
  async list(): Promise<AudienceReport[]> {
    return (await this.#audiences.allSeen('audience')).map(reportOf);
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

  async #run(name: string, kind: SyncRequest['kind'], stage: SyncRequest['stage']): Promise<SyncResult> {
    const at = this.#clock.wall();
    const { record, changed } = await this.#syncs.run({ audience: named('audience', name), kind, at, stage });
    return resultOf(record, changed);
  }

  /** An audience that exists was allowed when it was made. */
  async #assertNotStandard(audience: Named): Promise<void> {
    if ((await this.#audiences.seen(audience)) === undefined) assertNotStandard(audience);
  }

  /** Returns false when it has to be done later. */
  async #withdrawFrom(audience: AudienceRecord, users: readonly string[], at: number): Promise<boolean> {
    try {
      await this.#syncs.run({ audience, kind: 'change', at, stage: (staging) => staging.addAll(users, undefined) });
      return true;
    } catch (error) {
      // Its first list broke off, or it was removed meanwhile.
      if (error instanceof SyncNotFoundError) return true;
      const isForNow = [SyncBusyError, SyncUnfinishedError, SyncsClosedError].some((kind) => error instanceof kind);
      if (!isForNow) throw error;
      return false;
    }
  }

  async #count(trait: string, userIds: readonly string[]): Promise<number> {
    let count = 0;
    const keys = userIds.map((userId) => membersPrefix(trait) + memberKeyOf(userId).place);
    for (let from = 0; from < keys.length; from += LOOKUP) {
      const found = await this.#keyValues.get(keys.slice(from, from + LOOKUP));
      count += found.filter((value) => value !== undefined).length;
    }
    return count;
  }
}

const warn = (error: unknown): void => process.emitWarning(error instanceof Error ? error : String(error));

/** The most ids in one change; a full list has no limit. */
export const MAX_CHANGED = 5_000;

/**
 * @throws SyncEntryError at the first wrong id
 * @throws SyncChangeError when there are too many, or a user is in both lists
 */
export function checkChange({ join = [], leave = [] }: MembershipChange): { join: string[]; leave: string[] } {
  const count = join.length + leave.length;
  if (count > MAX_CHANGED) {
    throw new SyncChangeError(
      'audience',
      `Expected at most ${MAX_CHANGED} ids in one change, got ${count}; send the full list`,
    );
  }
  const change = { join: checkIds('join', join), leave: checkIds('leave', leave) };
  const joins = new Set(join);
  const both = leave.findIndex((userId) => joins.has(userId));
  if (both !== -1) throw new SyncChangeError('audience', `leave[${both}] is in join too`);
  return change;
}

function checkIds(list: string, ids: readonly string[]): string[] {
  for (const [index, id] of ids.entries()) {
    const problem = userIdProblem(id);
    if (problem !== undefined) throw new SyncEntryError('audience', `${list}[${index}]`, describeProblem(problem));
  }
  return [...ids];
}
