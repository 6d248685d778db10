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

/** What a program makes of a value that is no id when it turns it into text. */
const STRINGIFIED: readonly RegExp[] = [
  // Nothing but such values and what joins or quotes them. The text `null` alone may be a name, and a separator alone an id.
  /^(?!null$|[-:|_/.]+$)(?:undefined|null|NaN|Infinity|true|false|\[object [^\]]*\]|[\s"'{}[\],:|_/.-])+$/,
  // Of a symbol, of `Date`, Moment and Luxon, and a template that was not filled in: `${id}`, `{{ id }}`, `<%= id %>`.
  /^Symbol\(.*\)$|^Invalid [Dd]ate(Time)?$|[$#%]\{[^{}]*\}|\{\{[^{}]*\}\}|<%.*%>/s,
  // The parameter occurs in the body of an arrow function: `a=>b` may be an id.
  /^(?:async\s*)?(?:\(.*?\)\s*=>|([\w$]+)\s*=>.*\b\1\b)/s,
  // Any other function, a method or a class.
  /^(?:class\b[^{]*|[\s*\w$]+\(.*\)\s*)\{.*\}$/s,
];

const WORD_AT_END = /(?:undefined|null|NaN|Infinity|true|false)$/;

/** A quick check at every call, mostly of the first and last character. It may say yes to an id that is fine, but never says no to one that is to be refused. */
const mayBeNone = (id: string): boolean =>
  isMark(id.charCodeAt(0)) ||
  isMark(id.charCodeAt(id.length - 1)) ||
  ('delNy'.includes(id.charAt(id.length - 1)) && WORD_AT_END.test(id)) ||
  id.startsWith('Invalid') ||
  id.indexOf('>') !== -1 ||
  id.indexOf('{') !== -1;

/** Tells whether a character is neither a letter nor a digit of ASCII. */
const isMark = (code: number): boolean =>
  code < 48 || (code > 57 && code < 65) || (code > 90 && code < 97) || code > 122;

/**
 * Describes an id that names nobody, because a program made text of a value that was missing or no id. Returns undefined for
 * any other id. Collectors accept such ids, so the mistake would show nowhere else.
 */
export function nobodyIn(id: string): string | undefined {
  if (!mayBeNone(id)) return undefined;
  if (/^[\s\p{Cf}]+$/u.test(id)) return 'blanks alone';
  return STRINGIFIED.some((pattern) => pattern.test(id)) ? noIdText(id) : undefined;
}

/** Describes a text that a program made from a value that was no id. */
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
