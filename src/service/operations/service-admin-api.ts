import type { Clock } from '../../clock.js';
import { RedisUnfitError, StoreFullError } from '../../store/errors.js';
import type { KeyValueStore } from '../../store/key-value-store.js';
import type { Storage } from '../../store/storage.js';
import { VERSION } from '../../version.js';
import type { AdminApi } from '../api/admin-api.js';
import type { Status } from '../api/answers.js';
import { iso } from '../api/iso.js';
import { refusals } from '../api/refusals.js';
import type { ServiceConfig } from '../config/config.js';
import type { Deletions } from '../deletions/deletions.js';
import type { History } from '../history/history.js';
import { LastHours } from '../history/read-history.js';
import type { Admission } from '../ingest/admission.js';
import type { Counts } from '../ingest/counts.js';
import type { Ingest } from '../ingest/ingest.js';
import type { Rejections } from '../ingest/rejections.js';
import type { Violations } from '../ingest/violations.js';
import type { LetterJobs } from '../letters/letter-jobs.js';
import type { RecentAttempts } from '../recent/recent-attempts.js';
import type { EnabledOverrides } from '../routing/enabled-overrides.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { ManagedDestinations } from '../routing/managed-destinations.js';
import type { Pauses } from '../routing/pauses.js';
import { singleFlight } from '../single-flight.js';
import type { ConfigState } from './config-state.js';
import { EventLoop } from './event-loop.js';
import { Metrics } from './metrics.js';

export interface ServiceAdminApiOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly managedDestinations: ManagedDestinations;
  readonly overrides: EnabledOverrides;
  readonly pauses: Pauses;
  readonly recent: RecentAttempts;
  readonly history: History;
  readonly counts: Counts;
  readonly rejections: Rejections;
  readonly violations: Violations;
  readonly deletions: Deletions;
  readonly letterJobs: LetterJobs;
  readonly ingest: Ingest;
  readonly admission: Admission;
  readonly state: ConfigState;
  config(): ServiceConfig;
  collectorMetrics(): Promise<string>;
  isClosing(): boolean;
  onError(error: unknown): void;
}

/** How long a check of the store may take, in ms. */
const CHECK_MS = 2_000;

/** How many destinations are named when the store is full. */
const MOST_NAMED = 5;

/** The service, as the admin API sees it. */
export class ServiceAdminApi implements AdminApi {
  readonly #options: ServiceAdminApiOptions;
  readonly #eventLoop: EventLoop;
  readonly #metrics: Metrics;
  readonly #startedAt: number;
  // These need no token, so they must not cost more when they are asked often.
  readonly #check: () => Promise<void>;
  readonly metrics: AdminApi['metrics'];
  readonly keyValues: KeyValueStore;
  readonly counts: Counts;
  readonly deletions: Deletions;
  readonly letterJobs: LetterJobs;
  readonly recent: RecentAttempts;
  readonly history: History;
  readonly rejections: Rejections;
  readonly violations: Violations;
  readonly lastHours: LastHours;

  constructor(options: ServiceAdminApiOptions) {
    const { clock, config, ingest, admission, managedDestinations, storage, state } = options;
    this.#options = options;
    this.keyValues = storage.keyValues;
    this.counts = options.counts;
    this.deletions = options.deletions;
    this.letterJobs = options.letterJobs;
    this.recent = options.recent;
    this.history = options.history;
    this.rejections = options.rejections;
    this.violations = options.violations;
    this.lastHours = new LastHours(storage.keyValues, () => clock.now());
    this.#startedAt = clock.wall();
    this.#check = singleFlight(() => inTime(storage.check(), CHECK_MS));
    this.metrics = singleFlight(() => this.#readMetrics());
    this.#eventLoop = new EventLoop(() => clock.now());
    this.#metrics = new Metrics({
      now: () => clock.now(),
      tally: () => ingest.tally,
      sources: () =>
        config().sources.map(({ name }) => ({
          name,
          waiting: ingest.waiting(name),
          refused: admission.refused.get(name) ?? { rate_limited: 0, overloaded: 0 },
        })),
      violations: () => options.violations.totals(),
      managedDestinations: () => managedDestinations.byName.values(),
      isPaused: (managed) => this.isPaused(managed),
      storeBytes: () => storage.size(),
      eventLoop: () => this.#eventLoop.delays(),
      state,
    });
  }

  readonly config = (): ServiceConfig => this.#options.config();

  readonly now = (): number => this.#options.clock.wall();

  managedDestinations(): ReadonlyMap<string, ManagedDestination> {
    return this.#options.managedDestinations.byName;
  }

  setEnabled(managed: ManagedDestination, enabled: boolean): Promise<void> {
    return this.#options.overrides.set(managed, enabled);
  }

  isPaused({ name }: ManagedDestination): boolean {
    return this.#options.pauses.has(name);
  }

  setPaused(managed: ManagedDestination, isPaused: boolean): Promise<void> {
    return this.#options.pauses.set(managed, isPaused);
  }

  async status(): Promise<Status> {
    const { storage, state, config } = this.#options;
    return {
      version: VERSION,
      startedAt: iso(this.#startedAt),
      process: process.pid,
      config: { loadedAt: iso(state.loadedAt), ...(state.error !== undefined && { error: state.error }) },
      store: { type: config().store.type, bytes: await storage.size() },
      eventLoopDelayMs: this.#eventLoop.delays(),
    };
  }

  async assertReady(): Promise<void> {
    const { isClosing, onError } = this.#options;
    if (isClosing()) throw refusals.closing();
    try {
      await this.#check();
    } catch (error) {
      onError(error);
      throw refusals.notReady(this.#whyNotReady(error));
    }
  }

  close(): void {
    this.#eventLoop.stop();
  }

  #whyNotReady(error: unknown): string {
    if (error instanceof StoreFullError) return this.#tellFull(error);
    return error instanceof RedisUnfitError ? error.message : 'The store cannot be read or written';
  }

  /** Names the destinations for which most deliveries wait, where room could be made. */
  #tellFull({ freeBytes }: StoreFullError): string {
    const held = [...this.managedDestinations().values()]
      .map(({ name, destination }) => ({ name, waiting: sumOf(destination.endpoints()) }))
      .filter(({ waiting }) => waiting > 0)
      .toSorted((one, other) => other.waiting - one.waiting)
      .slice(0, MOST_NAMED)
      .map(({ name, waiting }) => `${name} ${waiting}`);
    const waiting = held.length === 0 ? '' : `; deliveries that wait: ${held.join(', ')}`;
    return `The store takes no new events: ${Math.floor(freeBytes / 2 ** 20)} MB are free${waiting}`;
  }

  async #readMetrics(): Promise<{ text: string; contentType: string }> {
    const [own, collector] = await Promise.all([this.#metrics.text(), this.#options.collectorMetrics()]);
    return { text: `${collector}\n${own}`, contentType: this.#metrics.contentType };
  }
}

const sumOf = (endpoints: readonly { waiting: number }[]): number =>
  endpoints.reduce((sum, { waiting }) => sum + waiting, 0);

async function inTime(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The store took longer than ${ms} ms`)), ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
