import { OptionError } from '../base/errors/errors.js';
import { describe } from '../base/text/describe.js';
import type { TraitValue } from '../service/api/requests.js';
import { valueProblem } from '../service/audiences/entry-value.js';
import { userIdProblem } from '../service/audiences/user-id-problem.js';

/** The minimum number of characters that are sent at once, because a write for each user would cost more than the user. */
const CHUNK_LENGTH = 32 * 1024;

/**
 * Encodes ids as lines of JSON, and yields many lines at once.
 *
 * @throws OptionError at the first wrong id, and any error of the list
 */
export function idLines(userIds: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  checkList('userIds', 'user ids', userIds);
  return linesOf(userIds, (userId, index) => {
    checkUserId(`userIds[${index}]`, userId);
    return JSON.stringify(userId);
  });
}

/**
 * Encodes users and values as lines of JSON, and yields many lines at once.
 *
 * @throws OptionError at the first wrong id or value, and any error of the list
 */
export function valueLines(values: AsyncIterable<TraitValue> | Iterable<TraitValue>): AsyncGenerator<string> {
  checkList('values', 'users and values', values);
  return linesOf(values, (entry, index) => {
    const { userId, value } = checkUserValue(`values[${index}]`, entry);
    return JSON.stringify({ userId, value });
  });
}

async function* linesOf<T>(
  items: AsyncIterable<T> | Iterable<T>,
  lineOf: (item: T, index: number) => string,
): AsyncGenerator<string> {
  let text = '';
  let index = 0;
  for await (const item of items) {
    text += `${lineOf(item, index++)}\n`;
    if (text.length < CHUNK_LENGTH) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/**
 * Refuses a string, whose characters would be read as the list, and a `Map`, which would be a valid list when it is empty.
 *
 * @throws OptionError
 */
export function checkList(option: string, what: string, value: unknown): void {
  const isIterable =
    typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);
  if (isIterable && !(value instanceof Map || value instanceof String)) return;
  throw new OptionError('admin', option, `a list of ${what}`, describe(value));
}

/** @throws OptionError */
export function checkUserId(option: string, value: unknown): void {
  const problem = userIdProblem(value);
  if (problem !== undefined) throw new OptionError('admin', option, problem.expected, problem.received);
}

/** @throws OptionError */
export function checkUserValue(option: string, entry: TraitValue | null | undefined): TraitValue {
  checkUserId(`${option}.userId`, entry?.userId);
  const problem = valueProblem(entry?.value);
  if (problem !== undefined) throw new OptionError('admin', `${option}.value`, problem.expected, problem.received);
  // An entry whose id is valid is an object.
  return entry as TraitValue;
}
