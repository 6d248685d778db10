import type { KeyValueStore } from '../../store/key-value-store.js';
import type { AudienceStore } from './audience-store.js';
import { memberKeyOf, membersPrefix } from './keys.js';
import { userIdProblem } from './user-id.js';

/** How many members are looked for at once. */
const BATCH = 1_000;

export interface WithdrawOptions {
  readonly keyValues: KeyValueStore;
  readonly audiences: AudienceStore;
  /** Lets the users leave one audience. */
  leave(name: string, userIds: readonly string[]): Promise<unknown>;
}

/** Why an audience cannot be left now, and can be later. */
const FOR_NOW = ['EVENTFERRY_AUDIENCE_BUSY', 'EVENTFERRY_AUDIENCE_UNFINISHED', 'EVENTFERRY_AUDIENCES_CLOSED'];

/**
 * Lets the users leave every audience of which they are members.
 *
 * @returns whether they are in none now. Otherwise an audience is being changed, and its list may name them: to be called
 *   again when that is over. What was done is not done again.
 */
export async function withdraw(
  { keyValues, audiences, leave }: WithdrawOptions,
  userIds: readonly string[],
): Promise<boolean> {
  const possible = userIds.filter((userId) => userIdProblem(userId) === undefined);
  let isOut = true;
  for await (const { record } of audiences.all()) {
    if (record === undefined) continue;
    // Who is no member may become one by a change that is under way.
    if (record.sync === undefined && !(await hasAny(keyValues, record.trait, possible))) continue;
    try {
      await leave(record.name, possible);
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

async function hasAny(keyValues: KeyValueStore, trait: string, userIds: readonly string[]): Promise<boolean> {
  const keys = userIds.map((userId) => membersPrefix(trait) + memberKeyOf(userId).place);
  for (let from = 0; from < keys.length; from += BATCH) {
    const found = await keyValues.get(keys.slice(from, from + BATCH));
    if (found.some((value) => value !== undefined)) return true;
  }
  return false;
}
