import { Counter, Gauge, Registry } from 'prom-client';
import type { EndpointReport } from '../../destination/endpoints.js';
import type { DeadTotals } from '../../store/store.js';
import type { Refused } from '../ingest/admission.js';
import type { Tally } from '../ingest/ingest.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { Delays } from './event-loop.js';
import { publicName } from './public-name.js';

/** What is asked at the moment of the scrape. */
export interface Levels {
  now(): number;
  tally(): Tally;
  sources(): Iterable<SourceLevels>;
  managedDestinations(): Iterable<ManagedDestination>;
  storeBytes(): Promise<number>;
  eventLoop(): Delays;
  /** How often the configuration was read anew, and whether the last time went well. */
  reloads(): { readonly good: number; readonly bad: number; readonly isGood: boolean; readonly loadedAt: number };
}

const PREFIX = 'eventferry_';

const BREAKER_STATES = ['closed', 'open', 'half-open'] as const satisfies EndpointReport['state'][];

/**
 * The service's metrics, in a registry of their own. Everything is counted where it happens and read at the scrape, so that
 * a message costs nothing here.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #levels: Levels;

  constructor(levels: Levels) {
    this.#levels = levels;
    this.#addMessages();
    this.#addSources();
    this.#addDestinations();
    this.#addEndpoints();
    this.#addOperations();
    this.#addProcess();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #addMessages(): void {
    const { tally } = this.#levels;
    this.#total('messages_total', 'Messages taken in, by what became of them', ['outcome'], (set) => {
      const { received, duplicates, blocked } = tally();
      set(received, { outcome: 'received' });
      set(duplicates, { outcome: 'duplicate' });
      set(blocked, { outcome: 'blocked' });
    });
    this.#total('forwarded_total', 'Messages given to destinations, once for each', ['outcome'], (set) => {
      const { forwarded, skipped } = tally();
      set(forwarded, { outcome: 'stored' });
      set(skipped, { outcome: 'skipped' });
    });
  }

  #addSources(): void {
    const { sources } = this.#levels;
    this.#total('refused_requests_total', 'Requests answered 429, by why', ['source', 'reason'], (set) => {
      for (const { name: source, refused } of sources()) {
        for (const [reason, count] of Object.entries(refused)) set(count, { source, reason });
      }
    });
    this.#level('unstored', 'Deliveries that wait for their turn to be stored', ['source'], (set) => {
      for (const { name: source, waiting } of sources()) set(waiting, { source });
    });
  }

  #addDestinations(): void {
    const { managedDestinations } = this.#levels;
    const labels = ['destination'];
    this.#total(
      'attempts_total',
      'Requests to webhooks, by the class of their result',
      [...labels, 'result'],
      (set) => {
        for (const managed of managedDestinations()) {
          const results = Object.entries(managed.counters().results);
          for (const [result, count] of results) set(count, { destination: managed.name, result });
        }
      },
    );
    this.#total('deliveries_total', 'Events that came to an end, by which', [...labels, 'outcome'], (set) => {
      for (const managed of managedDestinations()) {
        const { delivered, dead } = managed.counters();
        set(delivered, { destination: managed.name, outcome: 'delivered' });
        set(dead, { destination: managed.name, outcome: 'dead' });
      }
    });
    this.#total('backlog_full_total', 'Events that became dead letters since too much waited', labels, (set) => {
      for (const managed of managedDestinations()) set(managed.counters().backlogFull, { destination: managed.name });
    });
    this.#level('destination_enabled', 'Whether messages are given to the destination', labels, (set) => {
      for (const managed of managedDestinations()) set(Number(managed.isEnabled), { destination: managed.name });
    });
    this.#addDeadLetters(labels);
  }

  #addDeadLetters(labels: string[]): void {
    const each = (read: (totals: DeadTotals) => number) => async (set: SetValue) => {
      await Promise.all(
        Array.from(this.#levels.managedDestinations(), async ({ name, store }) =>
          set(read(await store.deadTotals()), { destination: name }),
        ),
      );
    };
    this.#total(
      'dead_letters_dropped_total',
      'Dead letters let go of, as `maxDeadLetters` says, by why',
      [...labels, 'reason'],
      (set) => {
        for (const managed of this.#levels.managedDestinations()) {
          for (const [reason, count] of Object.entries(managed.counters().dropped))
            set(count, { destination: managed.name, reason });
        }
      },
    );
    this.#level(
      'dead_letters',
      'Dead letters kept',
      labels,
      each(({ events }) => events),
    );
    this.#level(
      'dead_letter_bytes',
      'What they and the answers kept with them take',
      labels,
      each(({ bytes }) => bytes),
    );
  }

  #addEndpoints(): void {
    const labels = ['destination', 'webhook', 'host'];
    const each = (name: string, help: string, value: (report: EndpointLevels) => number): void =>
      this.#level(name, help, labels, (set) => {
        for (const level of this.#endpoints()) set(value(level), level.labels);
      });
    each('waiting', 'Deliveries without an end', ({ waiting }) => waiting);
    each('in_flight', 'Requests under way', ({ inFlight }) => inFlight);
    each('failing', 'Whether most of the last attempts failed, whatever the reason', ({ isFailing }) => isFailing);
    this.#level('breaker_state', 'Which state the circuit breaker of the webhook has', [...labels, 'state'], (set) => {
      for (const level of this.#endpoints()) {
        for (const state of BREAKER_STATES) set(Number(state === level.state), { ...level.labels, state });
      }
    });
    each('oldest_due_seconds', 'For how long the oldest delivery has been due', ({ oldestDue }) => oldestDue);
  }

  *#endpoints(): Generator<EndpointLevels> {
    const now = this.#levels.now();
    for (const { name: destination, destination: opened } of this.#levels.managedDestinations()) {
      for (const [index, report] of opened.endpoints().entries()) {
        yield {
          labels: { destination, webhook: String(index + 1), host: publicName(report.url) },
          waiting: report.waiting,
          inFlight: report.inFlight,
          isFailing: Number(report.failing),
          state: report.state,
          oldestDue: report.oldestDue === undefined ? 0 : Math.max(0, now - report.oldestDue) / 1_000,
        };
      }
    }
  }

  #addOperations(): void {
    const { storeBytes, reloads } = this.#levels;
    this.#level('store_bytes', 'What the store takes where it is kept', [], async (set) => set(await storeBytes()));
    this.#total('config_reloads_total', 'Times the configuration was read anew', ['outcome'], (set) => {
      set(reloads().good, { outcome: 'taken' });
      set(reloads().bad, { outcome: 'refused' });
    });
    this.#level('config_is_current', 'Whether the configuration read last is the one in use', [], (set) =>
      set(Number(reloads().isGood)),
    );
    this.#level('config_loaded_timestamp_seconds', 'When the configuration in use was loaded', [], (set) =>
      set(reloads().loadedAt / 1_000),
    );
  }

  #addProcess(): void {
    const { eventLoop } = this.#levels;
    this.#level(
      'event_loop_delay_seconds',
      'How late the event loop is, within the last minute',
      ['quantile'],
      (set) => {
        const { p50, p99, max } = eventLoop();
        set(p50 / 1_000, { quantile: '0.5' });
        set(p99 / 1_000, { quantile: '0.99' });
        set(max / 1_000, { quantile: '1' });
      },
    );
    const started = Date.now() / 1_000 - process.uptime();
    this.#level('process_start_time_seconds', 'When the process was started', [], (set) => set(started), '');
    this.#level(
      'process_resident_memory_bytes',
      'Memory of the process',
      [],
      (set) => set(process.memoryUsage.rss()),
      '',
    );
    this.#total(
      'process_cpu_seconds_total',
      'CPU of the process',
      [],
      (set) => {
        const { user, system } = process.cpuUsage();
        set((user + system) / 1e6);
      },
      '',
    );
  }

  #level(name: string, help: string, labelNames: string[], read: Read, prefix = PREFIX): void {
    const collect = async function (this: Gauge): Promise<void> {
      this.reset();
      try {
        await read((value, labels = {}) => this.set(labels, value));
      } catch {
        // The store could not be asked, as `/readyz` and the log say; all other metrics are there.
        if (labelNames.length === 0) this.set(Number.NaN);
      }
    };
    new Gauge({ name: prefix + name, help, labelNames, registers: [this.#registry], collect });
  }

  /** What only grows, as something else has counted it. */
  #total(name: string, help: string, labelNames: string[], read: Read, prefix = PREFIX): void {
    const collect = async function (this: Counter): Promise<void> {
      this.reset();
      await read((value, labels = {}) => this.inc(labels, value));
    };
    new Counter({ name: prefix + name, help, labelNames, registers: [this.#registry], collect });
  }
}

type SetValue = (value: number, labels?: Record<string, string>) => void;
type Read = (set: SetValue) => void | Promise<void>;

interface SourceLevels {
  readonly name: string;
  /** Deliveries that are not stored yet. */
  readonly waiting: number;
  readonly refused: Refused;
}

interface EndpointLevels {
  readonly labels: Record<string, string>;
  readonly waiting: number;
  readonly inFlight: number;
  readonly isFailing: number;
  readonly state: EndpointReport['state'];
  /** In seconds. */
  readonly oldestDue: number;
}
