import { type Explanation, webhookKeyOf } from '../../destination/endpoints/explain-endpoint.js';
import { shownUrl } from '../../destination/sending/shown-url.js';
import type { FoundAttempt } from '../../ledger/attempts/search.js';
import type { Violations } from '../../ledger/examples/violations.js';
import type { SourceConfig, TrackingPlanConfig } from '../config/service-config.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { AdminApi } from './admin-api.js';
import type { DestinationReport, SourceReport } from './answer-types.js';
import type { DeliveryExplanation } from './delivery-answers.js';
import { attemptReport } from './delivery-report.js';
import { stateOf } from './destination-state.js';
import type { HourTotals } from './history-answers.js';
import { iso, isoOr } from './iso.js';
import { waitingTimes } from './waiting-times.js';

/** Describes a source as the API shows it, without its keys. */
export const sourceReport = (
  { name, destinations, trackSchema, trackingPlan }: SourceConfig,
  lastHour: HourTotals,
  violations: Pick<Violations, 'totals'>,
): SourceReport => ({
  name,
  destinations,
  trackSchema: { allowed: trackSchema.allowed ?? null, blocked: trackSchema.blocked },
  trackingPlan: trackingPlan === undefined ? null : planReport(name, trackingPlan, violations),
  lastHour,
});

function planReport(
  source: string,
  { plan, onViolation, onUnknownEvent }: TrackingPlanConfig,
  violations: Pick<Violations, 'totals'>,
): SourceReport['trackingPlan'] {
  const counts: Record<string, number> = {};
  for (const { reason, count, ...total } of violations.totals.values())
    if (total.source === source) counts[reason] = (counts[reason] ?? 0) + count;
  return { events: Object.keys(plan.events).length, onViolation, onUnknownEvent, violations: counts };
}

/** Describes a destination as the API shows it, without its secrets and headers. */
export async function destinationReport(managed: ManagedDestination, api: AdminApi): Promise<DestinationReport> {
  const { name, config, isEnabled, destination } = managed;
  const isRemoved = api.managedDestinations.byName.get(name) !== managed;
  const endpoints = destination.endpoints().map(({ dueUnclaimedMs: _, lastFailures, ...endpoint }) => ({
    ...endpoint,
    url: shownUrl(endpoint.url),
    // Nothing is sent to a removed destination, so it cannot be failing.
    failing: endpoint.failing && !isRemoved,
    lastFailures: !lastFailures?.inARow || isRemoved ? null : { ...lastFailures, at: iso(lastFailures.at) },
    failingSince: isRemoved ? null : isoOr(endpoint.failingSince),
    openUntil: isoOr(endpoint.openUntil),
    oldestDue: isoOr(endpoint.oldestDue),
  }));
  const { sources } = api.config();
  const waiting = endpoints.reduce((sum, endpoint) => sum + endpoint.waiting, 0);
  const pausedBy = api.switches.pausedBy(name) ?? null;
  const lastHour = await api.ledger.lastHours.of(name);
  const times = waiting === 0 ? undefined : await waitingTimes(managed, api.clock.wall());
  // While nothing is sent, the backlog does not shrink. During a pause the retry windows still run out.
  const isHeld = isRemoved || pausedBy !== null;
  return {
    name,
    state: stateOf({ enabled: isEnabled, paused: pausedBy !== null, endpoints, lastHour, waiting }, isRemoved),
    type: config.type,
    enabled: isEnabled,
    configuredEnabled: config.enabled,
    paused: pausedBy !== null,
    pausedBy,
    switchedBy: api.switches.enabledBy(managed) ?? null,
    sources: sources.filter(({ destinations }) => destinations.includes(name)).map((source) => source.name),
    settle: config.settle,
    signed: config.webhooks.every(({ secret }) => (secret ?? config.sharedSecret) !== undefined),
    endpoints,
    waiting,
    oldestWaitingAt: isoOr(times?.oldest),
    firstDeathAt: isRemoved ? null : isoOr(times?.firstDeath),
    doneAt: isoOr(waiting === 0 || isHeld ? undefined : await api.ledger.lastHours.doneAt(name, waiting)),
    lastHour,
    deadLetters: (await managed.store.deadTotals()).events,
    counters: managed.counters(),
  };
}

/** @param kept the kept attempts at the event, which have more details than those in the store */
export const explanationReport = (
  destination: string,
  { source, acceptedAt, endpoints, ...rest }: Explanation,
  message: unknown,
  kept: readonly FoundAttempt[] = [],
): DeliveryExplanation => ({
  destination,
  ...rest,
  source: source ?? null,
  message: message ?? null,
  acceptedAt: iso(acceptedAt),
  endpoints: endpoints.map((endpoint) => ({
    ...endpoint,
    url: shownUrl(endpoint.url),
    rule: endpoint.rule ?? null,
    nextAttemptAt: isoOr(endpoint.nextAttemptAt),
    triedUntil: isoOr(endpoint.triedUntil),
    attempts: endpoint.attempts.map((attempt) => {
      const here = kept.filter(({ attempt: { key } }) => key === webhookKeyOf(endpoint));
      const same = here.find(({ attempt: { attempt: each } }) => iso(each.at) === iso(attempt.at));
      return attemptReport(attempt, same?.attempt);
    }),
  })),
});
