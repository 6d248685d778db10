import { Hono } from 'hono';
import type { Destination } from '../../destination/destination.js';
import { ReplayTargetError } from '../../destination/errors.js';
import type { ReplayTo } from '../../destination/replay-targets.js';
import { EXPECTED_TIMESTAMP, toIso } from '../../protocol/timestamp.js';
import { countDeadLetters } from '../letters/count.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { AdminApi } from './admin-api.js';
import type { DeadLetterFilter, LetterJob } from './answers.js';
import { type Fields, integerOf, readFields, textOf } from './body.js';
import { findDeadLetter, listDeadLetters } from './dead-letters.js';
import type { Env } from './env.js';
import { refusals } from './refusals.js';
import { MOST_ID_BYTES } from './target-limits.js';

const TYPES = ['track', 'identify', 'page', 'screen', 'group', 'alias', 'delete'] as const;
const REASONS = ['permanent', 'retries-used', 'window-over', 'backlog-full'] as const;
const FILTERS = ['endpoint', 'type', 'reason', 'from', 'to'] as const;
const MEANT = ['id', ...FILTERS] as const;

const MOST_LETTERS = 500;

/** What a destination gave up: to list, to look at, to replay, to discard. */
export function deadLetterRoutes(api: AdminApi, managedOf: (name: string) => ManagedDestination): Hono<Env> {
  const routes = new Hono<Env>();
  routes.get('/:name/dead-letters', async (context) => {
    const managed = managedOf(context.req.param('name'));
    const limit = integerOf(context, 'limit', { from: 1, to: MOST_LETTERS, otherwise: 50 });
    const filter = queryFilter(context.req.query());
    return context.json(await listDeadLetters(managed.store, { ...filter, limit, cursor: context.req.query('after') }));
  });
  routes.get('/:name/dead-letters/count', async (context) => {
    const { store } = managedOf(context.req.param('name'));
    const filter = queryFilter(context.req.query());
    const uncounted = (['from', 'to'] as const).find((name) => filter[name] !== undefined);
    if (uncounted !== undefined)
      throw refusals.invalidQuery(uncounted, 'absent: dead letters are counted by endpoint, type and reason');
    return context.json({ deliveries: await countDeadLetters(store, filter) });
  });
  routes.get('/:name/dead-letters/:id', async (context) => {
    const letter = await findDeadLetter(managedOf(context.req.param('name')).store, context.req.param('id'));
    if (letter === undefined) throw refusals.unknown('dead letter of this id');
    return context.json(letter);
  });
  for (const act of ['replay', 'discard'] as const) {
    routes.post(`/:name/${act}`, async (context) => {
      const { name, destination } = managedOf(context.req.param('name'));
      const { sendTo, ...fields } = await readFields(context);
      if (sendTo !== undefined && act === 'discard') throw refusals.invalidField('sendTo', 'there to discard');
      const target = targetIn(destination, sendTo);
      const { id, rate, ...filter } = bodyFilter(fields);
      if (id !== undefined)
        return context.json({
          status: 'done',
          deliveries: await destination[act]({ id, ...filter }, target).catch(orRefusal),
        });
      const report = await api.letterJobs.begin({ act, destination: name, filter, rate, ...target });
      return context.json(report, report.status === 'running' ? 202 : 200);
    });
  }
  addJobs(routes, api, managedOf);
  return routes;
}

/** The webhook that gets the letters of those which are configured no more. Asked before a job begins, which is told of nobody. */
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

/** Replays and discards that run, or did in the last week. */
function addJobs(routes: Hono<Env>, { letterJobs }: AdminApi, managedOf: (name: string) => ManagedDestination): void {
  const known = (report: LetterJob | undefined, destination: string): LetterJob => {
    if (report?.destination === destination) return report;
    throw refusals.unknown('job of this id');
  };
  routes.get('/:name/jobs', async (context) =>
    context.json(await letterJobs.list(managedOf(context.req.param('name')).name)),
  );
  routes.get('/:name/jobs/:id', async (context) => {
    const { name } = managedOf(context.req.param('name'));
    return context.json(known(await letterJobs.get(context.req.param('id')), name));
  });
  routes.delete('/:name/jobs/:id', async (context) => {
    const { name } = managedOf(context.req.param('name'));
    known(await letterJobs.get(context.req.param('id')), name);
    return context.json(known(await letterJobs.stop(context.req.param('id')), name));
  });
}

function queryFilter(query: Record<string, string>): DeadLetterFilter {
  const given = Object.fromEntries(FILTERS.map((name) => [name, query[name] || undefined]));
  return filterOf(given, refusals.invalidQuery);
}

/** Which letters a body means. All of them only when it says so: one that was left empty by mistake means none. */
function bodyFilter(fields: Fields): DeadLetterFilter & { id: string | undefined; rate: number | undefined } {
  const names = [...MEANT, 'all', 'rate'];
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
  { endpoint, type, reason, from, to }: Readonly<Record<string, string | undefined>>,
  refuse: typeof refusals.invalidField,
): DeadLetterFilter {
  return {
    endpoint: webhookName(endpoint),
    type: oneOf(TYPES, 'type', type, refuse),
    reason: oneOf(REASONS, 'reason', reason, refuse),
    from: momentOf('from', from, refuse),
    to: momentOf('to', to, refuse),
  };
}

function oneOf<T extends string>(
  known: readonly T[],
  name: string,
  given: string | undefined,
  refuse: typeof refusals.invalidField,
): T | undefined {
  const found = known.find((each) => each === given);
  if (given !== undefined && found === undefined) throw refuse(name, `one of ${known.join(', ')}`);
  return found;
}

function momentOf(name: string, given: string | undefined, refuse: typeof refusals.invalidField): string | undefined {
  if (given === undefined) return undefined;
  const iso = toIso(given);
  if (iso === undefined) throw refuse(name, EXPECTED_TIMESTAMP);
  return iso;
}

/** As a destination names its webhooks: `https://example.com` is `https://example.com/`. */
function webhookName(url: string | undefined): DeadLetterFilter['endpoint'] {
  if (url === undefined) return undefined;
  return URL.canParse(url) ? new URL(url).href : url;
}
