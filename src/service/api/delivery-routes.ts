import { setImmediate } from 'node:timers/promises';
import type { Context } from 'hono';
import { sourcedId } from '../../delivery/names.js';
import type { SourceConfig } from '../config/config.js';
import type { Found } from '../recent/search.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { AdminApi } from './admin-api.js';
import { integerOf, momentOf, oneOf } from './body.js';
import { messageOf } from './dead-letters.js';
import type { DeliveryExplanation } from './delivery-answers.js';
import { decodeCursor, explainRecent, listRecent, recentOf, type Search, withRecent } from './recent-deliveries.js';
import { refusals } from './refusals.js';
import { explanationReport } from './reports.js';
import type { Routes } from './router.js';

const PHASES = ['retrying', 'delivered', 'dead', 'spared'] as const;

const MOST_DELIVERIES = 500;

/** What was attempted lately, and where a message stands. */
export const deliveryRoutes = (api: AdminApi): Routes<'/v1/deliveries'> => ({
  'GET /v1/deliveries': (context) => listRecent(api, searchIn(context)),
  async 'GET /v1/deliveries/:id'(context) {
    const id = context.req.param('id');
    const recent = await recentOf(api, id);
    const known = await explain(api, id, recent);
    const isKnown = ({ destination, attempt }: (typeof recent)[number]): boolean =>
      known.some((each) => each.destination === destination && each.id === attempt.id);
    const forgotten = recent.filter((each) => !isKnown(each));
    const all = [...known.map((each) => withRecent(each, recent)), ...explainRecent(api, forgotten)];
    if (all.length === 0) throw refusals.unknown('delivery of this id: it was delivered and forgotten, or never came');
    return all;
  },
});

/** The number of events that are looked for before others have their turn. */
const LOOKED_FOR_AT_ONCE = 500;

/**
 * What each destination has under the id, or under the id with one of its sources before it: only with sources that have sent a message of
 * this id, as among many sources and destinations there are too many pairs to look at each.
 */
async function explain(api: AdminApi, id: string, recent: readonly Found[]): Promise<DeliveryExplanation[]> {
  const all = api.config().sources;
  const names = all.map(({ name }) => name);
  const senders = new Set<string | undefined>(await api.sendersOf(id, names));
  for (const { attempt } of recent) senders.add(attempt.source);
  const sources = sourcesByDestination(all.filter(({ name }) => senders.has(name)));
  const everywhere = [...api.managedDestinations().values(), ...api.removedDestinations().values()];
  const meant = everywhere.flatMap((managed) => {
    const sourced = (sources.get(managed.name) ?? []).map((source) => sourcedId(id, source));
    return [id, ...sourced].map((each) => [managed, each] as const);
  });
  const explanations: DeliveryExplanation[] = [];
  for (let from = 0; from < meant.length; from += LOOKED_FOR_AT_ONCE) {
    if (from > 0) await setImmediate();
    const asked = meant.slice(from, from + LOOKED_FOR_AT_ONCE).map(([managed, each]) => explainAt(managed, each));
    for (const explanation of await Promise.all(asked)) if (explanation !== undefined) explanations.push(explanation);
  }
  return explanations;
}

async function explainAt(
  { name, destination, store }: ManagedDestination,
  id: string,
): Promise<DeliveryExplanation | undefined> {
  const explanation = await destination.explain(id);
  return explanation && explanationReport(name, explanation, await messageOf(store, explanation));
}

function sourcesByDestination(sources: readonly SourceConfig[]): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const { name, destinations } of sources) {
    for (const destination of destinations) names.set(destination, [...(names.get(destination) ?? []), name]);
  }
  return names;
}

function searchIn(context: Context): Search {
  const asked = (name: string): string | undefined => context.req.query(name) || undefined;
  const timeOf = (name: string): number | undefined => {
    const moment = momentOf(name, asked(name), refusals.invalidQuery);
    return moment === undefined ? undefined : Date.parse(moment);
  };
  const after = asked('after');
  return {
    // Also one that the configuration no longer has: what is kept of it is still shown.
    destination: asked('destination'),
    ...{ id: asked('id'), user: asked('user'), event: asked('event'), endpoint: asked('endpoint') },
    status: asked('status'),
    phase: oneOf(PHASES, 'phase', asked('phase'), refusals.invalidQuery),
    from: timeOf('from'),
    to: timeOf('to'),
    limit: integerOf(context, 'limit', { from: 1, to: MOST_DELIVERIES, otherwise: 50 }),
    after: after === undefined ? undefined : decodeCursor(after),
  };
}
