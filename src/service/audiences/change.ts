import type { MembershipChange } from '../api/types.js';
import { AudienceChangeError, AudienceMemberError } from './errors.js';
import { describeProblem, userIdProblem } from './user-id.js';

/** The most ids in one change; a full list has no limit. */
export const MAX_CHANGED = 5_000;

/**
 * @throws AudienceMemberError at the first id that is none
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
