import { OptionError } from '../errors.js';
import { userIdProblem } from '../service/audiences/user-id.js';

/** How many characters are sent at once, at least: a write for each id would cost more than the id. */
const CHUNK_LENGTH = 32 * 1024;

/**
 * Ids as lines of JSON, many at once.
 *
 * @throws OptionError at the first wrong id, and what the ids throw
 */
export async function* linesOf(userIds: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let text = '';
  let index = 0;
  for await (const userId of userIds) {
    checkUserId(`userIds[${index++}]`, userId);
    text += `${JSON.stringify(userId)}\n`;
    if (text.length < CHUNK_LENGTH) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/** @throws OptionError */
export function checkUserId(option: string, value: unknown): void {
  const problem = userIdProblem(value);
  if (problem !== undefined) throw new OptionError('admin', option, problem.expected, problem.received);
}
