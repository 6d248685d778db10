import type { DestinationPage, DestinationReport, SourcePage } from '../../src/service/api/answer-types.js';
import type { DeliveryReport } from '../../src/service/api/delivery-answers.js';
import { inOrder } from '../../src/service/api/destination-list.js';
import { STATES, stateOf } from '../../src/service/api/destination-state.js';
import type { Holdings } from './fake-holdings.js';

/** A call of the API by a signed-in user. */
export interface Call {
  /** The second part of the path: a name or an id. */
  readonly name: string;
  /** The parts of the path after the name. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The answers by method and path, in which `:name` is any part. Undefined is answered with 404. */
const ANSWERS: Readonly<Record<string, (held: Holdings, call: Call) => unknown>> = {
  'GET status': ({ status }) => status,
  'GET sources': sourcesPage,
  'GET sources/:name/counts': ({ counts }, { name }) => counts[name],
  'GET sources/:name/history': ({ sourceHistory }) => sourceHistory,
  'GET sources/:name/rejections': ({ rejections }, { name }) => rejections[name] ?? [],
  'GET sources/:name/violations': ({ violations }, { name }) => violations[name] ?? [],
  'GET destinations': destinationsPage,
  'GET destinations/:name': ({ destinations }, { name }) => reportOf(destinations.find((each) => each.name === name)),
  'GET destinations/:name/errors': ({ errors }) => errors,
  'GET destinations/:name/history': ({ history }, { query }) => history[query.get('range') ?? '1h'],
  'PUT destinations/:name/paused': (held, { name, body }) => {
    const destination = held.destinations.find((each) => each.name === name);
    if (destination !== undefined) destination.paused = body['paused'] === true;
    if (destination !== undefined)
      destination.pausedBy = destination.paused ? { by: 'ana', at: new Date().toISOString() } : null;
    return reportOf(destination);
  },
  'POST destinations/:name/test': ({ tested }) => tested,
  'PUT destinations/:name/enabled': (held, { name, body }) => {
    const destination = held.destinations.find((each) => each.name === name);
    if (destination !== undefined) destination.enabled = body['enabled'] === true;
    if (destination !== undefined)
      destination.switchedBy = destination.enabled ? null : { by: 'ana', at: new Date().toISOString() };
    return reportOf(destination);
  },
  'GET jobs': ({ jobs }) => Object.values(jobs).flatMap((states) => states[0] ?? []),
  'DELETE jobs/:name': ({ jobs }, { name }) => {
    const [job] = jobs[name] ?? [];
    jobs[name] = job === undefined ? [] : [{ ...job, status: 'stopped', endedAt: new Date().toISOString() }];
    return job;
  },
  'POST deliveries/replay': remove,
  'POST deliveries/discard': remove,
  'GET deliveries': (held, call) => deliveriesPage(held, call),
  'GET deliveries/:name': ({ explanations }, { name }) => explanations[name],
  'GET audiences': ({ audiences }) => audiences,
  'GET traits': ({ traits }) => traits,
  'GET deletions': ({ deletions }) => deletions,
  'GET changes': ({ changes }) => changes,
  'POST deletions': (held, { body }) => addDeletion(held, body as unknown as AskedDeletion),
};

/** Returns the answer to `GET /v1/sources` and the other routes. */
export function answerTo(
  held: Holdings,
  { method = '', url }: { method: string | undefined; url: URL },
  body: Call['body'],
): unknown {
  const [what, name, ...rest] = url.pathname.split('/').slice(2).map(decodeURIComponent);
  const path = [what, ...(name === undefined ? [] : [':name']), ...rest].join('/');
  const answer =
    ANSWERS[`${method} ${what}/${name}`] ??
    ANSWERS[`${method} ${path}`] ??
    ANSWERS[`${method} ${path.replace(/[^/]+$/, ':id')}`];
  return answer?.(held, { name: name ?? '', rest, query: url.searchParams, body });
}

interface AskedDeletion {
  readonly userIds: readonly string[];
  readonly sources: 'all' | readonly string[];
  readonly dryRun?: true;
}

function addDeletion(held: Holdings, { userIds, sources, dryRun }: AskedDeletion): object {
  const names = sources === 'all' ? held.sources.map(({ name }) => name) : sources;
  const users = userIds.length;
  const bySource = names.map((source) => ({ source, destinations: ['CRM'], waiting: 4, dead: 1, attempts: 11 }));
  if (dryRun) return { users, notifications: users * names.length, memberships: 3, bySource };
  const counted = { users, notifications: users * names.length, done: 0, erased: 0, status: 'running' as const };
  const deletion = {
    id: `d${held.deletions.length + 1}`,
    at: new Date().toISOString(),
    sources: names,
    limited: sources !== 'all',
    ...counted,
  };
  held.deletions = [deletion, ...held.deletions];
  return deletion;
}

/** Returns the matching deliveries. The fake only checks whether a field contains the text. */
function matching({ deliveries, letters }: Holdings, given: (name: string) => string): readonly DeliveryReport[] {
  const all = given('phase') === 'dead' ? letters : deliveries;
  const timeOf = (each: DeliveryReport): string =>
    given('by') === 'acceptance' ? each.acceptedAt : (each.lastAttemptAt ?? each.acceptedAt);
  return all.filter(
    (each) =>
      each.id.includes(given('id')) &&
      (each.userId ?? '').includes(given('user')) &&
      (each.event ?? each.type).includes(given('event')) &&
      each.webhook.url.includes(given('endpoint')) &&
      (each.result ?? '').startsWith(given('status').replace(/xx$/, '')) &&
      each.destination.includes(given('destination')) &&
      (each.reason ?? '').includes(given('reason')) &&
      each.phase.includes(given('phase')) &&
      (given('from') === '' || timeOf(each) >= given('from')) &&
      (given('to') === '' || timeOf(each) < given('to')),
  );
}

function deliveriesPage(held: Holdings, { query }: Call): object {
  const given = (name: string): string => query.get(name) ?? '';
  const found = matching(held, given);
  const [begin, limit] = [Number(given('after')), Number(given('limit') || 50)];
  const end = begin + limit;
  const oldestKept = held.deliveries.at(-1)?.lastAttemptAt ?? null;
  return {
    deliveries: found.slice(begin, end),
    ...(end < found.length && { next: String(end) }),
    ...(given('count') !== '' && {
      count: { deliveries: found.length, ...(held.hasMoreLetters && { hasMore: true }) },
    }),
    ...(given('phase') !== 'dead' && { oldestKept }),
  };
}

function remove(held: Holdings, { body }: Call): object {
  const filter = { ...body, phase: 'dead', destination: body['destination'] === 'all' ? '' : body['destination'] };
  const meant = matching(held, (name) => String((filter as Call['body'])[name] ?? ''));
  held.letters = held.letters.filter((letter) => !meant.includes(letter));
  for (const destination of held.destinations)
    destination.deadLetters = held.letters.filter((letter) => letter.destination === destination.name).length;
  const [job] = Object.values(held.jobs);
  if (job !== undefined) return job[0] ?? {};
  return { status: 'done', destination: body['destination'] ?? 'CRM', deliveries: meant.length };
}

/** Returns the report with its current state; a removed destination stays removed. */
function reportOf<T extends DestinationReport | undefined>(report: T): T {
  return report && { ...report, state: stateOf(report, report.state === 'removed') };
}

function destinationsPage(held: Holdings, { query }: Call): DestinationPage {
  const destinations = held.destinations.map((report) => reportOf(report));
  const given = (name: string): string => (query.get(name) ?? '').toLowerCase();
  const found = inOrder(
    destinations.filter(
      ({ name, state, sources, endpoints }) =>
        (given('state') === '' || state === given('state')) &&
        [name, ...sources, ...endpoints.map(({ url }) => url)].some((each) => each.toLowerCase().includes(given('q'))),
    ),
    (query.get('sort') ?? undefined) as Parameters<typeof inOrder>[1],
    given('reversed') === 'true',
  );
  const after = query.get('after');
  const begin = after === null ? 0 : found.findIndex(({ name }) => name === after) + 1;
  const points = destinations.flatMap(({ lastHour }) => lastHour.points);
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
  const count = (state: string): number => destinations.filter((each) => each.state === state).length;
  return {
    destinations: found.slice(begin, begin + Number(query.get('limit') ?? found.length)),
    found: found.length,
    summary: {
      states: Object.fromEntries(STATES.map((state) => [state, count(state)])) as DestinationPage['summary']['states'],
      waiting: sum(destinations.map(({ waiting }) => waiting)),
      oldestWaitingAt: destinations.flatMap(({ oldestWaitingAt }) => oldestWaitingAt ?? []).toSorted()[0] ?? null,
      deadLetters: sum(destinations.map(({ deadLetters }) => deadLetters)),
      lastHour: {
        delivered: sum(points.map(({ delivered }) => delivered)),
        failed: sum(points.map(({ failed }) => failed)),
      },
    },
  };
}

function sourcesPage({ sources }: Holdings, { query }: Call): SourcePage {
  const needle = (query.get('q') ?? '').toLowerCase();
  const sort = query.get('sort') as keyof SourcePage['lastHour'] | null;
  const found = sources
    .filter(({ name }) => name.toLowerCase().includes(needle))
    .sort((one, other) => (sort === null ? 0 : other.lastHour[sort] - one.lastHour[sort]));
  const begin = found.findIndex(({ name }) => name === query.get('after')) + 1;
  const sum = (what: keyof SourcePage['lastHour']): number =>
    sources.reduce((total, { lastHour }) => total + lastHour[what], 0);
  return {
    sources: found.slice(begin, begin + Number(query.get('limit') ?? found.length)),
    found: found.length,
    lastHour: {
      received: sum('received'),
      rejected: sum('rejected'),
      blocked: sum('blocked'),
      forwarded: sum('forwarded'),
    },
  };
}
