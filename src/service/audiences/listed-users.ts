import { decodeUtf8, parseJson } from '../../base/text/decode.js';
import { lossIn } from '../../base/text/json-loss.js';
import { linesIn, type TextLine } from '../../base/text/lines.js';
import { syncErrors } from './audience-errors.js';
import { type Listed, memberIn, valueIn } from './given-users.js';
import type { ListKind } from './named.js';

/** Enough for the longest id and the longest value even if most of their characters are escaped. */
export const MAX_LINE_BYTES: Readonly<Record<ListKind, number>> = { audience: 10_000, trait: 20_000 };

/**
 * Reads the users from newline-delimited JSON, one in each line: members of an audience, or users with their value of a trait.
 * Empty lines are skipped.
 *
 * @throws SyncError at the first line that is too long, is not JSON in UTF-8, or does not describe a user
 */
export async function* listedUsers(kind: ListKind, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Listed> {
  for await (const lines of linesIn(chunks, MAX_LINE_BYTES[kind])) yield* usersIn(kind, lines);
}

function* usersIn(kind: ListKind, lines: readonly TextLine[]): Generator<Listed> {
  for (const { number, bytes } of lines) {
    const user = bytes === undefined ? `longer than ${MAX_LINE_BYTES[kind]} bytes` : userIn(kind, bytes);
    if (typeof user === 'string') throw syncErrors.entry(kind, `line ${number}`, user, number);
    if (user !== undefined) yield user;
  }
}

/** Returns undefined for an empty line, and the reason as text for a wrong one. */
function userIn(kind: ListKind, bytes: Uint8Array): Listed | string | undefined {
  const text = decodeUtf8(bytes);
  if (text === undefined) return 'not valid UTF-8';
  if (text.trim() === '') return undefined;
  const value = parseJson(text);
  if (value === undefined) return 'not valid JSON';
  return lossIn(text, value) ?? (kind === 'audience' ? memberIn(value) : valueIn(value));
}
