import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../../clock.js';
import type { KeyValueStore } from '../../store/key-value-store.js';
import type { AudienceReport, SyncResult } from '../api/answers.js';
import type { MembershipChange } from '../api/types.js';
import type { Accept } from './apply.js';
import { AudienceStore } from './audience-store.js';
import { AudienceChangeError, AudienceMemberError } from './errors.js';
import { memberKeyOf, membersPrefix } from './keys.js';
import { named } from './name.js';
import { reportOf } from './record.js';
import { Syncs } from './syncs.js';
import { describeProblem, userIdProblem } from './user-id.js';

export interface AudiencesOptions {
  readonly keyValues: KeyValueStore;
  /** Given every `identify` of a membership, up to 500 at a time. */
  readonly accept: Accept;
  /** @default the machine's */
  readonly clock?: Clock | undefined;
  /** Called with the reason why a change failed, which is tried again. @default emits a warning of the process */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Ids of changes, each once. @default random UUIDs */
  readonly newId?: (() => string) | undefined;
  /** The most users one step changes, up to 500, as twice as many are written at once. @default 500 */
  readonly stepSize?: number | undefined;
  /** How many ids of a list are held and put in order before they are written. @default 20_000 */
  readonly runSize?: number | undefined;
}

/** How many members are looked up at once. */
const LOOKUP = 1_000;

/** The users can leave such an audience later. */
const FOR_NOW = ['EVENTFERRY_AUDIENCE_BUSY', 'EVENTFERRY_AUDIENCE_UNFINISHED', 'EVENTFERRY_AUDIENCES_CLOSED'];

/**
 * Who belongs to which audience. An `identify` with the audience's trait, `true` or `false`, tells of each user who joins or
 * leaves.
 */
export class Audiences {
  readonly #keyValues: KeyValueStore;
  readonly #clock: Clock;
  readonly #audiences: AudienceStore;
  readonly #syncs: Syncs;

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
  }

  /**
   * Makes the list the audience's members, and the audience if there is none. The list may be of any length, in any order, and
   * name a user twice. Resolves when all of it is done.
   *
   * @throws AudienceNameError, AudienceMemberError, AudienceTraitTakenError, AudienceBusyError, AudiencesClosedError, and
   *   what the list throws: nothing was changed.
   * @throws AudienceUnfinishedError: all of it was taken, and will be done.
   */
  async replace(name: string, members: AsyncIterable<string> | Iterable<string>): Promise<SyncResult> {
    const [audience, at] = [named(name), this.#clock.wall()];
    return this.#syncs.run({ audience, kind: 'replace', at, stage: (staging) => staging.addAll(members) });
  }

  /**
   * Lets some users join and others leave, 5,000 together at most.
   *
   * @throws AudienceNotFoundError, AudienceChangeError and what `replace` throws.
   */
  async change(name: string, change: MembershipChange): Promise<SyncResult> {
    return this.#change(name, change, this.#clock.wall());
  }

  /**
   * Lets every member leave, and forgets the audience.
   *
   * @throws AudienceNotFoundError and what `replace` throws.
   */
  async remove(name: string): Promise<SyncResult> {
    return this.#syncs.run({ audience: named(name), kind: 'remove', at: this.#clock.wall(), stage: async () => {} });
  }

  /**
   * Lets the users leave every audience. One that is being changed is left once the change is done, so that its list does not
   * bring them back.
   *
   * @param at the time in the messages about it, in ms since 1970
   * @returns whether they are in none now; otherwise call it again, which does not repeat what was done.
   */
  async withdraw(userIds: readonly string[], at: number): Promise<boolean> {
    const leave = userIds.filter((userId) => userIdProblem(userId) === undefined);
    let isOut = true;
    for await (const { record } of this.#audiences.all()) {
      // A change that is being done may make members of those who are none.
      if (record === undefined || (record.sync === undefined && !(await this.#hasAny(record.trait, leave)))) continue;
      try {
        await this.#change(record.name, { leave }, at);
      } catch (error) {
        const { code } = error as { code?: unknown };
        // Its first list broke off, or it was removed meanwhile.
        if (code === 'EVENTFERRY_AUDIENCE_NOT_FOUND') continue;
        if (!FOR_NOW.includes(String(code))) throw error;
        isOut = false;
      }
    }
    return isOut;
  }

  /** Undefined when there is none of that name. @throws AudienceNameError */
  async get(name: string): Promise<AudienceReport | undefined> {
    const wanted = named(name);
    const { record } = await this.#audiences.find(wanted.trait);
    return record?.name === wanted.name && this.#audiences.isSeen(record) ? reportOf(record) : undefined;
  }

  /** All audiences, in the order of their traits. */
  async list(): Promise<AudienceReport[]> {
    const reports: AudienceReport[] = [];
    for await (const { record } of this.#audiences.all()) {
      if (record !== undefined && this.#audiences.isSeen(record)) reports.push(reportOf(record));
    }
    return reports;
  }

  /**
   * Call it once at the start. It finishes what a crash interrupted, here or in another process, gives up lists that broke
   * off, and looks for more of both every 30 s. Never throws: errors go to `onError`.
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

  async #change(name: string, change: MembershipChange, at: number): Promise<SyncResult> {
    const { join, leave } = checkChange(change);
    return this.#syncs.run({
      audience: named(name),
      kind: 'change',
      at,
      stage: async (staging) => {
        await staging.addAll(join);
        await staging.addAll(leave, false);
      },
    });
  }

  async #hasAny(trait: string, userIds: readonly string[]): Promise<boolean> {
    const keys = userIds.map((userId) => membersPrefix(trait) + memberKeyOf(userId).place);
    for (let from = 0; from < keys.length; from += LOOKUP) {
      const found = await this.#keyValues.get(keys.slice(from, from + LOOKUP));
      if (found.some((value) => value !== undefined)) return true;
    }
    return false;
  }
}

const warn = (error: unknown): void => process.emitWarning(error instanceof Error ? error : String(error));

/** The most ids in one change; a full list has no limit. */
export const MAX_CHANGED = 5_000;

/**
 * @throws AudienceMemberError at the first wrong id
 * @throws AudienceChangeError when there are too many, or a user is in both lists
 */
export function checkChange({ join = [], leave = [] }: MembershipChange): { join: string[]; leave: string[] } {
  const count = join.length + leave.length;
  if (count > MAX_CHANGED) {
    throw new AudienceChangeError(
      `Expected at most ${MAX_CHANGED} ids in one change, got ${count}; send the full list`,
    );
  }
  const change = { join: checkIds('join', join), leave: checkIds('leave', leave) };
  const joins = new Set(join);
  const both = leave.findIndex((userId) => joins.has(userId));
  if (both !== -1) throw new AudienceChangeError(`leave[${both}] is in join too`);
  return change;
}

function checkIds(list: string, ids: readonly string[]): string[] {
  for (const [index, id] of ids.entries()) {
    const problem = userIdProblem(id);
    if (problem !== undefined) throw new AudienceMemberError(`${list}[${index}]`, describeProblem(problem));
  }
  return [...ids];
}
