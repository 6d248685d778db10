import type { Clock } from '../../base/time/clock.js';
import type { EndpointReport } from '../../destination/endpoints/endpoint-report.js';
import type { DestinationSwitches } from '../routing/destination-switches.js';
import type { ManagedDestinations } from '../routing/managed-destinations.js';
import { counter, type Family, family, gauge, type Metric, type Row } from './exposition.js';
import { publicName } from './public-name.js';
import type { ReadinessCheck } from './readiness.js';

/** The parts of the service that the metrics are read from at each scrape. */
export interface DestinationLevels {
  readonly clock: Pick<Clock, 'now'>;
  readonly managedDestinations: Pick<ManagedDestinations, 'byName'>;
  readonly switches: Pick<DestinationSwitches, 'isPaused'>;
  readonly readiness: Pick<ReadinessCheck, 'assertStore'>;
}

const BREAKER_STATES = ['closed', 'open', 'half-open'] as const satisfies EndpointReport['state'][];

/** The number of stores that are read at the same time. */
const STORES_AT_ONCE = 50;

export const destinationMetrics = (levels: DestinationLevels): Family[] => [
  ofDestinations(levels),
  ofDeadLetters(levels),
  ofEndpoints(levels),
];

function ofDestinations({ managedDestinations, switches }: DestinationLevels): Family {
  // The rows are made one by one, because other work gets its turn between them.
  function* rows() {
    for (const [name, managed] of managedDestinations.byName)
      yield [[name], { managed, ...managed.counters() }] as const;
  }
  return family(['destination'], rows, [
    counter('attempts_total', 'Requests to webhooks, by the class of their result', ({ results }) => results, 'result'),
    counter(
      'deliveries_total',
      'Events that have ended, by outcome',
      ({ delivered, dead, erased, discarded }) => ({ delivered, dead, erased, discarded }),
      'outcome',
    ),
    counter(
      'backlog_full_total',
      'Events that became dead letters because too much waited',
      ({ backlogFull }) => backlogFull,
    ),
    counter(
      'dead_letters_dropped_total',
      'Dead letters deleted because of `maxDeadLetters`, by reason',
      ({ dropped }) => dropped,
      'reason',
    ),
    gauge('destination_enabled', 'Whether messages are given to the destination', ({ managed }) =>
      Number(managed.isEnabled),
    ),
    gauge('destination_paused', 'Whether deliveries wait until the destination is resumed', ({ managed }) =>
      Number(switches.isPaused(managed.name)),
    ),
  ]);
}

function ofDeadLetters({ managedDestinations, readiness }: DestinationLevels): Family {
  async function* rows() {
    readiness.assertStore();
    const all = [...managedDestinations.byName.values()];
    for (let at = 0; at < all.length; at += STORES_AT_ONCE)
      yield* await Promise.all(
        all.slice(at, at + STORES_AT_ONCE).map(async ({ name, store }) => [[name], await store.deadTotals()] as const),
      );
  }
  return family(['destination'], rows, [
    gauge('dead_letters', 'Dead letters kept', ({ events }) => events),
    gauge('dead_letter_bytes', 'Bytes of dead letters and the answers kept with them', ({ bytes }) => bytes),
  ]);
}

function ofEndpoints({ managedDestinations, clock }: DestinationLevels): Family {
  function* rows(): Generator<Row<EndpointReport>> {
    for (const { name, destination } of managedDestinations.byName.values())
      for (const [index, report] of destination.endpoints().entries())
        yield [[name, String(index + 1), publicName(report.url)], report];
  }
  const longest = (...metric: Parameters<typeof gauge<EndpointReport>>): Metric<EndpointReport> => ({
    ...gauge(...metric),
    fold: Math.max,
  });
  return family(['destination', 'webhook', 'host'], rows, [
    gauge('waiting', 'Deliveries that wait', ({ waiting }) => waiting),
    gauge('in_flight', 'Requests in flight', ({ inFlight }) => inFlight),
    gauge('failing', 'Whether most of the last attempts failed, for any reason', ({ failing }) => Number(failing)),
    longest('oldest_due_seconds', 'For how long the oldest delivery has been due', ({ oldestDue }) =>
      oldestDue === undefined ? 0 : Math.max(0, clock.now() - oldestDue) / 1_000,
    ),
    longest(
      'due_unclaimed_seconds',
      'For how long a due delivery has not begun in any process, although nothing delays it',
      ({ dueUnclaimedMs }) => dueUnclaimedMs / 1_000,
    ),
    gauge(
      'breaker_state',
      'The state of the circuit breaker of the webhook',
      ({ state }) => Object.fromEntries(BREAKER_STATES.map((each) => [each, Number(each === state)])),
      'state',
    ),
  ]);
}
