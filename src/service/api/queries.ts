import { printable, shorten } from '../../base/text/printable.js';
import { EVENT_HOURS } from '../../ledger/counts/steps.js';
import { STATES } from './destination-state.js';
import type { Api, Route } from './openapi-types.js';
import { FILTER } from './query-filter.js';
import { anyText, integer, oneOf, type QueryParameter, type QueryParameters, textThat } from './query-parameters.js';
import { refusals } from './refusals.js';
import { bytesOf } from './target-limits.js';

/** The query parameters of a route, in the form in which its handler receives them. */
export type QueryOf<R extends Route> = Api[R] extends { query: infer Query } ? Query : Readonly<Record<string, never>>;

type Queried = { [R in Route]: Api[R] extends { query: object } ? R : never }[Route];

const RANGE = { range: oneOf('1h', '24h', '7d') } as const;
const PAGE = { limit: integer(1, 1_000), after: anyText } as const;
const IDS = {
  ...PAGE,
  after: textThat('the `id` of the last one of the page before', (id) => /^[0-9a-z]{9}-/.test(id)),
} as const;

/** What each parameter accepts, by route. A missing or unknown name does not compile. */
const QUERIES: { readonly [R in Queried]: QueryParameters<QueryOf<R>> } = {
  'GET /v1/feed': {
    source: anyText,
    after: textThat('the id of an event of the feed', (id) => /^[\w-]+:\d{1,15}$/.test(id)),
  },
  'GET /v1/changes': IDS,
  'GET /v1/sources': { q: anyText, sort: oneOf('name', 'received', 'forwarded', 'blocked', 'rejected'), ...PAGE },
  'GET /v1/destinations': {
    q: anyText,
    state: oneOf(...STATES),
    sort: oneOf('state', 'name', 'success', 'p50', 'p95', 'waiting', 'dead'),
    reversed: oneOf('true'),
    ...PAGE,
  },
  'GET /v1/jobs': PAGE,
  'GET /v1/audiences': PAGE,
  'GET /v1/traits': PAGE,
  'GET /v1/sources/:name/counts': { hours: integer(1, EVENT_HOURS.count) },
  'GET /v1/sources/:name/history': RANGE,
  'GET /v1/deliveries': {
    ...FILTER,
    phase: oneOf('delivered', 'spared', 'waiting', 'dead'),
    count: oneOf('true'),
    limit: integer(1, 500),
    after: anyText,
  },
  'GET /v1/destinations/:name/history': RANGE,
  'GET /v1/deletions': IDS,
  'PUT /v1/audiences/:name': { standardTrait: oneOf('allow') },
};

const LONGEST_NAME = 40;

const shownName = (name: string): string => printable(shorten(name, LONGEST_NAME));

/** Enough for the URL of a webhook. */
const MOST_BYTES = 2_048;

const isQueried = (route: string): route is Queried => Object.hasOwn(QUERIES, route);

/**
 * Reads the query of a request. It refuses parameters that are misspelt, empty, repeated or wrong, because silently ignoring a
 * filter would select everything. The page, health and metrics accept any parameter, because browsers and proxies add their own.
 *
 * @throws ApiRefusal
 */
export function readQuery<R extends Route>(route: R, search: string): QueryOf<R> {
  const query: Record<string, unknown> = {};
  if (!route.includes(' /v1/')) return query as QueryOf<R>;
  const known: Readonly<Record<string, QueryParameter<unknown>>> = isQueried(route) ? QUERIES[route] : {};
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
