import type { HonoRequest } from 'hono';
import { printable, shorten } from '../../base/text/printable.js';
import type { Route } from './openapi-types.js';
import { parametersOf, type QueryOf, type QueryParameter } from './queries.js';
import { refusals } from './refusals.js';

/** All valid names and ids are shorter than this, and a key in the store has no room for a longer one. */
export const MOST_ID_BYTES = 1_024;

/** @throws ApiRefusal when a part of the path is too long to match anything, or is wrongly encoded */
export function checkTarget(request: HonoRequest): void {
  const { pathname } = new URL(request.url);
  for (const part of pathname.split('/')) checkPart(part);
}

function checkPart(part: string): void {
  const bytes = bytesOf(part);
  if (bytes === undefined) throw refusals.invalidPath('percent-encoded UTF-8 after each `%`', 'something else');
  if (bytes > MOST_ID_BYTES) throw refusals.invalidPath(`parts of at most ${MOST_ID_BYTES} bytes`, `one of ${bytes}`);
}

/** Returns the number of bytes in a decoded part of a URL; undefined if it cannot be decoded. */
export function bytesOf(part: string): number | undefined {
  try {
    return Buffer.byteLength(decodeURIComponent(part));
  } catch {
    return undefined;
  }
}

const LONGEST_NAME = 40;

const shownName = (name: string): string => printable(shorten(name, LONGEST_NAME));

/** Enough for the URL of a webhook. */
const MOST_BYTES = 2_048;

/**
 * Reads the query of a request. It refuses parameters that are misspelt, empty, repeated or wrong, because silently ignoring a
 * filter would select everything. The page, health and metrics accept any parameter, because browsers and proxies add their own.
 *
 * @throws ApiRefusal
 */
export function readQuery<R extends Route>(route: R, search: string): QueryOf<R> {
  const query: Record<string, unknown> = {};
  if (!route.includes(' /v1/')) return query as QueryOf<R>;
  const known = parametersOf(route);
  assertEncoded(search);
  const given = new URLSearchParams(search);
  for (const [name, text] of given) {
    if (!Object.hasOwn(known, name)) throw refusals.unknownQuery(shownName(name), Object.keys(known).join(', '));
    const { expected, read } = known[name] as QueryParameter<unknown>;
    if (Object.hasOwn(query, name)) throw refusals.repeatedQuery(name, expected, given.getAll(name).length);
    if (Buffer.byteLength(text) > MOST_BYTES) throw refusals.invalidQuery(name, `at most ${MOST_BYTES} bytes`, text);
    query[name] = text === '' ? undefined : read(text);
    if (query[name] === undefined) throw refusals.invalidQuery(name, expected, text);
  }
  // The table guarantees that the values have the types of the query.
  return query as QueryOf<R>;
}

/** Refuses what cannot be decoded, for which `URLSearchParams` would read a character that nobody has sent. */
function assertEncoded(search: string): void {
  for (const pair of search.replace('?', '').split('&')) {
    const [name = '', text = name] = pair.split('=', 2);
    if (bytesOf(pair) === undefined) throw refusals.invalidQuery(shownName(name), 'percent-encoded UTF-8', text);
  }
}
