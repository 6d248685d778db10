import { isJsonObject } from '../../base/text/decode.js';
import { describe } from '../../base/text/describe.js';
import { listedLines, wrongLine } from './listed-lines.js';
import { describeProblem, userIdProblem } from './user-id-problem.js';

/**
 * The user ids of newline-delimited JSON: each line a string, or an object with a `userId`.
 *
 * @throws SyncEntryError at the first line that is something else
 */
export async function* listedIds(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const { number, value } of listedLines('audience', chunks)) yield idOf(number, value);
}

function idOf(line: number, value: unknown): string {
  if (typeof value !== 'string' && !isJsonObject(value)) {
    throw wrongLine('audience', line, `expected a JSON string, or an object with a userId, got ${describe(value)}`);
  }
  const id = typeof value === 'string' ? value : value['userId'];
  const problem = userIdProblem(id);
  if (problem !== undefined) throw wrongLine('audience', line, describeProblem(problem));
  // An id without a problem is text.
  return id as string;
}
