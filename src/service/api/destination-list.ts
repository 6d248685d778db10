import type { ManagedDestination } from '../routing/managed-destination.js';
import type { AdminApi } from './admin-api.js';
import type { DestinationPage, DestinationReport, DestinationState } from './answer-types.js';
import { STATES } from './destination-state.js';
import { inSlices } from './in-slices.js';
import { foundBy, pageOf } from './list-page.js';
import type { DestinationQuery } from './requests.js';
import { destinationReport } from './source-reports.js';

/** The number of destinations that are read at a time. */
const AT_ONCE = 50;

/** Lists the destinations that match the query, with a summary of all destinations. */
export async function listDestinations(api: AdminApi, query: DestinationQuery): Promise<DestinationPage> {
  const { q, state, sort, reversed } = query;
  const all = await reportsOf(api);
  const matching = foundBy(q, all, textsOf).filter((each) => state === undefined || each.state === state);
  const found = inOrder(matching, sort, reversed === 'true');
  return {
    destinations: pageOf(query, found, ({ name }) => name),
    found: found.length,
    summary: summaryOf(all),
  };
}

async function reportsOf(api: AdminApi): Promise<DestinationReport[]> {
  const managed = [
    ...api.managedDestinations.byName.values(),
    ...(await leftBy(api.managedDestinations.removed.values())),
  ];
  return inSlices(managed, AT_ONCE, (some) => Promise.all(some.map((each) => destinationReport(each, api))));
}

/** Keeps only the removed destinations that still hold deliveries. */
async function leftBy(removed: Iterable<ManagedDestination>): Promise<ManagedDestination[]> {
  const left: ManagedDestination[] = [];
  for (const managed of removed) {
    const { events } = await managed.store.deadTotals();
    if (managed.destination.waiting + events > 0) left.push(managed);
  }
  return left;
}

const textsOf = ({ name, sources, endpoints }: DestinationReport): readonly string[] => [
  name,
  ...sources,
  ...endpoints.map(({ url }) => url),
];

type Order = NonNullable<DestinationQuery['sort']>;

/** The value that each order compares; the lowest comes first. Destinations without attempts in the last hour come last. */
const KEYS: Readonly<Record<Exclude<Order, 'name'>, (report: DestinationReport) => number>> = {
  state: ({ state }) => STATES.indexOf(state),
  success: ({ lastHour }) => lastHour.successRate ?? 2,
  p50: ({ lastHour }) => -(lastHour.p50Ms ?? -1),
  p95: ({ lastHour }) => -(lastHour.p95Ms ?? -1),
  waiting: ({ waiting }) => -waiting,
  dead: ({ deadLetters }) => -deadLetters,
};

/** Sorts reports, or keeps their order if none is given. Ties go by more dead letters, more waiting deliveries, then name. */
export function inOrder(
  reports: readonly DestinationReport[],
  order: Order | undefined,
  isReversed: boolean,
): readonly DestinationReport[] {
  const sign = isReversed ? -1 : 1;
  const byName = (a: DestinationReport, b: DestinationReport): number => a.name.localeCompare(b.name);
  if (order === undefined) return isReversed ? reports.toReversed() : reports;
  if (order === 'name') return reports.toSorted((a, b) => sign * byName(a, b));
  const key = KEYS[order];
  return reports.toSorted(
    (a, b) => sign * (key(a) - key(b)) || b.deadLetters - a.deadLetters || b.waiting - a.waiting || byName(a, b),
  );
}

function summaryOf(all: readonly DestinationReport[]): DestinationPage['summary'] {
  const states = Object.fromEntries(STATES.map((state) => [state, 0])) as Record<DestinationState, number>;
  const lastHour = { delivered: 0, failed: 0 };
  let [waiting, deadLetters]: [number, number] = [0, 0];
  let oldestWaitingAt: string | null = null;
  for (const each of all) {
    states[each.state]++;
    waiting += each.waiting;
    deadLetters += each.deadLetters;
    for (const { delivered, failed } of each.lastHour.points) {
      lastHour.delivered += delivered;
      lastHour.failed += failed;
    }
    const { oldestWaitingAt: at } = each;
    if (at !== null && (oldestWaitingAt === null || at < oldestWaitingAt)) oldestWaitingAt = at;
  }
  return { states, waiting, oldestWaitingAt, deadLetters, lastHour };
}
