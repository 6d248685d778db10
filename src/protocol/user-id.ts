import { MAX_USER_ID_BYTES } from '../base/options/limits.js';
import { byteLength } from '../base/platform/node.js';

/** The most bytes UTF-8 takes for one unit of a JavaScript string. */
const BYTES_OF_UNIT = 3;

/** Half a surrogate pair has no UTF-8, so that a store could not give it back. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Whether a value can be the id of a user: one that could not be listed or deleted later is not taken. Empty text can. */
export const isUserId = (id: unknown): boolean =>
  typeof id === 'string' &&
  (id.length * BYTES_OF_UNIT <= MAX_USER_ID_BYTES || byteLength(id) <= MAX_USER_ID_BYTES) &&
  !LONE_SURROGATE.test(id);

/** What a value should be and is not. */
export interface IdProblem {
  readonly expected: string;
  readonly received: string;
}

/** Why a text is no id of a user; undefined when it is one. */
export function userIdTextProblem(id: string): IdProblem | undefined {
  if (isUserId(id)) return undefined;
  return LONE_SURROGATE.test(id)
    ? { expected: 'well-formed text', received: 'half of a surrogate pair' }
    : { expected: `an id of at most ${MAX_USER_ID_BYTES} bytes`, received: `one of ${byteLength(id)}` };
}
