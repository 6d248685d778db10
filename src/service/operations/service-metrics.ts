import { statfs } from 'node:fs/promises';
import { Histogram, Registry } from 'prom-client';
import type { Violations } from '../../ledger/examples/violations.js';
import type { Storage } from '../../store/storage.js';
import type { ServiceConfig } from '../config/service-config.js';
import type { Admission, Refused } from '../ingest/admission.js';
import type { Ingest } from '../ingest/ingest.js';
import type { Log } from '../service-log.js';
import type { ConfigState } from './config-state.js';
import { type DestinationLevels, destinationMetrics } from './destination-metrics.js';
import type { EventLoop } from './event-loop.js';
import { counter, type Family, family, familyOfOne, gauge, type ReadMetric } from './exposition.js';
import { NOT_READY, type ReadinessCheck } from './readiness.js';
import type { StoreLosses } from './store-losses.js';

/** The parts of the service that the metrics are read from at each scrape. */
export interface ServiceLevels extends DestinationLevels {
  readonly storage: Storage;
  readonly losses: StoreLosses;
  readonly ingest: Ingest;
  readonly admission: Admission;
  readonly violations: Violations;
  readonly readiness: ReadinessCheck;
  readonly eventLoop: EventLoop;
  readonly state: ConfigState;
  readonly durations: Histogram;
  readonly log: Log;
  config(): ServiceConfig;
}

/** With more destinations, metrics are summed unless the configuration says otherwise. */
const MOST_PER_DESTINATION = 200;

/** A longer text, in bytes, is replaced by sums. */
const MOST_BYTES = 4_000_000;

/** The labels that have as many values as there are customers. */
const CUSTOMER_LABELS: ReadonlySet<string> = new Set(['source', 'destination', 'webhook', 'host']);
const NO_LABELS: ReadonlySet<string> = new Set();

/**
 * Makes a function that returns the service's metrics as text. Everything is counted where it happens and read only at a scrape,
 * so a message costs nothing here.
 */
export function serviceMetrics(levels: ServiceLevels): () => Promise<string> {
  const { config, managedDestinations, log } = levels;
  const durations = new Registry();
  durations.registerMetric(levels.durations);
  const families = [
    // Readiness comes first, because nothing else matters as much.
    ofReadiness(levels),
    ...ofMessages(levels),
    ...destinationMetrics(levels),
    ...ofOperations(levels),
    ofProcess(),
  ];
  /** True when the configuration asks for metrics of each destination, but their text would be too long. */
  let isTooLong = false;
  return async () => {
    const destinations = managedDestinations.byName.size;
    const isPerDestination = config().metrics.perDestination ?? destinations <= MOST_PER_DESTINATION;
    const read: ReadMetric[] = [];
    for (const each of families) read.push(...(await each(isPerDestination ? NO_LABELS : CUSTOMER_LABELS)));
    const bytes = read.reduce((sum, metric) => sum + metric.bytes, 0);
    const wasTooLong = isTooLong;
    isTooLong = bytes > MOST_BYTES;
    if (isTooLong && !wasTooLong)
      log.warn(
        { bytes, most: MOST_BYTES, destinations },
        'the metrics of each destination are too long, and are added up',
      );
    const shown = isTooLong ? read.map((each) => each.without(CUSTOMER_LABELS)) : read;
    const sums = await ofSums(isTooLong)(NO_LABELS);
    return [...[...shown, ...sums].map(String), await durations.metrics()].join('\n');
  };
}

const TOO_LONG = 'Whether metrics are added up because those of each destination are too long';

const ofSums = (isTooLong: boolean): Family =>
  familyOfOne(() => Number(isTooLong), [gauge('metrics_too_long', TOO_LONG, (value) => value)]);

const ofReadiness = ({ readiness }: ServiceLevels): Family =>
  familyOfOne(
    () => readiness.glance(),
    [
      gauge('ready', 'Whether the service takes messages', ({ ready }) => Number(ready)),
      gauge(
        'not_ready',
        'Why it takes none: 1 for the reason',
        ({ code }) => Object.fromEntries(NOT_READY.map((reason) => [reason, Number(reason === code)])),
        'reason',
      ),
    ],
  );

const NONE_REFUSED: Refused = { rate_limited: 0, overloaded: 0 };

const ofMessages = ({ ingest, admission, violations, config }: ServiceLevels): Family[] => [
  familyOfOne(
    () => ingest.tally,
    [
      counter(
        'messages_total',
        'Messages taken in, by outcome',
        ({ received, duplicates, blocked }) => ({ received, duplicate: duplicates, blocked }),
        'outcome',
      ),
      counter(
        'forwarded_total',
        'Messages given to destinations, counted once per destination',
        ({ forwarded, skipped }) => ({ stored: forwarded, skipped }),
        'outcome',
      ),
    ],
  ),
  family(
    ['source', 'reason', 'outcome'],
    () =>
      Array.from(violations.totals.values(), ({ source, reason, outcome, count }) => [
        [source, reason, outcome],
        count,
      ]),
    [
      counter(
        'plan_violations_total',
        'Messages that violate the tracking plan of their source, by reason',
        (count) => count,
      ),
    ],
  ),
  family(['source'], () => config().sources.map(({ name }) => [[name], name]), [
    counter(
      'refused_requests_total',
      'Requests answered 429, by reason',
      (name) => admission.refused.get(name) ?? NONE_REFUSED,
      'reason',
    ),
    gauge('unstored', 'Deliveries that wait for their turn to be stored', (name) => ingest.waiting(name)),
  ]),
];

const ofOperations = ({ storage, readiness, losses, config, state, eventLoop }: ServiceLevels): Family[] => [
  familyOfOne(() => {
    readiness.assertStore();
    return storage.size();
  }, [gauge('store_bytes', 'The size of the store', (bytes) => bytes)]),
  familyOfOne(
    () => freeBytesOf(config()),
    [gauge('disk_free_bytes', 'Bytes that are free on the disk of the store', (bytes) => bytes)],
  ),
  familyOfOne(
    () => eventLoop.delays(),
    [
      counter(
        'store_emptied_total',
        'How often the store was emptied while the service ran, which loses what waited',
        () => losses.count,
      ),
      counter(
        'config_reloads_total',
        'Changes of the configuration',
        () => ({ taken: state.good, refused: state.bad }),
        'outcome',
      ),
      gauge('config_is_current', 'Whether the last read configuration is in use', () =>
        Number(state.error === undefined),
      ),
      gauge(
        'config_loaded_timestamp_seconds',
        'When the configuration in use was loaded',
        () => state.loadedAt / 1_000,
      ),
      gauge(
        'event_loop_delay_seconds',
        'How late the event loop is, within the last minute',
        ({ p50, p99, max }) => ({ '0.5': p50 / 1_000, '0.99': p99 / 1_000, '1': max / 1_000 }),
        'quantile',
      ),
    ],
  ),
];

/** The metrics of the process, under the names that most programs use for them. */
function ofProcess(): Family {
  const started = Date.now() / 1_000 - process.uptime();
  const cpuSeconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1e6;
  const metrics = [
    gauge('start_time_seconds', 'When the process was started', () => started),
    gauge('resident_memory_bytes', 'Memory of the process', () => process.memoryUsage.rss()),
    counter('cpu_seconds_total', 'CPU of the process', () => cpuSeconds(process.cpuUsage())),
  ];
  return familyOfOne(
    () => undefined,
    metrics.map((metric) => ({ ...metric, name: metric.name.replace('eventferry_', 'process_') })),
  );
}

/** Returns the free bytes on the disk of the store; undefined if the store has no disk or the space cannot be read. */
async function freeBytesOf({ store }: ServiceConfig): Promise<number | undefined> {
  if (store.type !== 'lmdb') return undefined;
  const disk = await statfs(store.path).catch(() => undefined);
  return disk && disk.bavail * disk.bsize;
}

/** In seconds. An attempt takes at most `requestTimeout`, which may be up to a minute. */
const BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Creates the histogram of the durations of attempts at all destinations together. */
export const attemptDurations = (): Histogram =>
  new Histogram({
    name: 'eventferry_attempt_duration_seconds',
    help: 'How long attempts took',
    buckets: BUCKETS,
    registers: [],
  });
