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
  'GET destinations': ({ destinations }) => destinations,
  'PUT destinations/:name/enabled': (held, { name, body }) => {
    const destination = held.destinations.find((each) => each.name === name);
    if (destination !== undefined) destination.enabled = body['enabled'] === true;
    return destination;
  },
  'GET destinations/:name/dead-letters': (held, call) => pageOf(lettersOf(held, call.name, filterOf(call)), call.query),
  'GET destinations/:name/dead-letters/count': (held, call) => ({
    deliveries: deliveriesOf(lettersOf(held, call.name, filterOf(call))),
  }),
  'GET destinations/:name/dead-letters/:id': ({ letters }, { name, rest: [, id] }) => {
    const letter = letters[name]?.find((each) => each.id === id);
    return letter && { ...letter, body: messageOf(letter) };
  },
  'GET destinations/:name/jobs/:id': ({ jobs }, { rest: [, id] }) => jobs[id ?? '']?.shift(),
  'POST destinations/:name/replay': remove,
  'POST destinations/:name/discard': remove,
  'GET deliveries/:name': ({ explanations }, { name }) => explanations[name],
  'GET audiences': ({ audiences }) => audiences,
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
  const counted = { users, notifications: users * names.length, done: 0, status: 'running' as const };
  const deletion = { id: `d${held.deletions.length + 1}`, at: new Date().toISOString(), sources: names, ...counted };
  held.deletions = [deletion, ...held.deletions];
  return deletion;
}

type Filter = Readonly<Record<'id' | 'endpoint' | 'type' | 'reason', unknown>>;

const filterOf = ({ query }: Call): Filter => ({
  id: undefined,
  endpoint: query.get('endpoint'),
  type: query.get('type'),
  reason: query.get('reason'),
});

function lettersOf(held: Holdings, name: string, { id, endpoint, type, reason }: Filter): DeadLetter[] {
  return (held.letters[name] ?? []).filter(
    (letter) =>
      (!id || letter.id === id) &&
      (!type || letter.type === type) &&
      (!reason || letter.endpoints.some((each) => each.reason === reason)) &&
      (!endpoint || letter.endpoints.some(({ url }) => url === endpoint)),
  );
}

function remove(held: Holdings, { name, body: { id, endpoint, type, reason } }: Call): object {
  const meant = lettersOf(held, name, { id, endpoint, type, reason });
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

function pageOf(letters: readonly DeadLetter[], query: URLSearchParams): object {
  const limit = Number(query.get('limit') ?? 50);
  const begin = letters.findIndex(({ id }) => id === query.get('after')) + 1;
  const page = letters.slice(begin, begin + limit);
  return { letters: page, ...(begin + limit < letters.length && { next: page.at(-1)?.id }) };
}
