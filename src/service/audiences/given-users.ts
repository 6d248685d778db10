import { isJsonObject } from '../../base/text/decode.js';
import { describe } from '../../base/text/describe.js';
import { canonicalJson, valueProblem } from './entry-value.js';
import { describeProblem, userIdProblem } from './user-id-problem.js';

/** A user of a list, with the value that the list gives as canonical JSON, or undefined for no value. */
export interface Listed {
  readonly userId: string;
  readonly json: string | undefined;
}

/** Reads what a caller gives for a user. If it is wrong, returns the reason as text. */
export type ReadUser = (given: unknown) => Listed | string;

/** The value of a member of an audience. */
export const MEMBER = 'true';

/** Makes a reader that takes a user's id and gives the user this value. */
export const userWith =
  (json: string | undefined): ReadUser =>
  (userId) => {
    const problem = userIdProblem(userId);
    // A value in which `userIdProblem` finds no problem is a string.
    return problem === undefined ? { userId: userId as string, json } : describeProblem(problem);
  };

/** Reads a member of an audience: an id, or an object with a `userId`. */
export function memberIn(given: unknown): Listed | string {
  if (typeof given !== 'string' && !isJsonObject(given))
    return `expected a JSON string, or an object with a userId, got ${describe(given)}`;
  return userWith(MEMBER)(typeof given === 'string' ? given : given['userId']);
}

/** Reads a user and the user's value of a computed trait: any JSON value, or `null` for no value. */
export function valueIn(given: unknown): Listed | string {
  if (!isJsonObject(given)) return `expected an object with a userId and a value, got ${describe(given)}`;
  const { userId, value } = given;
  const user = userWith(undefined)(userId);
  if (typeof user === 'string') return `userId: ${user}`;
  const problem = valueProblem(value);
  if (problem !== undefined) return `value: ${describeProblem(problem)}`;
  return value === null ? user : { ...user, json: canonicalJson(value) };
}
