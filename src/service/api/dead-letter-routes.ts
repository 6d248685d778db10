import type { Context } from 'hono';
import type { Destination } from '../../destination/destination.js';
import { ReplayTargetError } from '../../destination/errors.js';
import type { ReplayTo } from '../../destination/letter-changes.js';
import { countDeadLetters } from '../letters/count.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { AdminApi } from './admin-api.js';
import type { DeadLetterFilter, LetterChange, LetterJob } from './answers.js';
import { type Fields, integerOf, momentOf, oneOf, readFields, textOf } from './body.js';
import { findDeadLetter, listDeadLetters } from './dead-letters.js';
import { refusals } from './refusals.js';
import type { Routes } from './router.js';
import { MOST_ID_BYTES } from './target-limits.js';
import { listWaiting } from './waiting-deliveries.js';

const TYPES = ['track', 'identify', 'page', 'screen', 'group', 'alias', 'delete'] as const;
const REASONS = ['permanent', 'retries-used', 'window-over', 'backlog-full'] as const;
const FILTERS = ['endpoint', 'type', 'user', 'reason', 'from', 'to'] as const;
const MEANT = ['id', ...FILTERS] as const;
const STATES = ['dead', 'waiting'] as const;

const MOST_LETTERS = 500;

type DeadLetterRoutes = Omit<
  Routes<'/v1/destinations/:name/'>,
  `PUT ${string}` | `GET ${string}/history` | `POST ${string}/test`
>;

/** What a destination gave up, and what waits: to list, to look at, to replay, to discard. */
export function deadLetterRoutes(api: AdminApi, managedOf: (name: string) => ManagedDestination): DeadLetterRoutes {
  const managedIn = (context: NameContext): ManagedDestination => managedOf(context.req.param('name'));
  const jobOf = async (context: NameContext, id: string): Promise<LetterJob> => {
    const { name } = managedIn(context);
    const job = await api.letterJobs.get(id);
    if (job?.destination === name) return job;
    throw refusals.unknown('job of this id');
  };
  return {
    async 'GET /v1/destinations/:name/dead-letters'(context) {
      const { store } = managedIn(context);
      const limit = integerOf(context, 'limit', { from: 1, to: MOST_LETTERS, otherwise: 50 });
      const filter = queryFilter(context.req.query());
      return listDeadLetters(store, { ...filter, limit, cursor: context.req.query('after') || undefined });
    },
    async 'GET /v1/destinations/:name/dead-letters/count'(context) {
      return countDeadLetters(managedIn(context).store, queryFilter(context.req.query()));
    },
    async 'GET /v1/destinations/:name/dead-letters/:id'(context) {
      const letter = await findDeadLetter(managedIn(context).store, context.req.param('id'));
      if (letter === undefined) throw refusals.unknown('dead letter of this id');
      return letter;
    },
    async 'GET /v1/destinations/:name/waiting'(context) {
      const { store } = managedIn(context);
      const limit = integerOf(context, 'limit', { from: 1, to: MOST_LETTERS, otherwise: 50 });
      const { reason: _, ...filter } = queryFilter(context.req.query());
      return listWaiting(store, { ...filter, limit, after: context.req.query('after') || undefined });
    },
    'POST /v1/destinations/:name/replay': (context) => change('replay', context, managedIn(context), api),
    'POST /v1/destinations/:name/discard': (context) => change('discard', context, managedIn(context), api),
    'GET /v1/destinations/:name/jobs': (context) => api.letterJobs.list(managedIn(context).name),
    'GET /v1/destinations/:name/jobs/:id': (context) => jobOf(context, context.req.param('id')),
    async 'DELETE /v1/destinations/:name/jobs/:id'(context) {
      const job = await jobOf(context, context.req.param('id'));
      return (await api.letterJobs.stop(job.id)) ?? job;
    },
  };
}

/** Of a route with the name of a destination in its path. */
interface NameContext {
  readonly req: { param(name: 'name'): string };
}

async function change(
  act: LetterJob['act'],
  context: Context,
  { name, destination }: ManagedDestination,
  { letterJobs }: AdminApi,
): Promise<LetterChange> {
  const { sendTo, state: given, ...fields } = await readFields(context);
  if (sendTo !== undefined && act === 'discard') throw refusals.invalidField('sendTo', 'there to discard');
  if (given !== undefined && act === 'replay') throw refusals.invalidField('state', 'there to replay');
  const target = targetIn(destination, sendTo);
  const state = oneOf(STATES, 'state', textOf({ state: given }, 'state'), refusals.invalidField);
  const { id, rate, ...filter } = bodyFilter(fields);
  if (state === 'waiting' && filter.reason !== undefined)
    throw refusals.invalidField('reason', 'there with `state`: what waits has not died');
  if (id !== undefined) {
    const meant = { id, ...filter };
    const deliveries = act === 'discard' ? destination.discard({ ...meant, state }) : destination.replay(meant, target);
    return { status: 'done', deliveries: await deliveries.catch(orRefusal) };
  }
  const job = await letterJobs.begin({ act, destination: name, filter: { ...filter, state }, rate, ...target });
  if (job.status === 'running') context.status(202);
  return job;
}

/** The webhook that gets letters of webhooks that are no longer configured. Asked before a job begins: a job has no one to ask. */
function targetIn(destination: Destination, given: unknown): ReplayTo {
  if (given === undefined) return {};
  const sendTo = typeof given === 'string' ? webhookName(given) : undefined;
  if (sendTo === undefined || !destination.isWebhook(sendTo))
    throw refusals.invalidField('sendTo', 'the id or the URL of a webhook that is configured');
  return { sendTo };
}

function orRefusal(error: unknown): never {
  if (error instanceof ReplayTargetError) throw refusals.noTarget(error.message);
  throw error;
}

function queryFilter(query: Record<string, string>): DeadLetterFilter {
  const given = Object.fromEntries(FILTERS.map((name) => [name, query[name] || undefined]));
  return filterOf(given, refusals.invalidQuery);
}

/** Which letters a body means. All of them only when it says so: one that was left empty by mistake means none. */
function bodyFilter(fields: Fields): DeadLetterFilter & { id: string | undefined; rate: number | undefined } {
  const names = [...MEANT, 'all', 'rate', 'state'];
  const unknown = Object.keys(fields).find((name) => !names.includes(name));
  if (unknown !== undefined) throw refusals.invalidField(unknown, `one of ${names.join(', ')}`);
  const given = Object.fromEntries(MEANT.map((name) => [name, textOf(fields, name)]));
  const filter = filterOf(given, refusals.invalidField);
  const { all, rate } = fields;
  if (Buffer.byteLength(given['id'] ?? '') > MOST_ID_BYTES)
    throw refusals.invalidField('id', `text of at most ${MOST_ID_BYTES} bytes`);
  if (all !== undefined && all !== true) throw refusals.invalidField('all', 'true');
  if (all === undefined && Object.values(given).every((value) => value === undefined))
    throw refusals.invalidField('all', `true, and none of ${MEANT.join(', ')} is there`);
  if (rate !== undefined && !(typeof rate === 'number' && rate > 0))
    throw refusals.invalidField('rate', 'a number of deliveries a second above 0');
  return { id: given['id'], rate, ...filter };
}

function filterOf(
  { endpoint, type, user, reason, from, to }: Readonly<Record<string, string | undefined>>,
  refuse: typeof refusals.invalidField,
): DeadLetterFilter {
  return {
    endpoint: webhookName(endpoint),
    type: oneOf(TYPES, 'type', type, refuse),
    user,
    reason: oneOf(REASONS, 'reason', reason, refuse),
    from: momentOf('from', from, refuse),
    to: momentOf('to', to, refuse),
  };
}

/** As a destination names its webhooks: `https://example.com` is `https://example.com/`. */
function webhookName(url: string | undefined): DeadLetterFilter['endpoint'] {
  if (url === undefined) return undefined;
  return URL.canParse(url) ? new URL(url).href : url;
}
