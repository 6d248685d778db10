import { MAX_USER_ID_BYTES } from '../base/options/limits.js';
import { byteLength, isWellFormed } from '../base/platform/node.js';
import { describe } from '../base/text/describe.js';
import { printable, shorten } from '../base/text/printable.js';

/** The most bytes of UTF-8 that one unit of a JavaScript string takes. */
const BYTES_OF_UNIT = 3;

const LONGEST_SHOWN = 40;

/**
 * Tells whether a value can be the id of a user. It refuses ids that could not be listed or deleted later: a lone surrogate has
 * no UTF-8, so a store could not return it. Empty text is accepted.
 */
export const isUserId = (id: unknown): id is string =>
  typeof id === 'string' &&
  id.length <= MAX_USER_ID_BYTES &&
  (id.length * BYTES_OF_UNIT <= MAX_USER_ID_BYTES || byteLength(id) <= MAX_USER_ID_BYTES) &&
  isWellFormed(id);

/** Why a text is not a valid id of a user. */
export interface IdProblem {
  readonly expected: string;
  readonly received: string;
}

/** Returns why a text is not a valid id of a user; undefined if it is one. */
export function userIdTextProblem(id: string): IdProblem | undefined {
  if (isUserId(id)) return undefined;
  return isWellFormed(id)
    ? { expected: `an id of at most ${MAX_USER_ID_BYTES} bytes`, received: `one of ${byteLength(id)}` }
    : { expected: 'well-formed text', received: 'half of a surrogate pair' };
}

/** Texts that result when a program converts a value that is not an id to a string. */
const STRINGIFIED: readonly RegExp[] = [
  // Only such values, with characters that join or quote them. The text `null` alone may be a name, and separators alone may be
  // an id.
  /^(?!null$|[-:|_/.]+$)(?:undefined|null|NaN|Infinity|true|false|\[object [^\]]*\]|[\s"'{}[\],:|_/.-])+$/,
  // A symbol, an invalid date of `Date`, Moment or Luxon, or a template that was not filled in: `${id}`, `{{ id }}`, `<%= id %>`.
  /^Symbol\(.*\)$|^Invalid [Dd]ate(Time)?$|[$#%]\{[^{}]*\}|\{\{[^{}]*\}\}|<%.*%>/s,
  // An arrow function, recognised by its parameter occurring in the body, because `a=>b` may be an id.
  /^(?:async\s*)?(?:\(.*?\)\s*=>|([\w$]+)\s*=>.*\b\1\b)/s,
  // Any other function, a method or a class.
  /^(?:class\b[^{]*|[\s*\w$]+\(.*\)\s*)\{.*\}$/s,
];

const WORD_AT_END = /(?:undefined|null|NaN|Infinity|true|false)$/;

/**
 * A fast check for every call, mostly of the first and last character. It may return true for a valid id, but never returns false
 * for one that must be refused.
 */
const mayBeNone = (id: string): boolean =>
  isMark(id.charCodeAt(0)) ||
  isMark(id.charCodeAt(id.length - 1)) ||
  ('delNy'.includes(id.charAt(id.length - 1)) && WORD_AT_END.test(id)) ||
  id.startsWith('Invalid') ||
  id.indexOf('>') !== -1 ||
  id.indexOf('{') !== -1;

/** Tells whether a character is neither an ASCII letter nor an ASCII digit. */
const isMark = (code: number): boolean =>
  code < 48 || (code > 57 && code < 65) || (code > 90 && code < 97) || code > 122;

/**
 * Describes an id that identifies nobody, because a program converted a missing or wrong value to text. Returns undefined for any
 * other id. Collectors accept such ids, so the mistake would not be noticed anywhere else.
 */
export function nobodyIn(id: string): string | undefined {
  if (!mayBeNone(id)) return undefined;
  if (/^[\s\p{Cf}]+$/u.test(id)) return 'blanks alone';
  return STRINGIFIED.some((pattern) => pattern.test(id)) ? noIdText(id) : undefined;
}

/** Describes a text that a program made from a value that was not an id. */
export const noIdText = (id: string): string =>
  `the text ${printable(JSON.stringify(shorten(id, LONGEST_SHOWN)))}, made from a value that is not an id`;

/** Describes an id like `nobodyIn`, and also one that begins or ends with a control character, such as a line break. */
export function flawInId(id: string): string | undefined {
  if (!mayBeNone(id)) return undefined;
  return nobodyIn(id) ?? (/^\p{Cc}|\p{Cc}$/u.test(id) ? `${describe(id)}, which has a control character` : undefined);
}

/**
 * Tells whether a value is acceptable as an id from the calling program. A collector accepts more, because other clients send it.
 * Empty text is accepted, because it counts as absent.
 */
export const isGivenId = (id: unknown): boolean => isUserId(id) && flawInId(id) === undefined;

/** The ids in a message of any type that identify a user or a group. */
type Ids = { readonly [Name in 'userId' | 'anonymousId' | 'groupId' | 'previousId']?: unknown };

/** Returns the name of an id that is the text `null`, which may be a name or stand for a missing value. */
export function nullIn({ userId, anonymousId, groupId, previousId }: Ids): keyof Ids | undefined {
  if (userId === 'null') return 'userId';
  if (anonymousId === 'null') return 'anonymousId';
  if (groupId === 'null') return 'groupId';
  return previousId === 'null' ? 'previousId' : undefined;
}
