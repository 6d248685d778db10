import { setImmediate as nextTurn } from 'node:timers/promises';
import { Counter, Gauge, type Histogram, Registry } from 'prom-client';
import type { EndpointReport } from '../../destination/endpoint-report.js';
import type { Counters } from '../../destination/reports.js';
import type { DeadTotals } from '../../store/event-store.js';
import type { Readiness } from '../api/answers.js';
import type { Refused } from '../ingest/admission.js';
import type { Tally } from '../ingest/ingest.js';
import type { ViolationCount } from '../ingest/violations.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { ConfigState } from './config-state.js';
import type { Delays } from './event-loop.js';
import { publicName } from './public-name.js';
import { NOT_READY } from './readiness.js';

/** Asked at each scrape. */
export interface Levels {
  now(): number;
  readiness(): Promise<Readiness>;
  tally(): Tally;
  sources(): Iterable<SourceLevels>;
  violations(): Iterable<ViolationCount>;
  managedDestinations(): Iterable<ManagedDestination>;
  isPaused(managed: ManagedDestination): boolean;
  storeBytes(): Promise<number>;
  /** On the disk of the store; undefined where it has none. */
  freeBytes(): Promise<number | undefined>;
  /** Whether each source and destination is to have metrics of its own. */
  isPerDestination(): boolean;
  readonly durations: Histogram;
  storeEmptied(): number;
  eventLoop(): Delays;
  readonly state: ConfigState;
}

const PREFIX = 'eventferry_';

const BREAKER_STATES = ['closed', 'open', 'half-open'] as const satisfies EndpointReport['state'][];

/** A longer text is written with sums. */
const MOST_BYTES = 1_000_000;

/** The labels of which there are as many values as there are customers. */
const SUMMED_LABELS: readonly string[] = ['source', 'destination', 'webhook', 'host'];

/** A value, and the values of its labels in the order of their names. */
type Sample = readonly [value: number, ...labels: string[]];
type Samples = Iterable<Sample> | Promise<Iterable<Sample>>;

/**
 * The service's metrics, in a registry of their own. Everything is counted where it happens and read at the scrape, so that
 * a message costs nothing here.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #levels: Levels;
  #isSummed = false;

  constructor(levels: Levels) {
    this.#levels = levels;
    this.#addReadiness();
    this.#addMessages();
    this.#addDestinations();
    this.#addEndpoints();
    this.#registry.registerMetric(levels.durations);
    this.#addOperations();
    this.#addProcess();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  async text(): Promise<string> {
    this.#isSummed = !this.#levels.isPerDestination();
    const text = await this.#written();
    if (this.#isSummed || Buffer.byteLength(text) <= MOST_BYTES) return text;
    this.#isSummed = true;
    return this.#written();
  }

  /** One metric in each turn of the event loop, as deliveries and requests go on meanwhile. */
  async #written(): Promise<string> {
    const texts: string[] = [];
    for (const { name } of this.#registry.getMetricsAsArray()) {
      texts.push(await this.#registry.getSingleMetricAsString(name));
      await nextTurn();
    }
    return `${texts.join('\n\n')}\n`;
  }

  /** First, as nothing else matters as much. */
  #addReadiness(): void {
    const { readiness } = this.#levels;
    this.#level('ready', 'Whether the service takes messages', [], async () => [[Number((await readiness()).ready)]]);
    this.#level('not_ready', 'Why it takes none: 1 for the reason', ['reason'], async () => {
      const { code } = await readiness();
      return NOT_READY.map((reason): Sample => [Number(reason === code), reason]);
    });
  }

  #addMessages(): void {
    const { tally, sources, violations } = this.#levels;
    this.#total('messages_total', 'Messages taken in, by outcome', ['outcome'], () => {
      const { received, duplicates, blocked } = tally();
      return [
        [received, 'received'],
        [duplicates, 'duplicate'],
        [blocked, 'blocked'],
      ];
    });
    this.#total('forwarded_total', 'Messages given to destinations, once for each', ['outcome'], () => {
      const { forwarded, skipped } = tally();
      return [
        [forwarded, 'stored'],
        [skipped, 'skipped'],
      ];
    });
    this.#total(
      'plan_violations_total',
      'Messages that violate the tracking plan of their source, by reason',
      ['source', 'reason', 'outcome'],
      () => Array.from(violations(), ({ source, reason, outcome, count }): Sample => [count, source, reason, outcome]),
    );
    this.#total('refused_requests_total', 'Requests answered 429, by why', ['source', 'reason'], () =>
      [...sources()].flatMap(({ name, refused }) => countsOf(refused, name)),
    );
    this.#level('unstored', 'Deliveries that wait for their turn to be stored', ['source'], () =>
      [...sources()].map(({ name, waiting }) => [waiting, name]),
    );
  }

  #addDestinations(): void {
    const counters = (read: (counters: Counters, name: string) => Sample[]) => () =>
      [...this.#levels.managedDestinations()].flatMap((managed) => read(managed.counters(), managed.name));
    this.#total(
      'attempts_total',
      'Requests to webhooks, by the class of their result',
      ['destination', 'result'],
      counters(({ results }, name) => countsOf(results, name)),
    );
    this.#total(
      'deliveries_total',
      'Events that have ended, by outcome',
      ['destination', 'outcome'],
      counters(({ delivered, dead, erased, discarded }, name) =>
        countsOf({ delivered, dead, erased, discarded }, name),
      ),
    );
    this.#total(
      'backlog_full_total',
      'Events that became dead letters since too much waited',
      ['destination'],
      counters(({ backlogFull }, name) => [[backlogFull, name]]),
    );
    this.#total(
      'dead_letters_dropped_total',
      'Dead letters deleted because of `maxDeadLetters`, by reason',
      ['destination', 'reason'],
      counters(({ dropped }, name) => countsOf(dropped, name)),
    );
    this.#level('destination_enabled', 'Whether messages are given to the destination', ['destination'], () =>
      [...this.#levels.managedDestinations()].map(({ isEnabled, name }) => [Number(isEnabled), name]),
    );
    this.#level('destination_paused', 'Whether deliveries wait until the destination is resumed', ['destination'], () =>
      [...this.#levels.managedDestinations()].map((managed) => [Number(this.#levels.isPaused(managed)), managed.name]),
    );
    const totals = (read: (totals: DeadTotals) => number) => () =>
      Promise.all(
        Array.from(
          this.#levels.managedDestinations(),
          async ({ name, store }): Promise<Sample> => [read(await store.deadTotals()), name],
        ),
      );
    this.#level(
      'dead_letters',
      'Dead letters kept',
      ['destination'],
      totals(({ events }) => events),
    );
    this.#level(
      'dead_letter_bytes',
      'Bytes of dead letters and the answers kept with them',
      ['destination'],
      totals(({ bytes }) => bytes),
    );
  }

  #addEndpoints(): void {
    const labels = ['destination', 'webhook', 'host'];
    const each = (name: string, help: string, value: (report: EndpointReport) => number): void =>
      this.#level(name, help, labels, () => this.#endpoints().map(([report, ...names]) => [value(report), ...names]));
    each('waiting', 'Deliveries that wait', ({ waiting }) => waiting);
    each('in_flight', 'Requests in flight', ({ inFlight }) => inFlight);
    each('failing', 'Whether most of the last attempts failed, for any reason', ({ failing }) => Number(failing));
    const dueSeconds = ({ oldestDue }: EndpointReport): number =>
      oldestDue === undefined ? 0 : Math.max(0, this.#levels.now() - oldestDue) / 1_000;
    this.#level(
      'oldest_due_seconds',
      'For how long the oldest delivery has been due',
      labels,
      () => this.#endpoints().map(([report, ...names]) => [dueSeconds(report), ...names]),
      { fold: Math.max },
    );
    each(
      'due_unclaimed_seconds',
      'For how long a delivery has been due that no process has begun, although it could',
      ({ dueUnclaimedMs }) => dueUnclaimedMs / 1_000,
    );
    this.#level('breaker_state', 'The state of the circuit breaker of the webhook', [...labels, 'state'], () =>
      this.#endpoints().flatMap(([report, ...names]) =>
        BREAKER_STATES.map((state): Sample => [Number(state === report.state), ...names, state]),
      ),
    );
  }

  /** Each with its destination, its number and its host. */
  #endpoints(): [EndpointReport, ...string[]][] {
    return [...this.#levels.managedDestinations()].flatMap(({ name, destination }) =>
      destination
        .endpoints()
        .map((report, index): [EndpointReport, ...string[]] => [
          report,
          name,
          String(index + 1),
          publicName(report.url),
        ]),
    );
  }

  #addOperations(): void {
    const { storeBytes, storeEmptied, freeBytes, state, eventLoop } = this.#levels;
    this.#level('store_bytes', 'The size of the store', [], async () => [[await storeBytes()]]);
    this.#level('disk_free_bytes', 'Bytes that are free on the disk of the store', [], async () => {
      const bytes = await freeBytes();
      return bytes === undefined ? [] : [[bytes]];
    });
    this.#total(
      'store_emptied_total',
      'How often the store was emptied under the service, which loses what waited',
      [],
      () => [[storeEmptied()]],
    );
    this.#total('config_reloads_total', 'Changes of the configuration', ['outcome'], () => [
      [state.good, 'taken'],
      [state.bad, 'refused'],
    ]);
    this.#level('config_is_current', 'Whether the last read configuration is in use', [], () => [
      [Number(state.error === undefined)],
    ]);
    this.#level('config_loaded_timestamp_seconds', 'When the configuration in use was loaded', [], () => [
      [state.loadedAt / 1_000],
    ]);
    this.#level('event_loop_delay_seconds', 'How late the event loop is, within the last minute', ['quantile'], () => {
      const { p50, p99, max } = eventLoop();
      return [
        [p50 / 1_000, '0.5'],
        [p99 / 1_000, '0.99'],
        [max / 1_000, '1'],
      ];
    });
  }

  #addProcess(): void {
    const started = Date.now() / 1_000 - process.uptime();
    this.#level('process_start_time_seconds', 'When the process was started', [], () => [[started]], { prefix: '' });
    const memory = (): Sample[] => [[process.memoryUsage.rss()]];
    this.#level('process_resident_memory_bytes', 'Memory of the process', [], memory, { prefix: '' });
    const cpu = (): Sample[] => {
      const { user, system } = process.cpuUsage();
      return [[(user + system) / 1e6]];
    };
    this.#total('process_cpu_seconds_total', 'CPU of the process', [], cpu, '');
  }

  #level(name: string, help: string, labelNames: string[], read: () => Samples, written: Written = {}): void {
    const { prefix = PREFIX, fold = add } = written;
    const labelled = (samples: Iterable<Sample>) => this.#labelled(labelNames, samples, fold);
    const collect = async function (this: Gauge): Promise<void> {
      this.reset();
      try {
        for (const { value, labels } of labelled(await read())) this.set(labels, value);
      } catch {
        // The store could not be asked, as `/readyz` and the log say; all other metrics are there.
        if (labelNames.length === 0) this.set(Number.NaN);
      }
    };
    new Gauge({ name: prefix + name, help, labelNames, registers: [this.#registry], collect });
  }

  /** The samples with the names of their labels, in sums where those are wanted. */
  #labelled(names: readonly string[], samples: Iterable<Sample>, fold: (one: number, other: number) => number) {
    const kept = names.map((name) => !(this.#isSummed && SUMMED_LABELS.includes(name)));
    const byLabels = new Map<string, { value: number; readonly labels: Record<string, string> }>();
    for (const [value, ...values] of samples) {
      const shown = names.flatMap((name, at) => (kept[at] ? [[name, values[at] ?? '']] : []));
      const key = JSON.stringify(shown);
      const found = byLabels.get(key);
      if (found === undefined) byLabels.set(key, { value, labels: Object.fromEntries(shown) });
      else found.value = fold(found.value, value);
    }
    return byLabels.values();
  }

  /** For counts that are kept elsewhere. */
  #total(name: string, help: string, labelNames: string[], read: () => Iterable<Sample>, prefix = PREFIX): void {
    const labelled = (samples: Iterable<Sample>) => this.#labelled(labelNames, samples, add);
    const collect = function (this: Counter): void {
      this.reset();
      for (const { value, labels } of labelled(read())) this.inc(labels, value);
    };
    new Counter({ name: prefix + name, help, labelNames, registers: [this.#registry], collect });
  }
}

interface Written {
  readonly prefix?: string;
  /** Makes one value of two where they are summed. */
  fold?(one: number, other: number): number;
}

const add = (one: number, other: number): number => one + other;

/** A sample of each count, with its name as the last label. */
const countsOf = (counts: Readonly<Record<string, number>>, ...labels: string[]): Sample[] =>
  Object.entries(counts).map(([name, count]) => [count, ...labels, name]);

interface SourceLevels {
  readonly name: string;
  /** Deliveries that are not stored yet. */
  readonly waiting: number;
  readonly refused: Refused;
}
