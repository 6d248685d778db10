import { describe } from '../../describe.js';
import { problemText } from '../../errors.js';

/** The most bytes the id of a member may have in UTF-8. */
export const MAX_USER_ID_BYTES = 1_000;

/** The most bytes UTF-8 takes for one unit of a JavaScript string. */
const BYTES_OF_UNIT = 3;

const LONE_SURROGATE = /\p{Surrogate}/u;

/** What a value should be and is not. */
export interface IdProblem {
  readonly expected: string;
  readonly received: string;
}

/** What keeps a value from being the id of a user; undefined when it is one. */
export function userIdProblem(value: unknown): IdProblem | undefined {
  // A number is refused, as in a message: one above 2^53 would have become another on the way.
  if (typeof value !== 'string' || value === '') return { expected: 'a non-empty string', received: describe(value) };
  if (value.length * BYTES_OF_UNIT > MAX_USER_ID_BYTES) {
    const bytes = Buffer.byteLength(value);
    if (bytes > MAX_USER_ID_BYTES) {
      return { expected: `an id of at most ${MAX_USER_ID_BYTES} bytes`, received: `one of ${bytes}` };
    }
  }
  if (LONE_SURROGATE.test(value)) return { expected: 'well-formed text', received: 'half of a surrogate pair' };
  return undefined;
}

export const describeProblem = ({ expected, received }: IdProblem): string => problemText('', expected, received);
