import { statfs } from 'node:fs/promises';
import type { Histogram } from 'prom-client';
import type { Clock } from '../../base/time/clock.js';
import type { KeyValueStore } from '../../store/key-value-store.js';
import type { EventLook, Storage } from '../../store/storage.js';
import { VERSION } from '../../version.js';
import type { AdminApi } from '../api/admin-api.js';
import type { Status } from '../api/answers.js';
import { iso, isoOr } from '../api/iso.js';
import type { ServiceConfig } from '../config/config.js';
import type { Deletions } from '../deletions/deletions.js';
import type { History } from '../history/history.js';
import { LastHours } from '../history/read-history.js';
import type { Admission } from '../ingest/admission.js';
import type { Counts } from '../ingest/counts.js';
import type { Ingest } from '../ingest/ingest.js';
import type { Rejections } from '../ingest/rejections.js';
import type { Violations } from '../ingest/violations.js';
import type { DeliveryJobs } from '../letters/delivery-jobs.js';
import type { RecentAttempts } from '../recent/recent-attempts.js';
import type { EnabledOverrides } from '../routing/enabled-overrides.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { ManagedDestinations } from '../routing/managed-destinations.js';
import type { Pauses } from '../routing/pauses.js';
import { singleFlight } from '../turns.js';
import type { ConfigState } from './config-state.js';
import { EventLoop } from './event-loop.js';
import { Metrics } from './metrics.js';
import { publicName } from './public-name.js';
import { ReadinessCheck } from './readiness.js';
import type { StoreLosses } from './store-losses.js';

/** With more destinations, metrics are sums unless the configuration says otherwise. */
const MOST_PER_DESTINATION = 200;

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
  readonly deliveryJobs: DeliveryJobs;
  readonly ingest: Ingest;
  readonly admission: Admission;
  readonly state: ConfigState;
  readonly durations: Histogram;
  readonly losses: StoreLosses;
  config(): ServiceConfig;
  collectorMetrics(): Promise<string>;
  isClosing(): boolean;
  onError(error: unknown): void;
}

/** The service, as the admin API sees it. */
export class ServiceAdminApi implements AdminApi {
  readonly #options: ServiceAdminApiOptions;
  readonly #eventLoop: EventLoop;
  readonly #metrics: Metrics;
  readonly #startedAt: number;
  // These need no token, so they must not cost more when they are asked often.
  readonly #readiness: ReadinessCheck;
  readonly metrics: AdminApi['metrics'];
  readonly keyValues: KeyValueStore;
  readonly counts: Counts;
  readonly deletions: Deletions;
  readonly deliveryJobs: DeliveryJobs;
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
    this.deliveryJobs = options.deliveryJobs;
    this.recent = options.recent;
    this.history = options.history;
    this.rejections = options.rejections;
    this.violations = options.violations;
    this.lastHours = new LastHours(storage.keyValues, () => clock.now());
    this.#startedAt = clock.wall();
    this.#readiness = new ReadinessCheck({
      storage,
      isClosing: options.isClosing,
      waiting: () =>
        Array.from(managedDestinations.byName.values(), ({ name, destination }) => ({
          name,
          waiting: destination.waiting,
        })),
      unclaimed: () =>
        [...managedDestinations.byName.values()].flatMap(({ name, destination }) =>
          destination.endpoints().map(({ url, dueUnclaimedMs: ms }) => ({ name, host: publicName(url), ms })),
        ),
      onError: options.onError,
    });
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
      readiness: () => this.#readiness.glance(),
      assertStore: () => this.#readiness.assertStore(),
      managedDestinations: () => managedDestinations.byName.values(),
      isPaused: (managed) => this.isPaused(managed),
      storeBytes: async () => {
        this.#readiness.assertStore();
        return storage.size();
      },
      freeBytes: () => freeBytesOf(config()),
      isPerDestination: () =>
        config().metrics.perDestination ?? managedDestinations.byName.size <= MOST_PER_DESTINATION,
      durations: options.durations,
      storeEmptied: () => options.losses.count,
      eventLoop: () => this.#eventLoop.delays(),
      state,
    });
  }

  readonly config = (): ServiceConfig => this.#options.config();

  readonly now = (): number => this.#options.clock.wall();

  sendersOf(id: string, sources: readonly string[]): Promise<readonly string[]> {
    return this.#options.storage.sendersOf(id, sources, this.#options.clock.now());
  }

  async mayHave(looks: readonly EventLook[]): Promise<readonly boolean[]> {
    return (await this.#options.storage.mayHave?.(looks)) ?? looks.map(() => true);
  }

  managedDestinations(): ReadonlyMap<string, ManagedDestination> {
    return this.#options.managedDestinations.byName;
  }

  removedDestinations(): ReadonlyMap<string, ManagedDestination> {
    return this.#options.managedDestinations.removed;
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
    const { storage, state, config, losses } = this.#options;
    // A store that is gone does not tell its size, and then most of all it has to be said what is wrong.
    const readiness = await this.#readiness.glance();
    const bytes = readiness.code === 'store-failed' ? null : await storage.size().catch(() => null);
    return {
      readiness,
      version: VERSION,
      startedAt: iso(this.#startedAt),
      process: process.pid,
      config: { loadedAt: iso(state.loadedAt), ...(state.error !== undefined && { error: state.error }) },
      store: { type: config().store.type, bytes, emptiedAt: isoOr(losses.lastAt) },
      eventLoopDelayMs: this.#eventLoop.delays(),
    };
  }

  assertReady(): Promise<void> {
    return this.#readiness.assert();
  }

  close(): void {
    this.#eventLoop.stop();
  }

  async #readMetrics(): Promise<{ text: string; contentType: string }> {
    const [own, collector] = await Promise.all([this.#metrics.text(), this.#options.collectorMetrics()]);
    return { text: `${own}\n${collector}`, contentType: this.#metrics.contentType };
  }
}

/** On the disk of the store; undefined where the service has none, or it cannot be asked. */
async function freeBytesOf({ store }: ServiceConfig): Promise<number | undefined> {
  if (store.type !== 'lmdb') return undefined;
  const disk = await statfs(store.path).catch(() => undefined);
  return disk && disk.bavail * disk.bsize;
}
