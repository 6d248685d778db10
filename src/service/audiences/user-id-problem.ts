import { problemText } from '../../base/errors/errors.js';
import { describe } from '../../base/text/describe.js';
import { type IdProblem, nobodyIn, userIdTextProblem } from '../../protocol/user-id.js';

/**
 * Says why a value is no id of a user; undefined when it is one. Whoever a collector takes from other clients can be listed and deleted,
 * also by an id with a control character, but not nobody.
 */
export function userIdProblem(value: unknown): IdProblem | undefined {
  // A number is refused, as in a message: one above 2^53 would have become another on the way.
  if (typeof value !== 'string' || value === '') return { expected: 'a non-empty string', received: describe(value) };
  const received = nobodyIn(value);
  return received === undefined ? userIdTextProblem(value) : { expected: 'an id', received };
}

export const describeProblem = ({ expected, received }: IdProblem): string => problemText('', expected, received);
