import { MAX_USER_ID_BYTES } from '../base/options/limits.js';
import { byteLength, isWellFormed } from '../base/platform/node.js';

/** The most bytes UTF-8 takes for one unit of a JavaScript string. */
const BYTES_OF_UNIT = 3;

/**
 * Tells whether a value can be the id of a user. One that could not be listed or deleted later cannot: half a surrogate pair has no
 * UTF-8, so that a store could not give it back. Empty text can.
 */
export const isUserId = (id: unknown): boolean =>
  typeof id === 'string' &&
  (id.length * BYTES_OF_UNIT <= MAX_USER_ID_BYTES || byteLength(id) <= MAX_USER_ID_BYTES) &&
  isWellFormed(id);

/** The reason why a text is no id of a user. */
export interface IdProblem {
  readonly expected: string;
  readonly received: string;
}

/** Says why a text is no id of a user; returns undefined if it is one. */
export function userIdTextProblem(id: string): IdProblem | undefined {
  if (isUserId(id)) return undefined;
  return isWellFormed(id)
    ? { expected: `an id of at most ${MAX_USER_ID_BYTES} bytes`, received: `one of ${byteLength(id)}` }
    : { expected: 'well-formed text', received: 'half of a surrogate pair' };
}

/** Tells whether an id is only blanks. The whole id is examined only if it begins with one. */
function isBlank(id: string): boolean {
  const first = id.charCodeAt(0);
  return (first <= 32 || first >= 160) && id.trim() === '';
}

/**
 * Describes an id that names nobody, because a program made text of a value that was missing or no id. Returns undefined for
 * any other id. Collectors accept such ids, so the mistake would show nowhere else.
 */
export function nobodyIn(id: string): string | undefined {
  switch (id) {
    case 'undefined':
    case 'NaN':
    case '[object Object]':
      return `the text "${id}", which is no id but what became of one that was not there`;
    case '':
      return undefined;
    default:
      return isBlank(id) ? 'blanks alone' : undefined;
  }
}

/** The ids of a message of any type, or of what a child or a run fills in. */
export interface Ids {
  readonly userId?: unknown;
  readonly anonymousId?: unknown;
  readonly groupId?: unknown;
  readonly previousId?: unknown;
}

export const isNobody = (id: unknown): id is string => typeof id === 'string' && nobodyIn(id) !== undefined;

/** Tells whether one of the ids names nobody. It asks one by one, as this runs at every call. */
export const namesNobody = ({ userId, anonymousId, groupId, previousId }: Ids): boolean =>
  isNobody(userId) || isNobody(anonymousId) || isNobody(groupId) || isNobody(previousId);

/** Tells whether one of the ids is the text `null`: it may be a name, or stand for a value that was not there. */
export const namesNull = ({ userId, anonymousId, groupId, previousId }: Ids): boolean =>
  userId === 'null' || anonymousId === 'null' || groupId === 'null' || previousId === 'null';
