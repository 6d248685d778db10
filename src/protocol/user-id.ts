import { MAX_USER_ID_BYTES } from '../base/options/limits.js';
import { byteLength, isWellFormed } from '../base/platform/node.js';
import { describe } from '../base/text/describe.js';
import { printable, shorten } from '../base/text/printable.js';

/** The most bytes UTF-8 takes for one unit of a JavaScript string. */
const BYTES_OF_UNIT = 3;

const LONGEST_SHOWN = 40;

/**
 * Tells whether a value can be the id of a user. One that could not be listed or deleted later cannot: half a surrogate pair has no
 * UTF-8, so that a store could not give it back. Empty text can.
 */
export const isUserId = (id: unknown): id is string =>
  typeof id === 'string' &&
  id.length <= MAX_USER_ID_BYTES &&
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

/** What becomes of a value that is missing, an object, a date, a symbol and a function when a program makes text of it. */
const STRINGIFIED: readonly RegExp[] = [
  /^(undefined|NaN|\[object [^\]]*\]|Symbol\(.*\))$/s,
  // Of `Date`, Moment and Luxon.
  /^Invalid [Dd]ate(Time)?$/,
  /^(async\s+)?function\b[\s*\w$]*\(|^class\b[^{]*\{.*\}$/s,
  // The parameter occurs in the body of an arrow function: `a=>b` may be an id.
  /^(?:async\s*)?(?:\(.*?\)\s*=>|([\w$]+)\s*=>.*\b\1\b)/s,
  // A method.
  /^(async\s+)?[\s*\w$]+\(.*\)\s*\{.*\}$/s,
];

/** Tells fast that an id is none of these, of most ids from their ends. It runs at every call, so it may be wrong in saying yes. */
const mayBeNone = (id: string): boolean =>
  isOdd(id.charCodeAt(0)) ||
  isOdd(id.charCodeAt(id.length - 1)) ||
  id === 'undefined' ||
  id === 'NaN' ||
  id.startsWith('Invalid') ||
  id.indexOf('>') !== -1;

/** A blank, a control character, a parenthesis, or what closes a list or a block. */
const isOdd = (code: number): boolean =>
  code <= 32 || code >= 127 || code === 40 || code === 41 || code === 93 || code === 125;

/**
 * Describes an id that names nobody, because a program made text of a value that was missing or no id. Returns undefined for
 * any other id. Collectors accept such ids, so the mistake would show nowhere else.
 */
export function nobodyIn(id: string): string | undefined {
  if (!mayBeNone(id)) return undefined;
  if (/^[\s\p{Cf}]+$/u.test(id)) return 'blanks alone';
  return STRINGIFIED.some((pattern) => pattern.test(id)) ? noIdText(id) : undefined;
}

/** Says of a text that a program made it of a value that was no id. */
export const noIdText = (id: string): string =>
  `the text ${printable(JSON.stringify(shorten(id, LONGEST_SHOWN)))}, which is what becomes of a value that is no id`;

/** The same, and describes an id that begins or ends with a control character, such as the end of the line that it was read from. */
export function flawInId(id: string): string | undefined {
  if (!mayBeNone(id)) return undefined;
  return nobodyIn(id) ?? (/^\p{Cc}|\p{Cc}$/u.test(id) ? `${describe(id)}, which has a control character` : undefined);
}

/**
 * Tells whether a value can be an id in a message of a program that calls us. A collector accepts more, because other clients send
 * it. Empty text can, because it counts as left out.
 */
export const isGivenId = (id: unknown): boolean => isUserId(id) && flawInId(id) === undefined;

const NAMES = ['userId', 'anonymousId', 'groupId', 'previousId'] as const;

/** The ids of a message of any type that say who or which group is meant. */
type Ids = { readonly [Name in (typeof NAMES)[number]]?: unknown };

/** Tells whether one of the ids is the text `null`: it may be a name, or stand for a value that was not there. */
export const namesNull = ({ userId, anonymousId, groupId, previousId }: Ids): boolean =>
  userId === 'null' || anonymousId === 'null' || groupId === 'null' || previousId === 'null';

/** The name of an id that is the text `null`. */
export const nullIn = (ids: Ids): string | undefined => NAMES.find((name) => ids[name] === 'null');
