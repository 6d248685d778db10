import { printable, shorten } from '../../base/text/printable.js';
import type { Api, Route } from './openapi-types.js';
import { refusals } from './refusals.js';

type Queried = { [R in Route]: Api[R] extends { query: object } ? R : never }[Route];

const HISTORY = { range: true } as const;
const PAGE = { limit: true, after: true } as const;

/** The names of the query of each route that has one. A name that is forgotten here, or that there is none of, does not compile. */
const NAMES: { readonly [R in Queried]: Readonly<Record<keyof Api[R]['query'], true>> } = {
  'GET /v1/feed': { source: true, after: true },
  'GET /v1/changes': PAGE,
  'GET /v1/sources': { q: true, ...PAGE },
  'GET /v1/destinations': { q: true, state: true, sort: true, reversed: true, ...PAGE },
  'GET /v1/jobs': PAGE,
  'GET /v1/audiences': PAGE,
  'GET /v1/traits': PAGE,
  'GET /v1/sources/:name/counts': { hours: true },
  'GET /v1/sources/:name/history': HISTORY,
  'GET /v1/deliveries': {
    ...{
      destination: true,
      id: true,
      user: true,
      event: true,
      endpoint: true,
      status: true,
      phase: true,
      reason: true,
    },
    ...{ by: true, from: true, to: true, count: true, ...PAGE },
  },
  'GET /v1/destinations/:name/history': HISTORY,
  'GET /v1/deletions': PAGE,
  'PUT /v1/audiences/:name': { standardTrait: true },
};

const LONGEST_NAME = 40;

const isQueried = (route: string): route is Queried => Object.hasOwn(NAMES, route);

/**
 * Refuses a name that the route does not know: a filter that is misspelt would otherwise mean everything. The page, health and metrics
 * take any, as browsers and proxies add some.
 */
export function checkQueryNames(route: string, given: Iterable<string>): void {
  if (!route.includes(' /v1/')) return;
  const known = isQueried(route) ? Object.keys(NAMES[route]) : [];
  for (const name of given) {
    if (!known.includes(name)) throw refusals.unknownQuery(printable(shorten(name, LONGEST_NAME)), known.join(', '));
  }
}
