import type { Clock } from '../../base/time/clock.js';
import type { EndpointReport } from '../../destination/endpoints/endpoint-report.js';
import type { DestinationSwitches } from '../routing/destination-switches.js';
import type { ManagedDestinations } from '../routing/managed-destinations.js';
import { counter, countsOf, type Family, family, gauge, type Metric, type Sample } from './exposition.js';
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
  function* rows() {
    for (const managed of managedDestinations.byName.values())
      yield { managed, name: managed.name, ...managed.counters() };
  }
  return family(rows, [
    counter(
      'attempts_total',
      'Requests to webhooks, by the class of their result',
      ['destination', 'result'],
      ({ results, name }) => countsOf(results, name),
    ),
    counter(
      'deliveries_total',
      'Events that have ended, by outcome',
      ['destination', 'outcome'],
      ({ delivered, dead, erased, discarded, name }) => countsOf({ delivered, dead, erased, discarded }, name),
    ),
    counter(
      'backlog_full_total',
      'Events that became dead letters because too much waited',
      ['destination'],
      ({ backlogFull, name }) => [[backlogFull, name]],
    ),
    counter(
      'dead_letters_dropped_total',
      'Dead letters deleted because of `maxDeadLetters`, by reason',
      ['destination', 'reason'],
      ({ dropped, name }) => countsOf(dropped, name),
    ),
    gauge(
      'destination_enabled',
      'Whether messages are given to the destination',
      ['destination'],
      ({ managed, name }) => [[Number(managed.isEnabled), name]],
    ),
    gauge(
      'destination_paused',
      'Whether deliveries wait until the destination is resumed',
      ['destination'],
      ({ name }) => [[Number(switches.isPaused(name)), name]],
    ),
  ]);
}

function ofDeadLetters({ managedDestinations, readiness }: DestinationLevels): Family {
  async function* rows() {
    readiness.assertStore();
    const all = [...managedDestinations.byName.values()];
    for (let at = 0; at < all.length; at += STORES_AT_ONCE)
      yield* await Promise.all(
        all.slice(at, at + STORES_AT_ONCE).map(async ({ name, store }) => ({ name, ...(await store.deadTotals()) })),
      );
  }
  return family(rows, [
    gauge('dead_letters', 'Dead letters kept', ['destination'], ({ events, name }) => [[events, name]]),
    gauge(
      'dead_letter_bytes',
      'Bytes of dead letters and the answers kept with them',
      ['destination'],
      ({ bytes, name }) => [[bytes, name]],
    ),
  ]);
}

interface EndpointRow {
  readonly report: EndpointReport;
  readonly names: readonly string[];
}

function ofEndpoints({ managedDestinations, clock }: DestinationLevels): Family {
  function* rows(): Generator<EndpointRow> {
    for (const { name, destination } of managedDestinations.byName.values())
      for (const [index, report] of destination.endpoints().entries())
        yield { report, names: [name, String(index + 1), publicName(report.url)] };
  }
  const labels = ['destination', 'webhook', 'host'];
  const each = (name: string, help: string, value: (report: EndpointReport) => number): Metric<EndpointRow> =>
    gauge(name, help, labels, ({ report, names }) => [[value(report), ...names]]);
  const dueSeconds = ({ oldestDue }: EndpointReport): number =>
    oldestDue === undefined ? 0 : Math.max(0, clock.now() - oldestDue) / 1_000;
  return family(rows, [
    each('waiting', 'Deliveries that wait', ({ waiting }) => waiting),
    each('in_flight', 'Requests in flight', ({ inFlight }) => inFlight),
    each('failing', 'Whether most of the last attempts failed, for any reason', ({ failing }) => Number(failing)),
    { ...each('oldest_due_seconds', 'For how long the oldest delivery has been due', dueSeconds), fold: Math.max },
    {
      ...each(
        'due_unclaimed_seconds',
        'For how long a due delivery has not begun in any process, although nothing delays it',
        ({ dueUnclaimedMs }) => dueUnclaimedMs / 1_000,
      ),
      fold: Math.max,
    },
    gauge(
      'breaker_state',
      'The state of the circuit breaker of the webhook',
      [...labels, 'state'],
      ({ report, names }) => BREAKER_STATES.map((state): Sample => [Number(state === report.state), ...names, state]),
    ),
  ]);
}
