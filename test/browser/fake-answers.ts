import type { DeadLetter, DeletionReport } from '../../src/service/api/answers.js';
import type { Holdings } from './fake-holdings.js';

/** A call of the API, by one who is signed in. */
export interface Call {
  /** The second part of the path: a name or an id. */
  readonly name: string;
  /** The parts after it. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
}

/** By method and path, in which `:name` is any part. Undefined is an answer 404. */
const ANSWERS: Readonly<Record<string, (held: Holdings, call: Call) => unknown>> = {
  'GET status': ({ status }) => status,
  'GET sources': ({ sources }) => sources,
  'GET sources/:name/counts': ({ counts }, { name }) => counts[name],
  'GET sources/:name/history': ({ sourceHistory }) => sourceHistory,
  'GET sources/:name/rejections': ({ rejections }, { name }) => rejections[name] ?? [],
  'GET sources/:name/violations': ({ violations }, { name }) => violations[name] ?? [],
  'GET destinations': ({ destinations }) => destinations,
  'GET destinations/:name': ({ destinations }, { name }) => destinations.find((each) => each.name === name),
  'GET destinations/:name/history': ({ history }, { query }) => history[query.get('range') ?? '1h'],
  'PUT destinations/:name/paused': (held, { name, body }) => {
    const destination = held.destinations.find((each) => each.name === name);
    if (destination !== undefined) destination.paused = body['paused'] === true;
    return destination;
  },
  'POST destinations/:name/test': ({ tested }) => tested,
  'PUT destinations/:name/enabled': (held, { name, body }) => {
    const destination = held.destinations.find((each) => each.name === name);
    if (destination !== undefined) destination.enabled = body['enabled'] === true;
    return destination;
  },
  'GET destinations/:name/dead-letters': (held, call) => pageOf(lettersOf(held, call.name, filterOf(call)), call.query),
  'GET destinations/:name/dead-letters/count': (held, call) => ({
    deliveries: deliveriesOf(lettersOf(held, call.name, filterOf(call))),
    ...(held.hasMoreLetters && { hasMore: true }),
  }),
  'GET destinations/:name/dead-letters/:id': ({ letters }, { name, rest: [, id] }) => {
    const letter = letters[name]?.find((each) => each.id === id);
    return letter && { ...letter, body: messageOf(letter) };
  },
  'DELETE destinations/:name/jobs/:id': ({ jobs }, { rest: [, id = ''] }) => {
    const [job] = jobs[id] ?? [];
    jobs[id] = job === undefined ? [] : [{ ...job, status: 'stopped' }];
    return job;
  },
  'GET destinations/:name/jobs/:id': ({ jobs }, { rest: [, id] }) => jobs[id ?? '']?.shift(),
  'POST destinations/:name/replay': remove,
  'POST destinations/:name/discard': remove,
  'GET deliveries': (held, call) => deliveriesPage(held, call),
  'GET deliveries/:name': ({ explanations }, { name }) => explanations[name],
  'GET audiences': ({ audiences }) => audiences,
  'GET traits': ({ traits }) => traits,
  'GET deletions': ({ deletions }) => deletions,
  'POST deletions': (held, { body }) => addDeletion(held, body as { userIds: string[]; sources?: string[] }),
};

/** What `GET /v1/sources` and the others answer. */
export function answerTo(
  held: Holdings,
  { method = '', url }: { method: string | undefined; url: URL },
  body: Call['body'],
): unknown {
  const [what, name, ...rest] = url.pathname.split('/').slice(2).map(decodeURIComponent);
  const path = [what, ...(name === undefined ? [] : [':name']), ...rest].join('/');
  const answer = ANSWERS[`${method} ${path}`] ?? ANSWERS[`${method} ${path.replace(/[^/]+$/, ':id')}`];
  return answer?.(held, { name: name ?? '', rest, query: url.searchParams, body });
}

function addDeletion(held: Holdings, { userIds, sources }: { userIds: string[]; sources?: string[] }): DeletionReport {
  const names = sources ?? held.sources.map(({ name }) => name);
  const users = userIds.length;
  const counted = { users, notifications: users * names.length, done: 0, erased: 0, status: 'running' as const };
  const deletion = { id: `d${held.deletions.length + 1}`, at: new Date().toISOString(), sources: names, ...counted };
  held.deletions = [deletion, ...held.deletions];
  return deletion;
}

type Filter = Readonly<Record<'id' | 'endpoint' | 'type' | 'reason' | 'from' | 'to', unknown>>;

const filterOf = ({ query }: Call): Filter => ({
  id: undefined,
  endpoint: query.get('endpoint'),
  type: query.get('type'),
  reason: query.get('reason'),
  from: query.get('from'),
  to: query.get('to'),
});

function lettersOf(held: Holdings, name: string, filter: Filter): DeadLetter[] {
  const { id, endpoint, type, reason, from, to } = filter;
  return (held.letters[name] ?? []).filter(
    (letter) =>
      (!id || letter.id === id) &&
      (!type || letter.type === type) &&
      (!reason || letter.endpoints.some((each) => each.reason === reason)) &&
      (!endpoint || letter.endpoints.some(({ url }) => url === endpoint)) &&
      (!from || letter.acceptedAt >= String(from)) &&
      (!to || letter.acceptedAt < String(to)),
  );
}

function remove(held: Holdings, { name, body }: Call): object {
  const { id, endpoint, type, reason, from, to } = body;
  const meant = lettersOf(held, name, { id, endpoint, type, reason, from, to });
  const left = (held.letters[name] ?? []).filter((letter) => !meant.includes(letter));
  held.letters[name] = left;
  for (const destination of held.destinations) if (destination.name === name) destination.deadLetters = left.length;
  const [job] = Object.values(held.jobs);
  if (job !== undefined) return job.shift() ?? {};
  return { status: 'done', deliveries: deliveriesOf(meant) };
}

/** What `explain` says nothing of. */
const messageOf = ({ id: messageId, type, event, userId }: DeadLetter): object => ({
  type,
  messageId,
  userId,
  event,
  properties: { total: 42 },
});

const deliveriesOf = (letters: readonly DeadLetter[]): number =>
  letters.reduce((total, { endpoints }) => total + endpoints.length, 0);

/** Those that match, as far as the fake does: the field's text is in the field. */
function deliveriesPage({ deliveries }: Holdings, { query }: Call): object {
  const given = (name: string): string => query.get(name) ?? '';
  const found = deliveries.filter(
    (each) =>
      each.id.includes(given('id')) &&
      (each.userId ?? '').includes(given('user')) &&
      (each.event ?? each.type).includes(given('event')) &&
      each.webhook.url.includes(given('endpoint')) &&
      each.result.startsWith(given('status').replace(/xx$/, '')) &&
      each.destination.includes(given('destination')) &&
      each.phase.includes(given('phase')) &&
      (given('from') === '' || each.lastAttemptAt >= given('from')) &&
      (given('to') === '' || each.lastAttemptAt < given('to')),
  );
  const [begin, limit] = [Number(given('after')), Number(given('limit') || 50)];
  const end = begin + limit;
  const since = deliveries.at(-1)?.lastAttemptAt ?? null;
  return { deliveries: found.slice(begin, end), ...(end < found.length && { next: String(end) }), since };
}

function pageOf(letters: readonly DeadLetter[], query: URLSearchParams): object {
  const limit = Number(query.get('limit') ?? 50);
  const begin = letters.findIndex(({ id }) => id === query.get('after')) + 1;
  const page = letters.slice(begin, begin + limit);
  return { letters: page, ...(begin + limit < letters.length && { next: page.at(-1)?.id }) };
}
