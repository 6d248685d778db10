import { EXPECTED_ENDING, isEnding } from '../../delivery/attempt-outcome.js';
import { DEATH_REASONS } from '../../delivery/state.js';
import { EVENT_HOURS } from '../../ledger/counts/steps.js';
import { toIso } from '../../protocol/timestamp.js';
import type { DeliveryFilter } from './delivery-answers.js';
import { STATES } from './destination-state.js';
import type { Api, Route } from './openapi-types.js';

/** One parameter of a query, or one text field of a filter. */
export interface QueryParameter<T> {
  readonly expected: string;
  /** Returns the value that a text stands for; undefined if the text is not valid. */
  read(text: string): T | undefined;
}

/** The parameters of a query, by name. */
export type QueryParameters<Query> = { readonly [N in keyof Query]-?: QueryParameter<NonNullable<Query[N]>> };

export const anyText: QueryParameter<string> = { expected: 'a non-empty string', read: (text) => text };

export const textThat = (expected: string, holds: (text: string) => boolean): QueryParameter<string> => ({
  expected,
  read: (text) => (holds(text) ? text : undefined),
});

export const integer = (from: number, to: number): QueryParameter<number> => ({
  expected: `an integer from ${from} to ${to}`,
  read(text) {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return value >= from && value <= to ? value : undefined;
  },
});

export const oneOf = <T extends string>(...words: readonly T[]): QueryParameter<T> => ({
  expected: `one of ${words.join(', ')}`,
  read: (text) => words.find((word) => word === text),
});

/** A time, normalized to ISO 8601 in UTC. */
export const moment: QueryParameter<string> = {
  expected: 'an ISO 8601 time with Z or an offset',
  read: (text) => toIso(text),
};

/** What each field of a filter accepts, both in a query and in a body. */
export const FILTER: QueryParameters<DeliveryFilter> = {
  ...{ destination: anyText, id: anyText, user: anyText, event: anyText, endpoint: anyText },
  status: textThat(EXPECTED_ENDING, isEnding),
  reason: oneOf(...DEATH_REASONS),
  by: oneOf('attempt', 'acceptance'),
  ...{ from: moment, to: moment },
};

/** The query parameters of a route, in the form in which its handler receives them. */
export type QueryOf<R extends Route> = Api[R] extends { query: infer Query } ? Query : Readonly<Record<string, never>>;

type Queried = { [R in Route]: Api[R] extends { query: object } ? R : never }[Route];

const RANGE = { range: oneOf('1h', '24h', '7d') } as const;
const PAGE = { limit: integer(1, 1_000), after: anyText } as const;
const IDS = {
  ...PAGE,
  after: textThat('the `id` of the last one of the page before', (id) => /^[0-9a-z]{9}-[0-9a-f-]{1,13}$/.test(id)),
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

/** Returns the parameters that the query of a route may have, by their names. */
export const parametersOf = (route: Route): Readonly<Record<string, QueryParameter<unknown>>> =>
  Object.hasOwn(QUERIES, route) ? QUERIES[route as Queried] : {};
