import { becauseOf } from '../../delivery/attempt-outcome.js';
import { oldestKept } from '../../ledger/attempts/chunks.js';
import { isNamed, type KeptAttempt } from '../../ledger/attempts/kept-attempt.js';
import { attempts, type FoundAttempt, kindAsked, latest } from '../../ledger/attempts/search.js';
import { isRecord } from '../../protocol/plain.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { AdminApi } from './admin-api.js';
import type { DeliveryExplanation, DeliveryReport, EndpointExplanation, WebhookName } from './delivery-answers.js';
import {
  attemptReport,
  type DeliverySearch,
  deliveryKey,
  type ListedPage,
  lastAttempt,
  namesIn,
} from './delivery-report.js';
import { waitOf } from './held-deliveries.js';
import { iso, isoOr } from './iso.js';
import { refusals } from './refusals.js';

/** Lists the recently attempted deliveries that match the filter, newest first. Without a phase, it lists those of any. */
export async function listRecent(
  api: AdminApi,
  phase: 'delivered' | 'spared' | undefined,
  { destination, limit, after, from, to, ...rest }: DeliverySearch,
): Promise<ListedPage> {
  await api.ledger.flush();
  // The name may be that of a removed destination, whose kept attempts are still shown.
  const names = destination === undefined ? await api.managedDestinations.everConfigured() : [destination];
  const filter = { ...rest, from: momentOf(from), to: momentOf(to) };
  const deliveries = new Map<string, DeliveryReport>();
  let next: string | undefined;
  // `phase` asks for the current phase, which a kept attempt may not know, so each report is checked again below.
  const kind = kindAsked({ phase, status: rest.status });
  for await (const found of latest(api.storage.keyValues, names, {
    filter,
    after: after === undefined ? undefined : decodeCursor(after),
    kind,
  })) {
    const delivery = await reportOf(api, found);
    if (phase !== undefined && delivery.phase !== phase) continue;
    if (deliveries.size === limit) break;
    deliveries.set(deliveryKey(found.destination, found.attempt, found.attempt.key), delivery);
    next = found.cursor;
  }
  const isMore = deliveries.size === limit;
  if (isMore && next !== undefined) return { deliveries, next: encodeCursor(next) };
  return { deliveries, oldestKept: isoOr(await oldestKept(api.storage.keyValues, destination)) };
}

const momentOf = (iso: string | undefined): number | undefined => (iso === undefined ? undefined : Date.parse(iso));

const encodeCursor = (cursor: string): string => Buffer.from(cursor).toString('base64url');

const CURSOR = /^[^[].*\/\d{3}$/s;

function decodeCursor(text: string): string {
  const cursor = Buffer.from(text, 'base64url').toString();
  if (CURSOR.test(cursor)) return cursor;
  throw refusals.invalidQuery('after', 'the `next` of an answer about what was attempted lately', text);
}

async function reportOf(api: AdminApi, { destination, attempt: found }: FoundAttempt): Promise<DeliveryReport> {
  const { byName, removed } = api.managedDestinations;
  const { attempt, message, type, source } = found;
  const named = isRecord(message) ? message : {};
  return {
    destination,
    id: found.id,
    type: type ?? (named['type'] as DeliveryReport['type']),
    ...namesIn(message),
    source: source ?? null,
    acceptedAt: iso(found.acceptedAt),
    webhook: webhookOf(found),
    ...(await stateOf(api, found, byName.get(destination) ?? removed.get(destination))),
    attempts: found.number,
    ...lastAttempt(attempt),
  };
}

/**
 * Reads the current state from the store, because a delivery may have ended without another attempt or by one that is not kept,
 * and a dead letter may have been replayed, discarded, or spared by another webhook that accepted the event.
 */
async function stateOf(
  api: AdminApi,
  { id, source, key, phase, nextAttemptAt }: KeptAttempt,
  managed: ManagedDestination | undefined,
): Promise<Pick<DeliveryReport, 'phase' | 'reason' | 'nextAttemptAt' | 'heldUpBy' | 'pausedBy'>> {
  if (phase === 'delivered' || managed === undefined) return { phase, nextAttemptAt: isoOr(nextAttemptAt) };
  const event = await managed.store.event(id);
  // Another source may have sent a message with the same id since.
  const state = event?.source === source ? event?.urls[key] : undefined;
  if (state === undefined) return { phase: 'spared', nextAttemptAt: null };
  if (state.phase === 'dead') return { phase: 'dead', reason: state.reason, nextAttemptAt: null };
  if (state.phase === 'delivered') return { phase: 'delivered', nextAttemptAt: null };
  return { phase: state.phase, ...waitOf(api, managed, { ...state, key }) };
}

const webhookOf = ({ webhookId, url }: KeptAttempt): WebhookName =>
  webhookId === undefined ? { url } : { id: webhookId, url };

/** Reads the kept attempts for an event id, or for every event of a message id, oldest first. */
export async function recentOf(api: AdminApi, id: string): Promise<FoundAttempt[]> {
  await api.ledger.flush();
  const names = await api.managedDestinations.everConfigured();
  const found: FoundAttempt[] = [];
  for await (const each of attempts(api.storage.keyValues, names, { id }))
    if (isNamed(each.attempt, id)) found.unshift(each);
  return found;
}

/** Explains an event that its destination has delivered and forgotten, from the attempts that are kept. */
export function explainRecent(api: AdminApi, found: readonly FoundAttempt[]): DeliveryExplanation {
  // A group has at least one attempt.
  const { destination, attempt } = found.at(-1) as FoundAttempt;
  const settle = api.managedDestinations.byName.get(destination)?.config.settle ?? 'any';
  const { id, type, source, acceptedAt, message } = attempt;
  const named = isRecord(message) ? message : {};
  const endpoints = [...grouped(found, (each) => each.attempt.key).values()].map(endpointOf);
  return {
    ...{ destination, id, type: type ?? (named['type'] as DeliveryReport['type']), source: source ?? null },
    ...{ acceptedAt: iso(acceptedAt), settle, message, endpoints },
  };
}

export function grouped<T>(all: readonly T[], keyOf: (each: T) => string): Map<string, readonly T[]> {
  const byKey = new Map<string, readonly T[]>();
  for (const each of all) byKey.set(keyOf(each), [...(byKey.get(keyOf(each)) ?? []), each]);
  return byKey;
}

function endpointOf(all: readonly FoundAttempt[]): EndpointExplanation {
  const { attempt: last } = all.at(-1) as FoundAttempt;
  const isDelivered = last.phase === 'delivered';
  return {
    ...webhookOf(last),
    phase: isDelivered ? 'delivered' : 'spared',
    // A later attempt may have delivered it, because not every attempt is kept.
    why: isDelivered
      ? 'the endpoint took it'
      : 'it no longer waits: it was delivered, another webhook took the event, or it was discarded. Which of these is not known, because its end was not recorded',
    rule: becauseOf(last.attempt),
    failing: false,
    nextAttemptAt: null,
    triedUntil: null,
    attempts: all.map(({ attempt: kept }) => attemptReport(kept.attempt, kept)),
  };
}
