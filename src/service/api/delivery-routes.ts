import { fullId } from '../../delivery/event-names.js';
import { eventOf } from '../../destination/changes/dead-letters.js';
import type { FoundAttempt } from '../../ledger/attempts/search.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { AdminApi } from './admin-api.js';
import type { Routes } from './admin-router.js';
import type { DeliveryExplanation, DeliveryQuery, DeliveryReport, EndpointExplanation } from './delivery-answers.js';
import { changeDeliveries } from './delivery-changes.js';
import { type DeliverySearch, type ListedPage, messageOf } from './delivery-report.js';
import { countHeld, eventIds, listHeld, phaseOf } from './held-deliveries.js';
import { inSlices } from './in-slices.js';
import { assertKnown } from './named-destination.js';
import { explainRecent, grouped, listRecent, recentOf } from './recent-deliveries.js';
import { refusals } from './refusals.js';
import { explanationReport } from './source-reports.js';

/** The routes for deliveries: lists, the state of one message, replay and discard. */
export const deliveryRoutes = (api: AdminApi): Routes<'/v1/deliveries'> => ({
  'GET /v1/deliveries': (_, query) => list(api, query),
  'POST /v1/deliveries/replay': (context) => changeDeliveries('replay', context, api),
  'POST /v1/deliveries/discard': (context) => changeDeliveries('discard', context, api),
  async 'GET /v1/deliveries/:id'(context) {
    const id = context.req.param('id');
    const kept = grouped(await recentOf(api, id), ({ destination, attempt }) => eventKey(destination, attempt));
    const known = await explain(api, id, kept);
    for (const each of known) kept.delete(eventKey(each.destination, each));
    const all = [...known, ...Array.from(kept.values(), (attempts) => explainRecent(api, attempts))];
    if (all.length === 0)
      throw refusals.unknown('delivery with this id: it was delivered and forgotten, or never arrived');
    return all;
  },
});

/** The number of events that are looked up at a time. */
const LOOKED_FOR_AT_ONCE = 500;

/** The kept attempts by their event. */
type Kept = ReadonlyMap<string, readonly FoundAttempt[]>;

const eventKey = (destination: string, event: Parameters<typeof fullId>[0]): string =>
  JSON.stringify([destination, fullId(event)]);

/** Explains the events that each destination has for a message id. */
async function explain(api: AdminApi, id: string, kept: Kept): Promise<DeliveryExplanation[]> {
  const tried = [...kept.values()].flat().map(({ attempt }) => attempt.source);
  const idsAt = await eventIds(api, id, tried);
  const meant = api.managedDestinations
    .all()
    .flatMap((managed) => idsAt(managed.name).map((each) => ({ managed, id: each })));
  const explanations = await inSlices(meant, LOOKED_FOR_AT_ONCE, (some) =>
    Promise.all(some.map((each) => explainAt(api, each.managed, each.id, kept))),
  );
  return explanations.filter((explanation) => explanation !== undefined);
}

async function explainAt(
  api: AdminApi,
  { name, destination, store }: ManagedDestination,
  id: string,
  kept: Kept,
): Promise<DeliveryExplanation | undefined> {
  // A destination that is being reopened explains nothing, which matters only if it has the event.
  if ((await eventOf(store, id)) === undefined) return undefined;
  const explanation = await destination.explain(id);
  if (explanation === undefined) return undefined;
  const attempts = kept.get(eventKey(name, explanation));
  const report = explanationReport(name, explanation, await messageOf(store, explanation), attempts);
  const paused = api.switches.pausedBy(name);
  const isRemoved = api.managedDestinations.removed.has(name);
  if (!isRemoved && paused === undefined) return report;
  const why = isRemoved
    ? 'the configuration no longer has this destination'
    : `this destination was paused by ${paused?.by}`;
  return {
    ...report,
    endpoints: report.endpoints.map((each) => (isKept(each) ? { ...each, why, nextAttemptAt: null } : each)),
  };
}

/** Deliveries in these phases are kept while their destination is removed or paused. */
const isKept = ({ phase }: EndpointExplanation): boolean => phase === 'pending' || phase === 'retrying';

async function list(api: AdminApi, { phase: given, count, limit = 50, after, ...filter }: DeliveryQuery) {
  // Only dead letters have a reason.
  const phase = given ?? (filter.reason === undefined ? undefined : 'dead');
  if (filter.reason !== undefined && phase !== 'dead')
    throw refusals.invalidQuery('reason', `nothing beside \`phase=${phase}\``, filter.reason);
  if (filter.destination !== undefined) await assertKnown(api, filter.destination);
  const search = { ...filter, limit, after };
  const page = phase === undefined ? await listAll(api, search) : await listOf(api, search, phase);
  const deliveries = [...page.deliveries.values()];
  return { ...page, deliveries, ...(count === 'true' && { count: await countHeld(api, filter) }) };
}

const listOf = (api: AdminApi, search: DeliverySearch, phase: DeliveryQuery['phase']): Promise<ListedPage> =>
  phase === 'dead' || phase === 'waiting' ? listHeld(api, phase, search) : listRecent(api, phase, search);

/**
 * Lists recent attempts, then waiting deliveries, then dead letters. The first page contains all three if the recent attempts fit
 * on it, or if the search is for one message or user: otherwise an untried event could be hidden behind many attempts.
 */
async function listAll(api: AdminApi, search: DeliverySearch): Promise<ListedPage> {
  const { id, user, after } = search;
  const phase = after === undefined ? undefined : phaseOf(after);
  const page = await listOf(api, search, phase);
  if (phase === 'dead' || (page.next !== undefined && (after !== undefined || (id ?? user) === undefined))) return page;
  const rest = { ...search, after: undefined };
  const waiting = phase === undefined ? await listOf(api, rest, 'waiting') : undefined;
  const dead = await listOf(api, rest, 'dead');
  const byKey = new Map<string, DeliveryReport>();
  // The report with the most attempts is the current one, because the store may learn of an attempt a moment later.
  for (const [key, each] of [...page.deliveries, ...(waiting?.deliveries ?? []), ...dead.deliveries])
    if (each.attempts >= (byKey.get(key)?.attempts ?? 0)) byKey.set(key, each);
  const deliveries = new Map([...byKey].sort(([, one], [, other]) => (timeOf(one) < timeOf(other) ? 1 : -1)));
  const next = page.next ?? waiting?.next ?? dead.next;
  return { ...page, deliveries, ...(next !== undefined && { next }) };
}

const timeOf = ({ lastAttemptAt, acceptedAt }: DeliveryReport): string => lastAttemptAt ?? acceptedAt;
