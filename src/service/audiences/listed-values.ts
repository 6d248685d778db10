import { isJsonObject } from '../../base/text/decode.js';
import { describe } from '../../base/text/describe.js';
import { listedJson, valueProblem } from './entry-value.js';
import { listedLines, wrongLine } from './listed-lines.js';
import type { Listed } from './staging.js';
import { describeProblem, userIdProblem } from './user-id-problem.js';

/**
 * The users and values of newline-delimited JSON: each line an object with a `userId` and a `value`.
 *
 * @throws SyncEntryError at the first line that is something else
 */
export async function* listedValues(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Listed> {
  for await (const { number, value } of listedLines('trait', chunks)) {
    const problem = userValueProblem(value);
    if (problem !== undefined) throw wrongLine('trait', number, problem);
    // An entry without a problem has both.
    yield listedOf(value as UserValue);
  }
}

/** A user, and what a computed trait is for that user: any JSON value; `null` says that the user has none. */
export interface UserValue {
  readonly userId: string;
  readonly value: unknown;
}

/** Says why an entry is no user with a value; undefined when it is one. */
export function userValueProblem(given: unknown): string | undefined {
  if (!isJsonObject(given)) return `expected an object with a userId and a value, got ${describe(given)}`;
  const problem = userIdProblem(given['userId']);
  if (problem !== undefined) return `userId: ${describeProblem(problem)}`;
  const wrongValue = valueProblem(given['value']);
  return wrongValue === undefined ? undefined : `value: ${describeProblem(wrongValue)}`;
}

export const listedOf = ({ userId, value }: UserValue): Listed => ({ userId, json: listedJson(value) });
