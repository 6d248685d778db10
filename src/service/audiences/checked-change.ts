import { syncErrors } from './audience-errors.js';
import { type Listed, MEMBER, type ReadUser, userWith, valueIn } from './given-users.js';
import type { ListKind } from './named.js';

/** The maximum number of users in one change. A full list has no limit. */
export const MAX_CHANGED = 5_000;

const READERS: Readonly<Record<ListKind, Readonly<Record<string, ReadUser>>>> = {
  audience: { join: userWith(MEMBER), leave: userWith(undefined) },
  trait: { set: valueIn, remove: userWith(undefined) },
};

/** The users of a change, by what happens to them: `join` and `leave`, or `set` and `remove`. */
export type GivenChange = Readonly<Record<string, readonly unknown[] | undefined>>;

/**
 * Reads the users of a change.
 *
 * @throws SyncError at the first wrong user, or if there are too many users, or one user is given two values
 */
export function checkedChange(kind: ListKind, change: GivenChange): Listed[] {
  const lists = Object.entries(READERS[kind]).map(([name, read]) => ({ name, read, entries: change[name] ?? [] }));
  const count = lists.reduce((sum, { entries }) => sum + entries.length, 0);
  if (count > MAX_CHANGED) {
    const problem = `Expected at most ${MAX_CHANGED} users in one change, got ${count}; send the full list`;
    throw syncErrors.change(kind, problem);
  }
  const users = new Map<string, Listed>();
  for (const { name, read, entries } of lists) {
    for (const [index, entry] of entries.entries()) {
      const [where, user] = [`${name}[${index}]`, read(entry)];
      if (typeof user === 'string') throw syncErrors.entry(kind, where, user);
      if ((users.get(user.userId) ?? user).json !== user.json)
        throw syncErrors.change(kind, `${where} names a user for the second time, with another value`);
      users.set(user.userId, user);
    }
  }
  return [...users.values()];
}
