import { decodeUtf8, isJsonObject, parseJson } from '../../decode.js';
import { describe } from '../../describe.js';
import { type Line, LineSplitter } from '../../lines.js';
import { AudienceMemberError } from './errors.js';
import { describeProblem, userIdProblem } from './user-id.js';

/** Enough for the longest id with every byte of it escaped. */
const MAX_LINE_BYTES = 10_000;

/**
 * The user ids of newline-delimited JSON: each line a string, or an object with a `userId`; empty lines are passed over.
 *
 * @throws AudienceMemberError at the first line that is something else
 */
export async function* listedIds(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const splitter = new LineSplitter({ maxBytes: MAX_LINE_BYTES });
  for await (const chunk of chunks) yield* idsOf(splitter.push(chunk));
  yield* idsOf(splitter.end());
}

function* idsOf(lines: readonly Line[]): Generator<string> {
  for (const line of lines) {
    const id = idOf(line);
    if (id !== undefined) yield id;
  }
}

function idOf({ number, bytes }: Line): string | undefined {
  const wrong = (problem: string): AudienceMemberError => new AudienceMemberError(`line ${number}`, problem, number);
  if (bytes === undefined) throw wrong(`longer than ${MAX_LINE_BYTES} bytes`);
  const text = decodeUtf8(bytes);
  if (text === undefined) throw wrong('not valid UTF-8');
  if (text.trim() === '') return undefined;
  const value = parseJson(text);
  if (value === undefined) throw wrong('not valid JSON');
  if (typeof value !== 'string' && !isJsonObject(value)) {
    throw wrong(`expected a JSON string, or an object with a userId, got ${describe(value)}`);
  }
  const id = typeof value === 'string' ? value : value['userId'];
  const problem = userIdProblem(id);
  if (problem !== undefined) throw wrong(describeProblem(problem));
  // What has no problem is text.
  return id as string;
}
