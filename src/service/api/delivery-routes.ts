import type { Context } from 'hono';
import { sourcedId } from '../../delivery/event-id.js';
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
  'GET /v1/deliveries': (context) => listRecent(api, searchIn(context, api)),
  async 'GET /v1/deliveries/:id'(context) {
    const id = context.req.param('id');
    // Under its id, or its id with its source before it.
    const ids = [id, ...api.config().sources.map(({ name }) => sourcedId(id, name))];
    const [known, recent] = await Promise.all([explain(api, ids), recentOf(api, ids)]);
    const isKnown = ({ destination, attempt }: (typeof recent)[number]): boolean =>
      known.some((each) => each.destination === destination && each.id === attempt.id);
    const forgotten = recent.filter((each) => !isKnown(each));
    const all = [...known.map((each) => withRecent(each, recent)), ...explainRecent(api, forgotten)];
    if (all.length === 0) throw refusals.unknown('delivery of this id: it was delivered and forgotten, or never came');
    return all;
  },
});

async function explain(api: AdminApi, ids: readonly string[]): Promise<DeliveryExplanation[]> {
  const asked = [...api.managedDestinations().values()].flatMap(({ name, destination, store }) =>
    ids.map(async (id) => {
      const explanation = await destination.explain(id);
      if (explanation === undefined) return [];
      return [explanationReport(name, explanation, await messageOf(store, explanation.id))];
    }),
  );
  return (await Promise.all(asked)).flat();
}

function searchIn(context: Context, api: AdminApi): Search {
  const asked = (name: string): string | undefined => context.req.query(name) || undefined;
  const timeOf = (name: string): number | undefined => {
    const moment = momentOf(name, asked(name), refusals.invalidQuery);
    return moment === undefined ? undefined : Date.parse(moment);
  };
  const destination = asked('destination');
  if (destination !== undefined && !api.managedDestinations().has(destination))
    throw refusals.invalidQuery('destination', 'the name of a destination');
  const after = asked('after');
  return {
    destination,
    ...{ id: asked('id'), user: asked('user'), event: asked('event'), endpoint: asked('endpoint') },
    status: asked('status'),
    phase: oneOf(PHASES, 'phase', asked('phase'), refusals.invalidQuery),
    from: timeOf('from'),
    to: timeOf('to'),
    limit: integerOf(context, 'limit', { from: 1, to: MOST_DELIVERIES, otherwise: 50 }),
    after: after === undefined ? undefined : decodeCursor(after),
  };
}
