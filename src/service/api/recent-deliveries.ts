import { sourcedId } from '../../delivery/names.js';
import { RULES } from '../../delivery/outcome.js';
import { shownUrl } from '../../destination/shown-url.js';
import { isRecord } from '../../protocol/is.js';
import type { RecentAttempt } from '../recent/recent-attempt.js';
import { attempts, type Found, latest, type RecentFilter } from '../recent/search.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { AdminApi } from './admin-api.js';
import { attemptReport } from './dead-letters.js';
import type {
  AttemptReport,
  DeliveryExplanation,
  DeliveryPage,
  EndpointExplanation,
  RecentDelivery,
  WebhookName,
} from './delivery-answers.js';
import { iso, isoOr } from './iso.js';

type Recent = Pick<AdminApi, 'keyValues' | 'recent' | 'managedDestinations'>;

export interface Search extends RecentFilter {
  readonly destination: string | undefined;
  readonly limit: number;
  readonly after: string | undefined;
}

/** The deliveries that were attempted lately and for which the filter holds, newest first. */
export async function listRecent(api: Recent, search: Search): Promise<DeliveryPage> {
  await api.recent.flush();
  const { destination, limit, after, phase, ...filter } = search;
  const names = destination === undefined ? [...api.managedDestinations().keys()] : [destination];
  const deliveries: RecentDelivery[] = [];
  let next: string | undefined;
  // The phase is that of now, which the attempt does not know.
  for await (const found of latest(api.keyValues, names, { filter, after })) {
    const delivery = await reportOf(found, api.managedDestinations().get(found.destination));
    if (phase !== undefined && delivery.phase !== phase) continue;
    if (deliveries.length === limit) break;
    deliveries.push(delivery);
    next = found.cursor;
  }
  const since = await api.recent.since(names);
  const isMore = deliveries.length === limit;
  return { deliveries, ...(isMore && next !== undefined && { next: encodeCursor(next) }), since: isoOr(since) };
}

const encodeCursor = (cursor: string): string => Buffer.from(cursor).toString('base64url');

export const decodeCursor = (cursor: string): string => Buffer.from(cursor, 'base64url').toString();

async function reportOf(
  { destination, attempt: found }: Found,
  managed: ManagedDestination | undefined,
): Promise<RecentDelivery> {
  const { attempt, message, type, source } = found;
  const named = isRecord(message) ? message : {};
  const names = (['event', 'userId', 'anonymousId'] as const).map((name) => [name, named[name]]);
  return {
    destination,
    id: found.id,
    type: type ?? (named['type'] as RecentDelivery['type']),
    ...Object.fromEntries(names.filter(([, value]) => typeof value === 'string')),
    source: source ?? null,
    acceptedAt: iso(found.acceptedAt),
    webhook: webhookOf(found),
    ...(await stateOf(found, managed)),
    attempts: found.number,
    lastAttemptAt: iso(attempt.at),
    result: String(attempt.status ?? attempt.code ?? attempt.result),
    durationMs: attempt.durationMs,
  };
}

/** A delivery that waited for another attempt may have ended without one. */
async function stateOf(
  { id, key, url, phase, nextAttemptAt }: RecentAttempt,
  managed: ManagedDestination | undefined,
): Promise<Pick<RecentDelivery, 'phase' | 'nextAttemptAt'>> {
  if (phase !== 'retrying' || managed === undefined) return { phase, nextAttemptAt: isoOr(nextAttemptAt) };
  const state = (await managed.store.event(id))?.urls[key];
  if (state === undefined) return { phase: 'spared', nextAttemptAt: null };
  if (state.phase === 'dead' || state.phase === 'delivered') return { phase: state.phase, nextAttemptAt: null };
  // Nothing begins while the breaker is open.
  const { openUntil = 0 } = managed.destination.endpoints().find((each) => shownUrl(each.url) === url) ?? {};
  return { phase, nextAttemptAt: iso(Math.max(state.due, openUntil)) };
}

const webhookOf = ({ webhookId, url }: RecentAttempt): WebhookName =>
  webhookId === undefined ? { url } : { id: webhookId, url };

const recentReport = ({ attempt, sent, answer }: RecentAttempt): AttemptReport => ({
  ...attemptReport(attempt),
  ...(sent !== undefined && { sent }),
  ...(answer !== undefined && { answer }),
});

/** What is kept of the attempts at the event of that id, or at the events of its message, the oldest first. */
export async function recentOf(api: Recent, id: string): Promise<Found[]> {
  await api.recent.flush();
  const names = [...api.managedDestinations().keys()];
  const found: Found[] = [];
  for await (const each of attempts(api.keyValues, names, { id })) if (isOf(each.attempt, id)) found.unshift(each);
  return found;
}

const isOf = (attempt: RecentAttempt, id: string): boolean =>
  attempt.id === id || attempt.id === sourcedId(id, attempt.source);

/** The explanation with what is known of each of its attempts. */
export const withRecent = (explanation: DeliveryExplanation, found: readonly Found[]): DeliveryExplanation => ({
  ...explanation,
  endpoints: explanation.endpoints.map((endpoint) => ({
    ...endpoint,
    attempts: endpoint.attempts.map((attempt) => {
      const known = found.find(
        ({ destination, attempt: { id, url, attempt: each } }) =>
          destination === explanation.destination &&
          id === explanation.id &&
          url === endpoint.url &&
          iso(each.at) === attempt.at,
      );
      return known === undefined ? attempt : { ...attempt, ...recentReport(known.attempt) };
    }),
  })),
});

/** What is known of an event that its destination has delivered and forgotten. */
export function explainRecent(api: Recent, found: readonly Found[]): DeliveryExplanation[] {
  return groups(found, ({ destination, attempt }) => JSON.stringify([destination, attempt.id])).flatMap((all) => {
    const last = all.at(-1);
    if (last === undefined) return [];
    const { destination, attempt } = last;
    const settle = api.managedDestinations().get(destination)?.config.settle ?? 'any';
    const { id, type, source, acceptedAt, message } = attempt;
    const named = isRecord(message) ? message : {};
    const endpoints = groups(all, (each) => each.attempt.key).map(endpointOf);
    return [
      {
        ...{ destination, id, type: type ?? (named['type'] as RecentDelivery['type']), source: source ?? null },
        ...{ acceptedAt: iso(acceptedAt), settle, message, endpoints },
      },
    ];
  });
}

function groups<T>(all: readonly T[], keyOf: (each: T) => string): T[][] {
  const byKey = new Map<string, T[]>();
  for (const each of all) byKey.set(keyOf(each), [...(byKey.get(keyOf(each)) ?? []), each]);
  return [...byKey.values()];
}

function endpointOf(all: readonly Found[]): EndpointExplanation {
  const { attempt: last } = all.at(-1) as Found;
  const isDelivered = last.phase === 'delivered';
  return {
    ...webhookOf(last),
    phase: isDelivered ? 'delivered' : 'dead',
    why: isDelivered
      ? 'the endpoint took it'
      : 'it is not tried again: another webhook took the event, or it was discarded',
    rule: RULES[last.attempt.result].because,
    failing: false,
    nextAttemptAt: null,
    triedUntil: null,
    attempts: all.map(({ attempt }) => recentReport(attempt)),
  };
}
