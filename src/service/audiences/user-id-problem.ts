import { problemText } from '../../base/errors/errors.js';
import { describe } from '../../base/text/describe.js';
import { type IdProblem, nobodyIn, userIdTextProblem } from '../../protocol/user-id.js';

/**
 * Returns why a value cannot be the id of a user; undefined if it can. Every user whose messages a collector accepts can be
 * listed and deleted, even if the id has a control character. An id that identifies nobody is refused.
 */
export function userIdProblem(value: unknown): IdProblem | undefined {
  // A number is refused, as it is in a message: one above 2^53 would have been rounded before it arrived.
  if (typeof value !== 'string' || value === '') return { expected: 'a non-empty string', received: describe(value) };
  const received = nobodyIn(value);
  return received === undefined ? userIdTextProblem(value) : { expected: 'an id', received };
}

export const describeProblem = ({ expected, received }: IdProblem): string => problemText('', expected, received);
